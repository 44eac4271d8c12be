"""A client that exchanges the JWT of its platform for tokens."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from threading import Lock
from typing import TypeAlias
from urllib.parse import quote

from .client import IntegrationClient, OpenedClient
from .errors import ApiFailure
from .kept_token import refusal_in, with_token
from .results import IssuedToken
from .retry import RetryOptions, retrying
from .token_calls import OnConfirmation, OwnToken, TokenCalls
from .transport import Request, Response, Send, create_transport

_logger = logging.getLogger("integration_api_client")

GetJwt: TypeAlias = Callable[[str], str]
"""Gets a JWT of the platform for an audience: each time a new one, if the platform has one."""

_REMEDIABLE = ("token_expired", "token_revoked", "token_invalid", "ip_not_allowed")
"""The refusals of a call that a new token may help against."""

_NEVER = datetime(9999, 12, 31, tzinfo=timezone.utc)


def github_actions_jwt(*, timeout: float = 60.0) -> GetJwt:
    """The JWT of a job in GitHub Actions, whose workflow must have the permission ``id-token: write``."""

    def get(audience: str) -> str:
        address = os.environ.get("ACTIONS_ID_TOKEN_REQUEST_URL")
        token = os.environ.get("ACTIONS_ID_TOKEN_REQUEST_TOKEN")
        if not address or not token:
            raise ValueError("GitHub gives this job no JWT. Add this to its workflow: permissions: id-token: write")
        url = f"{address}&audience={quote(audience, safe='')}"
        response = create_transport(timeout)(Request("GET", url, {"Authorization": f"Bearer {token}"}))
        try:
            return str(json.loads(response.body)["value"])
        except (ValueError, LookupError, TypeError):
            problem = f"GitHub responded with {response.status} and without a JWT."
        # Not in the handler: the error of the parser contains the whole text.
        raise RuntimeError(problem)

    return get


def jwt_file(path: str | os.PathLike[str]) -> GetJwt:
    """A JWT in a file, which is read each time, because the platform replaces it: a service account token of Kubernetes."""
    return lambda _: Path(path).read_text("utf-8", "replace")


def jwt_variable(name: str) -> GetJwt:
    """A JWT in a variable of the environment: one of the ``id_tokens`` of GitLab."""

    def get(_: str) -> str:
        jwt = os.environ.get(name)
        if not jwt:
            raise ValueError(f"There is no JWT in the variable {name}.")
        return jwt

    return get


@dataclass
class _Held:
    """A token in memory, and when to renew it and when it ends, by ``time.monotonic()``."""

    token: IssuedToken
    renew_at: float
    ends_at: float


class _WorkloadToken(OwnToken):
    """The token of a workload. Threads may share it."""

    def __init__(
        self,
        get_jwt: Callable[[], str],
        transport: Send,
        calls: TokenCalls,
        hasty_calls: TokenCalls,
        on_problem: Callable[[Exception], object],
    ) -> None:
        self._get_jwt = get_jwt
        self._transport = transport
        self._calls = calls
        self._hasty_calls = hasty_calls
        self._on_problem = on_problem
        self._held: _Held | None = None
        self._lock = Lock()

    def text(self) -> str:
        # The token is set when a request is sent.
        return ""

    def send(self, request: Request) -> Response:
        """Sends a request. If its token is refused, sends the request again with a new one."""
        used = self._current()
        response = self._transport(with_token(request, used.token))
        if refusal_in(response) not in _REMEDIABLE:
            return response
        return self._transport(with_token(request, self._current(refused=used).token))

    def rotate(self, grace_seconds: int) -> IssuedToken:
        raise TypeError("The token of a workload is not rotated: the client gets a new one in time.")

    def move(self, on_confirmation: OnConfirmation, poll_seconds: float) -> IssuedToken:
        raise TypeError("The token of a workload is not moved: the client gets one for its new address.")

    def revoke(self) -> None:
        with self._lock:
            if self._held is not None:
                self._calls.revoke(self._held.token.token)
            self._held = None

    def _current(self, refused: _Held | None = None) -> _Held:
        """The token for a call. As long as the old one works, it need not be renewed at the first attempt."""
        with self._lock:
            held, now = self._held, time.monotonic()
            if held is None or held is refused or now >= held.ends_at:
                held = self._renewed(self._calls)
            elif now >= held.renew_at:
                try:
                    held = self._renewed(self._hasty_calls)
                except Exception as error:
                    held.renew_at = (time.monotonic() + held.ends_at) / 2
                    self._on_problem(error)
            self._held = held
            return held

    def _renewed(self, calls: TokenCalls) -> _Held:
        try:
            return self._exchanged(calls)
        except ApiFailure as failure:
            if failure.code != "jwt_used":
                raise
        return self._exchanged(calls)

    def _exchanged(self, calls: TokenCalls) -> _Held:
        token, service_time = calls.exchange(self._get_jwt().strip())
        end = (token.expires_at or _NEVER).timestamp()
        ends_at = time.monotonic() + end - service_time
        return _Held(token, ends_at - (end - token.issued_at.timestamp()) / 3, ends_at)


def _log(problem: Exception) -> None:
    _logger.warning("The token was not renewed: %s", problem)


def open_workload_client(
    base_url: str,
    jwt: GetJwt,
    *,
    on_problem: Callable[[Exception], object] = _log,
    retry: RetryOptions = RetryOptions(),
    timeout: float = 60.0,
) -> IntegrationClient:
    """A client that exchanges the JWT of its platform for a token, which it keeps in memory.

    When a third of the token's lifetime is left, or if it is refused, the client gets another JWT and another token, and
    makes a refused call once more. ``revoke`` ends the present token; another call would get a new one. ``rotate`` and
    ``move`` raise TypeError.

    :param jwt: gets a JWT: ``github_actions_jwt()``, ``jwt_file(path)``, ``jwt_variable(name)``, or a function of your own
    :param on_problem: gets the reason if the token cannot be renewed early; the client keeps its token

    >>> client = open_workload_client("https://integration.example.com", github_actions_jwt())
    >>> client.get_token()
    """
    transport = create_transport(timeout)
    calls = TokenCalls(base_url, transport, retry)
    hasty_calls = TokenCalls(base_url, transport, replace(retry, attempts=1))
    token = _WorkloadToken(lambda: jwt(base_url.rstrip("/")), transport, calls, hasty_calls, on_problem)
    return OpenedClient(base_url, retrying(token.send, retry), token)
