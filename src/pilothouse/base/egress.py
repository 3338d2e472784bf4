"""Which addresses this installation may reach on behalf of a user: the public internet, and what the operator lists."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias

import httpx2

from pilothouse.kit.errors import Forbidden

Address: TypeAlias = IPv4Address | IPv6Address
Network: TypeAlias = IPv4Network | IPv6Network


class EgressDenied(Forbidden):
    """This address may not be reached from here."""

    hint = "Only public addresses are allowed, and those the operator lists in `egress_allow`."


_PORTS = {"http": 80, "https": 443}
# Numbers in other clothes: octal, hex, one big decimal, too few parts. Resolvers read them as addresses.
_ODD_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*\.?", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?")
# Addresses that carry or reach another one, or that `is_global` calls global for reasons that do not help us.
_GLOBAL_UNICAST = ip_network("2000::/3")
_TUNNELS: tuple[Network, ...] = (
    ip_network("64:ff9b::/96"),  # NAT64
    ip_network("64:ff9b:1::/48"),  # NAT64, local use
    ip_network("2002::/16"),  # 6to4
    ip_network("2001::/32"),  # Teredo
    ip_network("::/96"),  # IPv4-compatible
    ip_network("fec0::/10"),  # site-local
    ip_network("3fff::/20"),  # documentation
    ip_network("192.88.99.0/24"),  # 6to4 relays
    ip_network("192.0.0.0/24"),  # protocol assignments
)


def is_public(address: Address) -> bool:
    """Whether anyone on the internet could reach this address."""
    # IPv4-mapped addresses fall here too: no honest name resolves to one.
    if isinstance(address, IPv6Address) and (address not in _GLOBAL_UNICAST or address.scope_id):
        return False
    if any(address.version == network.version and address in network for network in _TUNNELS):
        return False
    odd = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback
    return address.is_global and not address.is_private and not address.is_link_local and not odd


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request wants to go."""

    scheme: str
    host: str  # a lower-case name, or an address without brackets
    port: int


@dataclass(frozen=True, slots=True)
class Permit:
    """One line of `egress_allow`: a name or a network, and perhaps a port."""

    host: str | None
    network: Network | None
    port: int | None

    @classmethod
    def parse(cls, line: str) -> "Permit":
        """Read `name`, `name:port`, `10.0.0.0/8`, `127.0.0.1:8080`, `[::1]:8080` or `fd00::/8`."""
        text, port = line.strip().lower(), None
        if match := re.fullmatch(r"(\[[^\]]+\]|[^:]+):([0-9]{1,5})", text):
            text, port = match[1], int(match[2])
        text = text.strip("[]")
        try:
            return cls(host=None, network=ip_network(text, strict=False), port=port)
        except ValueError:
            return cls(host=text.rstrip("."), network=None, port=port)

    def covers(self, target: Target, address: Address) -> bool:
        if self.port is not None and self.port != target.port:
            return False
        if self.network is not None:
            return address.version == self.network.version and address in self.network
        return self.host == target.host


class EgressPolicy:
    """Judges addresses before they are written down (`target_of`) and before they are connected to (`admit`)."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self._permits = [Permit.parse(line) for line in allow if line.strip()]

    def target_of(self, url: str | httpx2.URL) -> Target:
        """Read a URL, without asking any name server; raises `EgressDenied`."""
        try:
            parsed = httpx2.URL(url)
        except (httpx2.InvalidURL, UnicodeError, TypeError, ValueError) as cause:
            raise EgressDenied("this is not a URL") from cause
        if parsed.scheme not in _PORTS:
            raise EgressDenied("only http and https addresses may be reached")
        if parsed.userinfo:
            raise EgressDenied("a URL may not hold a user name or password")
        host = parsed.raw_host.decode("ascii").lower().rstrip(".")
        if not host:
            raise EgressDenied("this URL names no host")
        port = _PORTS[parsed.scheme] if parsed.port is None else parsed.port
        if not 0 < port < 65_536:
            raise EgressDenied("this port does not exist")
        target = Target(parsed.scheme, host, port)
        literal = _literal(host)
        if literal is not None:
            self.admit(target, literal)
        return target

    def target_at(self, host: str, port: int) -> Target:
        """Read a host that stands alone, without asking any name server; raises `EgressDenied`."""
        try:
            name = host.strip().lower().rstrip(".").encode("idna").decode("ascii").strip("[]")
        except UnicodeError as cause:
            raise EgressDenied("this is not the name of a host") from cause
        if not 0 < port < 65_536:
            raise EgressDenied("this port does not exist")
        target, literal = Target("", name, port), _literal(name)
        if literal is not None:
            self.admit(target, literal)
        elif not _NAME.fullmatch(name):
            raise EgressDenied("this is not the name of a host")
        return target

    def is_listed(self, target: Target) -> bool:
        """Whether the operator lists this very host or address."""
        address = ip_address("127.0.0.1") if target.host == "localhost" else _literal(target.host)
        if address is not None:
            return any(permit.covers(target, address) for permit in self._permits)
        return any(permit.host == target.host and permit.port in (None, target.port) for permit in self._permits)

    def admit(self, target: Target, address: Address) -> None:
        """Raise `EgressDenied` unless this address is public or permitted."""
        if is_public(address) or any(permit.covers(target, address) for permit in self._permits):
            return
        raise EgressDenied("this address is not public", host=target.host, port=target.port)


def _literal(host: str) -> Address | None:
    """The address a host spells out, or None for a name; odd spellings are refused."""
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        pass
    if _ODD_NUMBER.fullmatch(host) or ":" in host or "%" in host:
        raise EgressDenied("this host is neither a name nor a plainly written address", host=host)
    return None
