"""The governor: the load decides how many tasks run at once and how often a role gets one, fairly shared."""

from hive.decisions.governor.fairness import Served, first_served
from hive.decisions.governor.mode import forecast, mode_of_load, news
from hive.decisions.governor.pressure import Pressure, pressure

__all__ = ["Pressure", "Served", "first_served", "forecast", "mode_of_load", "news", "pressure"]
