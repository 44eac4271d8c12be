"""The calls that revoke a token or create a new one. Each is authenticated by a given secret."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from .errors import ApiFailure, parse_body, request_id_of, require_success
from .limit import CONFIRMATION_SECONDS, DEFAULT_TIMEOUT_SECONDS, Limit, run_within
from .requests import Requests, checked_token
from .results import Confirmation, IssuedToken, confirmation_from, issued_token_from
from .retry import RetryOptions, retry_after_seconds, retrying, service_time
from .transport import Request, Response, Send, create_transport

OnConfirmation: TypeAlias = Callable[[Confirmation], object]

_TOKEN_PATH = "/api/v1/token"

_POLL_SECONDS = 5.0

_JWT_GRANT = {
    "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
    "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
}


class OwnToken(ABC):
    """A client's token."""

    @abstractmethod
    def value(self) -> str: ...

    @abstractmethod
    def send(self, request: Request, limit: Limit) -> Response: ...

    @abstractmethod
    def revoke(self) -> None: ...

    def rotate(self, grace_seconds: int) -> IssuedToken:
        raise TypeError("This client gets new tokens by itself.")

    def move(self, on_confirmation: OnConfirmation) -> IssuedToken:
        raise TypeError("This client gets new tokens by itself.")


class TokenCalls:
    """The calls that revoke a token or create a new one."""

    def __init__(self, base_url: str, transport: Send, retry: RetryOptions, timeout: float) -> None:
        self._base_url = base_url
        self._timeout = timeout
        self._wait = retry.wait
        self._send = retrying(transport, retry, is_for_token=True)

    def redeem(self, invitation: str, on_confirmation: OnConfirmation) -> IssuedToken:
        return self._confirmed(_TOKEN_PATH, invitation, on_confirmation)

    def exchange(self, jwt: str, limit: Limit) -> tuple[IssuedToken, float]:
        """Returns a token for a workload's JWT, and the time on the service's clock."""
        request = self._request("POST", f"{_TOKEN_PATH}/exchange", "-", {**_JWT_GRANT, "subject_token": jwt})
        headers = {name: value for name, value in request.headers.items() if name != "X-Token"}
        response = self._sent(replace(request, headers=headers), limit)
        return parse_body(response, issued_token_from), service_time(response)

    def rotate(self, token: str, grace_seconds: int, limit: Limit | None = None) -> IssuedToken:
        request = self._request("POST", f"{_TOKEN_PATH}/rotation", token, {"grace_seconds": str(grace_seconds)})
        return parse_body(self._sent(request, Limit(self._timeout, limit)), issued_token_from)

    def move(self, token: str, on_confirmation: OnConfirmation, limit: Limit | None = None) -> IssuedToken:
        return self._confirmed(f"{_TOKEN_PATH}/move", token, on_confirmation, limit)

    def revoke(self, token: str, limit: Limit | None = None) -> None:
        response = self._sent(self._request("DELETE", _TOKEN_PATH, token), Limit(self._timeout, limit))
        if response.status != 204:
            parse_body(response, lambda body: body)

    def _confirmed(
        self, path: str, secret: str, on_confirmation: OnConfirmation, outer: Limit | None = None
    ) -> IssuedToken:
        """Repeats a call until an admin has confirmed it.

        Raises ApiFailure if the call is rejected, or with the code ``not_confirmed`` if the request has expired.
        """
        request = self._request("POST", path, secret)
        limit = Limit(self._timeout + CONFIRMATION_SECONDS, outer)
        told = None
        while True:
            response = self._sent(request, limit)
            if response.status != 202:
                return parse_body(response, issued_token_from)
            confirmation = parse_body(response, confirmation_from)
            if confirmation.code != told:
                run_within(limit, partial(on_confirmation, confirmation))
            told = confirmation.code

            wait_seconds = max(_POLL_SECONDS, retry_after_seconds(response))
            if wait_seconds >= confirmation.expires_at.timestamp() - service_time(response):
                who = f"the code {confirmation.code} for {confirmation.ip}"
                message = f"No admin confirmed {who} in time. Repeat the call for a new code."
                raise ApiFailure(202, "not_confirmed", message, request_id_of(response))
            limit.remaining()
            self._wait(wait_seconds)

    def _sent(self, request: Request, limit: Limit) -> Response:
        response = self._send(request, limit)
        require_success(response)
        return response

    def _request(self, method: str, path: str, secret: str, form: Mapping[str, str] | None = None) -> Request:
        text = checked_token(secret)
        return Requests(self._base_url, lambda: text).create(method, path, form=form)


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
