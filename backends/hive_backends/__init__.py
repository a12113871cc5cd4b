"""Backends: one module each, which says how an agent program is started and what its screen means."""
