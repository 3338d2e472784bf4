"""The way out to model providers: guarded like every other, with leave for the addresses that the operator named."""

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final, TypeAlias

import httpx2

from pilothouse.base.egress import Address, EgressDenied, EgressPolicy, Target
from pilothouse.base.guarded_transport import GuardedTransport

ProviderClient: TypeAlias = httpx2.AsyncClient
Undecodable: TypeAlias = httpx2.DecodingError  # bytes that are not packed as their head says

CONNECT_SECONDS = 10.0
READ_SECONDS = 300.0  # a model may think for long before its next word

# Where clouds keep a machine's own secrets. No model listens there, so not even an administrator's leave opens them.
_KEEPERS: Final = (
    ip_network("169.254.0.0/16"),
    ip_network("fe80::/10"),
    ip_network("fd00:ec2::/32"),
    ip_network("100.100.100.200/32"),
    ip_network("0.0.0.0/8"),
    ip_network("::/128"),
)


class ProviderPolicy(EgressPolicy):
    """Public addresses, and the hosts of these URLs also where they are private; never those that hold secrets."""

    def __init__(self, urls: Iterable[str]) -> None:
        super().__init__([_permit(url) for url in urls])

    def admit(self, target: Target, address: Address) -> None:
        plain = _plain(address)
        if any(plain.version == network.version and plain in network for network in _KEEPERS):
            raise EgressDenied("no model listens at this address", host=target.host, port=target.port)
        super().admit(target, address)


def _permit(url: str) -> str:
    parsed = httpx2.URL(url)
    host = f"[{parsed.host}]" if ":" in parsed.host else parsed.host
    return f"{host}:{parsed.port or (443 if parsed.scheme == 'https' else 80)}"


def _plain(address: Address) -> Address:
    """What an IPv6 address stands for, where it wraps an IPv4 one."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else ip_address(str(mapped))


def provider_client(urls: Iterable[str]) -> ProviderClient:
    """A client for providers' own libraries. What it may reach: public addresses, and the hosts of these URLs."""
    return httpx2.AsyncClient(
        transport=GuardedTransport(ProviderPolicy(urls)),
        follow_redirects=False,
        trust_env=False,
        timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
    )
