"""`gateway.pods`: where agents in pods reach hive. Beyond loopback, so an operator has to write it down."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field, model_validator

from hive.decisions.sandbox.egress import GatewayAddress, gateway_address
from hive.documents.values import Text
from hive.settings.policies import SettingsModel


@dataclass(frozen=True, slots=True)
class PodsOptions:
    """Where hive listens (`port` 0: any that is free) and by which name and port pods reach it; a
    `named_port` of 0 is the one that it listens on."""

    host: str
    port: int
    name: str
    named_port: int


def _listen(text: str) -> GatewayAddress:
    """An IP address and a port, which may be 0."""
    host, _, port = text.rpartition(":")
    address = gateway_address(f"{host}:1" if port == "0" else text)
    if address.is_name:
        raise ValueError(f"'{text}' is no address to listen on; write IP:PORT, like 10.0.0.1:8443")
    return GatewayAddress(address.host, 0) if port == "0" else address


def _checked_listen(text: str) -> str:
    _listen(text)
    return text


def _checked_address(text: str) -> str:
    gateway_address(text)
    return text


class PodsModel(SettingsModel):
    """Where agents in pods reach hive, over TLS."""

    listen: Annotated[Text, AfterValidator(_checked_listen)] = Field(
        description="IP:PORT that hive listens on; port 0 is any that is free."
    )
    address: Annotated[Text, AfterValidator(_checked_address)] | None = Field(
        default=None, description="HOST:PORT as pods see it, where that is another."
    )

    @model_validator(mode="after")
    def _is_reachable(self) -> PodsModel:
        if self.address is None and ipaddress.ip_address(_listen(self.listen).host).is_unspecified:
            raise ValueError(
                f"'{self.listen}' is every address; name the one that pods use with address: HOST:PORT"
            )
        return self

    def options(self) -> PodsOptions:
        listen = _listen(self.listen)
        seen = gateway_address(self.address) if self.address is not None else listen
        return PodsOptions(listen.host, listen.port, seen.host, seen.port)
