"""What a client remembers of its reads."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock

from .transport import Response


@dataclass(frozen=True)
class Remembered:
    etag: str
    link: str | None
    """The ``Link`` header."""
    response: Response


class Memory:
    """Remembers reads by their URL. When it is full, it forgets those that were not used for longest."""

    def __init__(self, *, bodies: int = 100, size: int = 16 * 1024**2) -> None:
        self._maximum_bodies = bodies
        self._maximum_size = size
        self._size = 0
        self._reads: OrderedDict[str, Remembered] = OrderedDict()
        # The threads of a program may share a client.
        self._lock = Lock()

    def recall(self, url: str) -> Remembered | None:
        with self._lock:
            if url in self._reads:
                self._reads.move_to_end(url)
            return self._reads.get(url)

    def remember(self, url: str, read: Remembered) -> None:
        with self._lock:
            self._forget(url)
            if len(read.response.body) > self._maximum_size:
                return
            self._reads[url] = read
            self._size += len(read.response.body)
            while len(self._reads) > self._maximum_bodies or self._size > self._maximum_size:
                self._forget(next(iter(self._reads)))

    def forget(self, url: str) -> None:
        with self._lock:
            self._forget(url)

    def _forget(self, url: str) -> None:
        forgotten = self._reads.pop(url, None)
        if forgotten is not None:
            self._size -= len(forgotten.response.body)
