"""How many examples properties try: enough for each run; many more with ``HYPOTHESIS_PROFILE=nightly``.

No example has a deadline: properties are of values, not of the machine's speed.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]

settings.register_profile("ci", max_examples=40, deadline=None, suppress_health_check=_SLOW)
settings.register_profile("nightly", max_examples=2000, deadline=None, suppress_health_check=_SLOW)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
