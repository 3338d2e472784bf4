"""Ids that the bell handed to a worker and that it has not claimed yet."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True)
class Delivery:
    """Ids that came in one ring, acknowledged when each has been claimed or found taken."""

    kind: str
    left: int
    done: Callable[[], None]


Offer: TypeAlias = tuple[str, Delivery]


@dataclass(slots=True)
class Offers:
    """First come, first taken."""

    items: deque[Offer] = field(default_factory=deque[Offer])

    def __len__(self) -> int:
        return len(self.items)

    def put(self, kind: str, ids: Sequence[str], done: Callable[[], None]) -> None:
        delivery = Delivery(kind, len(ids), done)
        self.items.extend((job_id, delivery) for job_id in ids)
        if not ids:
            done()

    def take(self, limit: int) -> list[Offer]:
        return [self.items.popleft() for _ in range(min(limit, len(self.items)))]

    def put_back(self, batch: Sequence[Offer]) -> None:
        self.items.extendleft(reversed(batch))

    @staticmethod
    def acknowledge(batch: Sequence[Offer]) -> None:
        for _, delivery in batch:
            delivery.left -= 1
            if delivery.left == 0:
                delivery.done()
