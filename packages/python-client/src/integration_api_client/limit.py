"""Time limits of calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from contextvars import copy_context
from threading import Lock, Thread
from typing import TypeVar

Result = TypeVar("Result")

DEFAULT_TIMEOUT_SECONDS = 120.0
"""The default timeout of a call. It leaves room for retries, each of which may wait up to 30 seconds."""

CONFIRMATION_SECONDS = 15 * 60.0
"""How long an admin has to confirm a request."""


class Limit:
    """The remaining time of a call, at most that of the call that it is part of."""

    def __init__(self, seconds: float, outer: Limit | None = None) -> None:
        self._seconds = seconds
        self.ends_at = time.monotonic() + seconds
        if outer is not None and outer.ends_at < self.ends_at:
            self._seconds, self.ends_at = outer._seconds, outer.ends_at

    def remaining(self) -> float:
        """Returns the remaining seconds. Raises TimeoutError if there are none."""
        seconds = self.ends_at - time.monotonic()
        if seconds <= 0:
            raise self.error()
        return seconds

    def error(self) -> TimeoutError:
        return TimeoutError(f"The call was not finished within {self._seconds:g} seconds.")

    def half(self) -> Limit:
        return Limit(self.remaining() / 2, self)


def start(work: Callable[[], Result]) -> Future[Result]:
    """Starts work in another thread, because Python can't interrupt a thread that waits for something else."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    try:
        # A stuck thread must not keep the program from exiting.
        Thread(target=copy_context().run, args=(run,), daemon=True).start()
    except RuntimeError:
        # At exit, in a function registered with atexit, Python starts no more threads.
        run()
    return future


def result_of(future: Future[Result], limit: Limit) -> Result:
    """Waits for a result. Raises TimeoutError when the limit is reached, but the work itself continues."""
    if wait([future], min(limit.remaining(), _LONGEST_WAIT_SECONDS)).done:
        return future.result()
    raise limit.error()


def run_within(limit: Limit, work: Callable[[], Result]) -> Result:
    return result_of(start(work), limit)


@contextmanager
def held(lock: Lock, limit: Limit) -> Iterator[None]:
    """Holds a lock. Raises TimeoutError if another thread does not release it in time."""
    if not lock.acquire(timeout=min(limit.remaining(), _LONGEST_WAIT_SECONDS)):
        raise limit.error()
    try:
        yield
    finally:
        lock.release()


_LONGEST_WAIT_SECONDS = 1_000_000.0
"""A cap on waits, because Python rejects very long ones, such as those without a limit."""
