"""A client that exchanges the JWT of its platform for tokens."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TypeAlias
from urllib.parse import quote

from .client import IntegrationClient, OpenedClient
from .errors import ApiFailure
from .kept_token import refusal_in, with_token
from .results import IssuedToken
from .retry import RetryOptions, retrying
from .token_calls import OwnToken, TokenCalls
from .transport import Request, Response, create_transport

# Gets a JWT of the platform for an audience: each time a new one, if there is one.
GetJwt: TypeAlias = Callable[[str], str]

# The refusals of a call that a new token may help against.
_REMEDIABLE = ("token_expired", "token_revoked", "token_invalid", "ip_not_allowed")


def github_actions_jwt(*, timeout: float = 60.0) -> GetJwt:
    """The JWT of a job in GitHub Actions, whose workflow must have the permission ``id-token: write``."""

    def get(audience: str) -> str:
        advice = "Give the job permission to get JWTs, in its workflow: permissions: id-token: write"
        url = f"{_variable('ACTIONS_ID_TOKEN_REQUEST_URL', advice)}&audience={quote(audience, safe='')}"
        headers = {"Authorization": f"Bearer {_variable('ACTIONS_ID_TOKEN_REQUEST_TOKEN', advice)}"}
        response = create_transport(timeout)(Request("GET", url, headers))
        try:
            return str(json.loads(response.body)["value"])
        except (ValueError, LookupError, TypeError):
            problem = f"GitHub responded with {response.status} and without a JWT."
        # Not in the handler: the error of the parser contains the whole text.
        raise RuntimeError(problem)

    return get


def jwt_file(path: str | os.PathLike[str]) -> GetJwt:
    """A JWT in a file, which is read each time, because the platform replaces it: such as a projected token of Kubernetes."""
    return lambda _: Path(path).read_text("utf-8", "replace")


def jwt_variable(name: str) -> GetJwt:
    """A JWT in a variable of the environment: one of the ``id_tokens`` of GitLab."""
    return lambda _: _variable(name, "The platform puts the JWT there.")


def _variable(name: str, advice: str) -> str:
    if not (value := os.environ.get(name)):
        raise ValueError(f"The variable {name} is not set. {advice}")
    return value


class _WorkloadToken(OwnToken):
    """The token of a workload. Threads may share it."""

    def __init__(self, base_url: str, jwt: GetJwt, retry: RetryOptions, timeout: float) -> None:
        self._get_jwt: Callable[[], str] = lambda: jwt(base_url.rstrip("/")).strip()
        self._transport = create_transport(timeout)
        self._calls = TokenCalls(base_url, self._transport, retry)
        self._hasty_calls = TokenCalls(base_url, self._transport, replace(retry, attempts=1))
        self._token: IssuedToken | None = None
        # By time.monotonic().
        self._renew_at = self._ends_at = 0.0
        self._lock = Lock()

    def text(self) -> str:
        return "-"

    def send(self, request: Request) -> Response:
        used = self._current()
        response = self._transport(with_token(request, used))
        if refusal_in(response) not in _REMEDIABLE:
            return response
        return self._transport(with_token(request, self._current(refused=used)))

    def revoke(self) -> None:
        with self._lock:
            if self._token is not None:
                self._calls.revoke(self._token.token)
            self._token = None

    def _current(self, refused: IssuedToken | None = None) -> IssuedToken:
        with self._lock:
            now, old = time.monotonic(), self._token
            if old is None or old is refused or now >= self._ends_at:
                return self._renew(self._calls)
            if now < self._renew_at:
                return old
            # A failure can wait, because the old token works. The next attempt is due when half of its time is over.
            self._renew_at = (now + self._ends_at) / 2
            try:
                return self._renew(self._hasty_calls)
            except Exception:
                return old

    def _renew(self, calls: TokenCalls) -> IssuedToken:
        try:
            token, service_time = calls.exchange(self._get_jwt())
        except ApiFailure as failure:
            if failure.code != "jwt_used":
                raise
            token, service_time = calls.exchange(self._get_jwt())
        # The service gives no workload a token without an end.
        end = (token.expires_at or token.issued_at).timestamp()
        self._ends_at = time.monotonic() + end - service_time
        self._renew_at = self._ends_at - (end - token.issued_at.timestamp()) / 3
        self._token = token
        return token


def open_workload_client(
    base_url: str, jwt: GetJwt, *, retry: RetryOptions = RetryOptions(), timeout: float = 60.0
) -> IntegrationClient:
    """A client that exchanges the JWT of its platform for a token, which it keeps in memory.

    When a third of the token's lifetime is left, or if it is refused, the client gets another JWT and another token, and
    makes a refused call once more. ``revoke`` ends the present token. ``rotate`` and ``move`` raise TypeError.

    :param jwt: ``github_actions_jwt()``, ``jwt_file(path)``, ``jwt_variable(name)``, or a function of your own
    """
    token = _WorkloadToken(base_url, jwt, retry, timeout)
    return OpenedClient(base_url, retrying(token.send, retry), token)
