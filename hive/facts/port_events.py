"""Events about ports that fail and come back, and lanes that were given up."""

from __future__ import annotations

from hive.facts.recorded import RecordedEvent


class PortFailed(RecordedEvent, tag="port-failed", frozen=True, kw_only=True):
    """A port could not be looked at; recorded on the first failure of a row."""

    port: str
    message: str

    @property
    def subject(self) -> str:
        return self.port


class PortRecovered(RecordedEvent, tag="port-recovered", frozen=True, kw_only=True):
    port: str

    @property
    def subject(self) -> str:
        return self.port


class LaneAbandoned(RecordedEvent, tag="lane-abandoned", frozen=True, kw_only=True):
    """A port did not come back within its deadline; its thread was given up and a fresh client built."""

    port: str
    call: str
    count: int

    @property
    def subject(self) -> str:
        return self.port
