"""Guardrails: one module each, a pure rule that can only tighten what the autonomy level allows."""
