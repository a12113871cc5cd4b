"""Properties are of values, not of the machine's speed: no example has a deadline."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("decisions", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("decisions")
