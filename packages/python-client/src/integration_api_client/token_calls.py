"""The calls that revoke a token or create a new one. Each is authenticated by a given secret."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timezone
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TypeAlias

from .errors import ApiFailure, parse_body, request_id_of, require_success
from .limit import CONFIRMATION_SECONDS, DEFAULT_TIMEOUT_SECONDS, Limit, run_within
from .requests import Requests, checked_token
from .results import Confirmation, IssuedToken, confirmation_from, issued_token_from
from .retry import RetryOptions, retrying, seconds_of
from .transport import Request, Response, Send, create_transport


def confirmed(
    send: Send,
    request: Request,
    limit: Limit,
    on_confirmation: Callable[[Confirmation], object],
    wait: Callable[[float], object],
) -> Response:
    """Repeats a call until an admin has confirmed it, and returns the response.

    Raises ApiFailure if the call is rejected, or with the code ``not_confirmed`` if the request has expired.
    """
    told = None
    while True:
        response = send(request, limit)
        require_success(response)
        if response.status != 202:
            return response
        confirmation = parse_body(response, confirmation_from)
        if confirmation.code != told:
            run_within(limit, partial(on_confirmation, confirmation))
        told = confirmation.code

        wait_seconds = max(_POLL_SECONDS, seconds_of(response.header("Retry-After")))
        if wait_seconds >= confirmation.expires_at.timestamp() - service_time(response):
            message = (
                f"No admin confirmed the code {confirmation.code} for {confirmation.ip} in time. "
                "Repeat the call for a new code."
            )
            raise ApiFailure(202, "not_confirmed", message, request_id_of(response))
        limit.remaining()
        wait(wait_seconds)


def service_time(response: Response) -> float:
    """Returns the time of a response on the service's clock, because this machine's clock may be wrong."""
    try:
        date = parsedate_to_datetime(response.header("Date") or "")
    except (ValueError, OverflowError, TypeError):
        return time.time()
    return date.replace(tzinfo=date.tzinfo or timezone.utc).timestamp()


OnConfirmation: TypeAlias = Callable[[Confirmation], object]

_TOKEN_PATH = "/api/v1/token"

_POLL_SECONDS = 5.0

_LIMIT_SECONDS = 63.0
"""Within a minute, a rate limit resets and the service asks an issuer again. The rest is for the random part of a wait.
"""

_JWT_GRANT = {
    "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
    "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
}


class OwnToken(ABC):
    """A client's token."""

    @abstractmethod
    def text(self) -> str: ...

    @abstractmethod
    def revoke(self) -> None: ...

    def rotate(self, grace_seconds: int) -> IssuedToken:
        raise TypeError("This client gets new tokens by itself.")

    def move(self, on_confirmation: OnConfirmation) -> IssuedToken:
        raise TypeError("This client gets new tokens by itself.")


class TokenCalls:
    """Also retries these calls if their response is lost, because the service then returns the same token."""

    def __init__(self, base_url: str, transport: Send, retry: RetryOptions, timeout: float) -> None:
        patient = replace(retry, maximum_wait_seconds=max(retry.maximum_wait_seconds, _LIMIT_SECONDS))
        self._base_url = base_url
        self._timeout = timeout
        self._wait = retry.wait
        self._send = retrying(transport, patient, is_worth_repeating=_is_worth_repeating, is_safe=lambda _: True)

    def redeem(self, invitation: str, on_confirmation: OnConfirmation) -> IssuedToken:
        return self._confirmed(_TOKEN_PATH, invitation, on_confirmation)

    def exchange(self, jwt: str, limit: Limit) -> tuple[IssuedToken, float]:
        """Returns a token for a workload's JWT, and the time on the service's clock."""
        form = {**_JWT_GRANT, "subject_token": jwt}
        request = Requests(self._base_url, lambda: "").write("POST", f"{_TOKEN_PATH}/exchange", form)
        headers = {name: value for name, value in request.headers.items() if name != "X-Token"}
        response = self._send(replace(request, headers=headers), limit)
        require_success(response)
        return parse_body(response, issued_token_from), service_time(response)

    def rotate(self, token: str, grace_seconds: int, limit: Limit | None = None) -> IssuedToken:
        request = self._request("POST", f"{_TOKEN_PATH}/rotation", token, {"grace_seconds": str(grace_seconds)})
        response = self._send(request, Limit(self._timeout, limit))
        require_success(response)
        return parse_body(response, issued_token_from)

    def move(self, token: str, on_confirmation: OnConfirmation, limit: Limit | None = None) -> IssuedToken:
        return self._confirmed(f"{_TOKEN_PATH}/move", token, on_confirmation, limit)

    def revoke(self, token: str, limit: Limit | None = None) -> None:
        response = self._send(self._request("DELETE", _TOKEN_PATH, token), Limit(self._timeout, limit))
        require_success(response)
        if response.status != 204:
            parse_body(response, lambda body: body)

    def _confirmed(
        self, path: str, secret: str, on_confirmation: OnConfirmation, limit: Limit | None = None
    ) -> IssuedToken:
        request = self._request("POST", path, secret)
        longest = Limit(self._timeout + CONFIRMATION_SECONDS, limit)
        response = confirmed(self._send, request, longest, on_confirmation, self._wait)
        return parse_body(response, issued_token_from)

    def _request(self, method: str, path: str, secret: str, form: Mapping[str, str] | None = None) -> Request:
        text = checked_token(secret)
        return Requests(self._base_url, lambda: text).write(method, path, form)


def _is_worth_repeating(status: int) -> bool:
    return status == 429 or status >= 500


def enrol(
    base_url: str,
    invitation: str,
    *,
    on_confirmation: OnConfirmation,
    retry: RetryOptions = RetryOptions(),
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
) -> IssuedToken:
    """Redeems an invitation. The token is created for this machine, and nobody else sees it.

    If the invitation names no address, an admin must confirm the address that the service sees. The admin compares its
    code and has 15 minutes. ``on_confirmation`` receives each new code. Raises ApiFailure if the invitation is
    rejected, or with the code ``not_confirmed``.

    >>> issued = enrol("https://integration.example.com", invitation, on_confirmation=print)
    >>> client = IntegrationClient("https://integration.example.com", issued.token)
    """
    calls = TokenCalls(base_url, create_transport(timeout), retry, timeout)
    return calls.redeem(invitation, on_confirmation)
