"""The client and its calls."""

from __future__ import annotations

from typing import cast

from .expiry import Announcer, OnTokenExpiring, warn_of_expiry
from .limit import DEFAULT_TIMEOUT_SECONDS, Limit
from .operations import Operations
from .requests import checked_token
from .results import IssuedToken, Token, token_from
from .retry import RetryOptions, retrying
from .token_calls import OnConfirmation, OwnToken, TokenCalls
from .transport import Request, Response, create_transport


class IntegrationClient(Operations):
    """A client for the Integration API. Threads may share it.

    Calls raise ValidationFailed for ``422``, PreconditionFailed for ``412`` and ApiFailure for every other unsuccessful
    response. If there is no response, they raise OSError. An id that can't be part of a path also raises
    ValidationFailed, and nothing is sent.

    >>> client = IntegrationClient("https://integration.example.com", token)
    >>> client.get_token()
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        retry: RetryOptions = RetryOptions(),
        on_token_expiring: OnTokenExpiring = warn_of_expiry,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
    ) -> None:
        """
        :param base_url: the service's address, without ``/api``
        :param token: an access token issued for this machine's address
        :param retry: what to do when the service is busy
        :param on_token_expiring: called once for each token and expiry date when the token expires within 30 days; by
            default, issues a TokenExpiringWarning
        :param timeout: the timeout of a call in seconds, including its retries; a call that takes longer raises
            TimeoutError; waiting for an admin's confirmation may take another 15 minutes
        """
        self._set_up(base_url, _TokenInMemory(base_url, token, retry, on_token_expiring, timeout), timeout)

    def get_token(self) -> Token:
        """Returns the service's information about this client's token. A good first call."""
        return cast(Token, self._call("GET", "/api/v1/token", token_from))

    def rotate(self, *, grace_seconds: int) -> IssuedToken:
        """Replaces the token with a successor for the same address.

        The old token keeps working for ``grace_seconds``, from 0 to 604800. This client uses the successor immediately.
        Store the successor's value.
        """
        return self._token.rotate(grace_seconds)

    def move(self, *, on_confirmation: OnConfirmation) -> IssuedToken:
        """Asks an admin to confirm that this client has moved to the address that it calls from, and waits.

        ``on_confirmation`` receives each new code. Then the old token ends and this client uses its successor. Store
        the successor's value. Raises ApiFailure with the code ``not_confirmed`` if the request has expired.
        """
        return self._token.move(on_confirmation)

    def revoke(self) -> None:
        """Revokes the token. This works from any address and can't be undone."""
        self._token.revoke()


class OpenedClient(IntegrationClient):
    """A client that gets new tokens automatically."""

    def __init__(self, base_url: str, token: OwnToken, timeout: float) -> None:
        self._set_up(base_url, token, timeout)


class _TokenInMemory(OwnToken):
    """A client's token, kept only as long as the client exists."""

    def __init__(
        self, base_url: str, token: str, retry: RetryOptions, on_token_expiring: OnTokenExpiring, timeout: float
    ) -> None:
        self._value = checked_token(token)
        self._transport = create_transport(timeout)
        self._send_retrying = retrying(self._send, retry)
        self._calls = TokenCalls(base_url, self._transport, retry, timeout)
        self._announcer = Announcer(on_token_expiring)

    def value(self) -> str:
        return self._value

    def send(self, request: Request, limit: Limit) -> Response:
        return self._send_retrying(request, limit)

    def rotate(self, grace_seconds: int) -> IssuedToken:
        return self._replace_by(self._calls.rotate(self._value, grace_seconds))

    def move(self, on_confirmation: OnConfirmation) -> IssuedToken:
        return self._replace_by(self._calls.move(self._value, on_confirmation))

    def revoke(self) -> None:
        self._calls.revoke(self._value)

    def _send(self, request: Request, limit: Limit) -> Response:
        response = self._transport(request, limit)
        used = request.headers["X-Token"]
        # If the token has been replaced meanwhile, its expiry no longer matters.
        if used == self._value:
            self._announcer.announce(response, used)
        return response

    def _replace_by(self, issued: IssuedToken) -> IssuedToken:
        self._value = issued.token
        return issued
