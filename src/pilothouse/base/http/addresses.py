"""Where a request really comes from, behind proxies that we trust and past headers that we do not."""

from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import TypeAlias

from starlette.types import Scope

Network: TypeAlias = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Proxies:
    """The networks whose `X-Forwarded-For` counts."""

    networks: tuple[Network, ...] = field(default=())

    @classmethod
    def of(cls, cidrs: tuple[str, ...]) -> "Proxies":
        """Raises `ValueError` for what is not a network."""
        return cls(tuple(ip_network(cidr, strict=False) for cidr in cidrs))

    def trusts(self, address: str) -> bool:
        if not self.networks or not (parsed := _parsed(address)):
            return False
        return any(parsed in network for network in self.networks)


def _parsed(address: str):
    try:
        return ip_address(address)
    except ValueError:
        return None


def client_address(scope: Scope, proxies: Proxies) -> str:
    """The caller's address: the peer, or, behind trusted proxies, the last hop that they did not vouch for."""
    peer = scope.get("client")
    address = peer[0] if peer else ""
    if not proxies.trusts(address):
        return address
    lines = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-forwarded-for"]
    for hop in reversed([part.strip() for line in lines for part in line.split(",")]):
        if _parsed(hop) is None:
            return address
        address = hop
        if not proxies.trusts(address):
            return address
    return address


def is_direct_loopback(scope: Scope) -> bool:
    """Whether a program on this machine asks, with no proxy in between that could be asking for another."""
    peer = scope.get("client")
    parsed = _parsed(peer[0]) if peer else None
    forwarded = any(name == b"forwarded" or name.startswith(b"x-forwarded-") for name, _ in scope["headers"])
    return parsed is not None and parsed.is_loopback and not forwarded
