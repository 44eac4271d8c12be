"""Retries a request while the service is busy."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime

from .limit import Limit
from .transport import Request, Response, Send

_FIRST_BACKOFF_SECONDS = 0.5


@dataclass(frozen=True)
class Retry:
    """A wait before a request is sent again."""

    method: str
    url: str
    status: int
    """0 if the response was lost or incomplete."""
    attempt: int
    """The attempt that got ``status``, starting at 1."""
    wait_seconds: float


def _ignore(_: Retry) -> None:
    """Does nothing, because the user doesn't want notifications."""


@dataclass(frozen=True)
class RetryOptions:
    """What to do when the service is busy."""

    attempts: int = 4
    """The maximum number of times a request is sent, including the first."""
    maximum_wait_seconds: float = 30.0
    """The maximum wait before a retry. If ``Retry-After`` is longer, the request is not retried."""
    on_retry: Callable[[Retry], object] = _ignore
    """Called before each wait."""
    wait: Callable[[float], object] = time.sleep
    """Waits for a number of seconds."""


def _is_busy(status: int) -> bool:
    return status in (429, 503)


def _is_repeatable(request: Request) -> bool:
    """Whether a repeated request has the same result if the first one already took effect.

    A repeated deletion would find nothing, and a repeated conditional change would find its own new version.
    """
    if request.method == "POST":
        return request.headers["X-Sent-Path"] == "/api/v1/key"
    return request.method == "GET" or (request.method == "PUT" and "If-Match" not in request.headers)


def retrying(
    send: Send,
    options: RetryOptions,
    *,
    is_worth_repeating: Callable[[int], bool] = _is_busy,
    is_safe: Callable[[Request], bool] = _is_repeatable,
) -> Send:
    """Retries a request after a ``429`` or ``503``, within the time limit of its call.

    A request that is safe to repeat is also retried if the response is lost or incomplete.
    """

    def send_retrying(request: Request, limit: Limit) -> Response:
        attempt = 1
        while True:
            status, wait_seconds = 0, _wait_before(attempt, None)
            try:
                response = send(request, limit)
            except TimeoutError:
                raise
            except OSError:
                is_too_late = time.monotonic() + wait_seconds >= limit.ends_at
                if is_too_late or attempt >= options.attempts or not is_safe(request):
                    raise
            else:
                status, wait_seconds = response.status, _wait_before(attempt, response.header("Retry-After"))
                is_too_late = time.monotonic() + wait_seconds >= limit.ends_at
                if is_too_late or attempt >= options.attempts or not is_worth_repeating(status):
                    return response
                if wait_seconds > options.maximum_wait_seconds:
                    return response
            options.on_retry(Retry(request.method, request.url, status, attempt, wait_seconds))
            options.wait(wait_seconds)
            attempt += 1

    return send_retrying


def _wait_before(attempt: int, retry_after: str | None) -> float:
    """Returns the wait that the service asks for, plus an exponentially growing random part that spreads clients out.
    """
    return seconds_of(retry_after) + random.uniform(0, _FIRST_BACKOFF_SECONDS) * 2.0 ** (attempt - 1)


def seconds_of(retry_after: str | None) -> float:
    """Parses ``Retry-After`` (RFC 9110): whole seconds or an HTTP date. Anything else counts as zero."""
    if retry_after is None:
        return 0.0
    if re.fullmatch("[0-9]+", retry_after):
        return float(retry_after)
    try:
        date = parsedate_to_datetime(retry_after)
    except (ValueError, OverflowError):
        return 0.0
    # A date without a time zone is in UTC, like all dates in HTTP.
    return max(0.0, date.replace(tzinfo=date.tzinfo or timezone.utc).timestamp() - time.time())
