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

# Within a minute, a rate limit resets and the service asks an issuer again. The rest is for the random part of a wait.
_TOKEN_WAIT_SECONDS = 63.0


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


def _is_repeatable(request: Request) -> bool:
    """Whether a repeated request has the same result if the first one already took effect.

    A repeated deletion would find nothing, and a repeated conditional change would find its own new version.
    """
    if request.method == "POST":
        return request.repeatable
    return request.method == "GET" or (request.method != "DELETE" and "If-Match" not in request.headers)


def retrying(send: Send, options: RetryOptions, *, is_for_token: bool = False) -> Send:
    """Retries a request after a ``429`` or ``503``, within the time limit of its call.

    A request that is safe to repeat is also retried if the response is lost or incomplete. Calls for tokens are safe to
    repeat and retried after each ``5xx``, because the service then returns the same token.
    """
    longest_wait = max(options.maximum_wait_seconds, _TOKEN_WAIT_SECONDS if is_for_token else 0.0)

    def is_worth_repeating(status: int) -> bool:
        return status == 429 or (status >= 500 if is_for_token else status == 503)

    def is_last(attempt: int, wait_seconds: float, limit: Limit) -> bool:
        return attempt >= options.attempts or time.monotonic() + wait_seconds >= limit.ends_at

    def send_retrying(request: Request, limit: Limit) -> Response:
        attempt = 1
        while True:
            status, wait_seconds = 0, _backoff(attempt)
            try:
                response = send(request, limit)
                status, wait_seconds = response.status, wait_seconds + retry_after_seconds(response)
                is_final = wait_seconds > longest_wait or not is_worth_repeating(status)
                if is_final or is_last(attempt, wait_seconds, limit):
                    return response
            except TimeoutError:
                raise
            except OSError:
                is_safe = is_for_token or _is_repeatable(request)
                if not is_safe or is_last(attempt, wait_seconds, limit):
                    raise
            options.on_retry(Retry(request.method, request.url, status, attempt, wait_seconds))
            options.wait(wait_seconds)
            attempt += 1

    return send_retrying


def _backoff(attempt: int) -> float:
    """Returns an exponentially growing random wait, which spreads out clients rejected together."""
    return random.uniform(0, _FIRST_BACKOFF_SECONDS) * 2.0 ** (attempt - 1)


def retry_after_seconds(response: Response) -> float:
    """Parses ``Retry-After`` (RFC 9110): whole seconds or an HTTP date. Anything else counts as zero."""
    value = response.header("Retry-After") or ""
    if re.fullmatch("[0-9]+", value):
        return float(value)
    return max(0.0, _http_time(value, 0.0) - service_time(response))


def service_time(response: Response) -> float:
    """Returns the time on the service's clock, because this machine's clock may be wrong."""
    return _http_time(response.header("Date") or "", time.time())


def _http_time(text: str, otherwise: float) -> float:
    """Parses a date of HTTP, which is in UTC even if it doesn't say so."""
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=date.tzinfo or timezone.utc).timestamp()
    except (ValueError, OverflowError, TypeError):
        return otherwise
