"""The way out to model providers: guarded like every other, with leave for the addresses that the operator named."""

from collections.abc import Iterable
from typing import TypeAlias

import httpx2

from pilothouse.base.egress import EgressPolicy
from pilothouse.base.guarded_transport import GuardedTransport

ProviderClient: TypeAlias = httpx2.AsyncClient

CONNECT_SECONDS = 10.0
READ_SECONDS = 300.0  # a model may think for long before its next word


def provider_client(urls: Iterable[str]) -> ProviderClient:
    """A client for providers' own libraries. What it may reach: public addresses, and the hosts of these URLs."""
    allowed = [f"{url.host}:{url.port or (443 if url.scheme == 'https' else 80)}" for url in map(httpx2.URL, urls)]
    return httpx2.AsyncClient(
        transport=GuardedTransport(EgressPolicy(allowed)),
        follow_redirects=False,
        trust_env=False,
        timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
    )
