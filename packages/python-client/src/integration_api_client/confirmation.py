"""Waits until an admin has confirmed a call."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timezone
from email.utils import parsedate_to_datetime

from .errors import ApiFailure, parse_body, request_id_of, require_success
from .results import Confirmation, confirmation_from
from .retry import seconds_of
from .transport import Request, Response, Send


def confirmed(
    send: Send,
    request: Request,
    on_confirmation: Callable[[Confirmation], object],
    poll_seconds: float,
    wait: Callable[[float], object],
) -> Response:
    """Makes a call, repeats it until an admin has confirmed it, and returns the response.

    Raises ApiFailure for a refusal, and with the code ``not_confirmed`` if the request has ended.
    """
    told = None
    while True:
        response = send(request)
        require_success(response)
        if response.status != 202:
            return response
        confirmation = parse_body(response, confirmation_from)
        if confirmation.code != told:
            on_confirmation(confirmation)
        told = confirmation.code

        wait_seconds = max(poll_seconds, seconds_of(response.header("Retry-After")))
        if wait_seconds >= confirmation.expires_at.timestamp() - service_time(response):
            message = (
                f"No admin confirmed the code {confirmation.code} for {confirmation.ip} in time. "
                "Repeat the call for a new code."
            )
            raise ApiFailure(202, "not_confirmed", message, request_id_of(response))
        wait(wait_seconds)


def service_time(response: Response) -> float:
    """The time of a response by the service's clock, because this machine's may be wrong."""
    try:
        date = parsedate_to_datetime(response.header("Date") or "")
    except (ValueError, OverflowError, TypeError):
        return time.time()
    return date.replace(tzinfo=date.tzinfo or timezone.utc).timestamp()
