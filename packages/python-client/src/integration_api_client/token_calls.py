"""The calls that end a token or make a new one. Each is made with a secret of its own."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from .confirmation import confirmed
from .errors import parse_body, require_success
from .requests import Requests, checked_token
from .results import Confirmation, IssuedToken, issued_token_from
from .retry import RetryOptions, retrying
from .transport import Request, Send

OnConfirmation: TypeAlias = Callable[[Confirmation], object]

_TOKEN_PATH = "/api/v1/token"

_LIMIT_SECONDS = 60.0
"""A token's limit starts again after this time, so a call that was refused because of it can wait that long."""


class OwnToken(ABC):
    """The token of a client."""

    @abstractmethod
    def text(self) -> str: ...

    @abstractmethod
    def rotate(self, grace_seconds: int) -> IssuedToken: ...

    @abstractmethod
    def move(self, on_confirmation: OnConfirmation, poll_seconds: float) -> IssuedToken: ...

    @abstractmethod
    def revoke(self) -> None: ...


class TokenCalls:
    """These calls are also repeated if their response is lost: the service then returns the same token again."""

    def __init__(self, base_url: str, transport: Send, retry: RetryOptions) -> None:
        patient = replace(retry, maximum_wait_seconds=max(retry.maximum_wait_seconds, _LIMIT_SECONDS))
        self._base_url = base_url
        self._wait = retry.wait
        self._send = retrying(transport, patient, is_worth_repeating=_is_worth_repeating, after_lost_answers=True)

    def redeem(self, invitation: str, on_confirmation: OnConfirmation, poll_seconds: float) -> IssuedToken:
        request = self._request("POST", _TOKEN_PATH, invitation)
        return self._confirmed(request, on_confirmation, poll_seconds)

    def rotate(self, token: str, grace_seconds: int) -> IssuedToken:
        request = self._request("POST", f"{_TOKEN_PATH}/rotation", token, {"grace_seconds": str(grace_seconds)})
        response = self._send(request)
        require_success(response)
        return parse_body(response, issued_token_from)

    def move(self, token: str, on_confirmation: OnConfirmation, poll_seconds: float) -> IssuedToken:
        request = self._request("POST", f"{_TOKEN_PATH}/move", token)
        return self._confirmed(request, on_confirmation, poll_seconds)

    def revoke(self, token: str) -> None:
        response = self._send(self._request("DELETE", _TOKEN_PATH, token))
        require_success(response)
        if response.status != 204:
            parse_body(response, lambda body: body)

    def _confirmed(self, request: Request, on_confirmation: OnConfirmation, poll_seconds: float) -> IssuedToken:
        response = confirmed(self._send, request, on_confirmation, poll_seconds, self._wait)
        return parse_body(response, issued_token_from)

    def _request(self, method: str, path: str, secret: str, form: Mapping[str, str] | None = None) -> Request:
        text = checked_token(secret)
        return Requests(self._base_url, lambda: text).write(method, path, form)


def _is_worth_repeating(status: int) -> bool:
    return status == 429 or status >= 500
