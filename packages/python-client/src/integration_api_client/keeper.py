"""A client that keeps its token in a file."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable

from .client import IntegrationClient, OpenedClient
from .expiry import Announcer, OnTokenExpiring, TokenExpiring
from .kept_token import KeptToken, replace_token
from .limit import CONFIRMATION_SECONDS, DEFAULT_TIMEOUT_SECONDS
from .results import Confirmation, IssuedToken
from .retry import RetryOptions, retrying
from .token_calls import OnConfirmation, TokenCalls
from .token_file import TokenFile, TokenFileError
from .transport import create_transport

_logger = logging.getLogger("integration_api_client")


def _fail_without_callback(confirmation: Confirmation) -> None:
    raise ValueError(
        f"An admin must confirm {confirmation.code} for {confirmation.ip}, but on_confirmation is not set."
    )


def _ignore(_: IssuedToken | TokenExpiring) -> None:
    """Does nothing, because the user doesn't want notifications."""


def _log(problem: Exception) -> None:
    _logger.warning("The token was not replaced: %s", problem)


def open_kept_client(
    base_url: str,
    file: str | os.PathLike[str],
    *,
    invitation: str | None = None,
    on_confirmation: OnConfirmation = _fail_without_callback,
    may_move: bool = False,
    grace_seconds: int = 86_400,
    maximum_age_days: float = 90.0,
    on_token_expiring: OnTokenExpiring = _ignore,
    on_replaced: Callable[[IssuedToken], object] = _ignore,
    on_problem: Callable[[Exception], object] = _log,
    retry: RetryOptions = RetryOptions(),
    timeout: float = DEFAULT_TIMEOUT_SECONDS,
) -> IntegrationClient:
    """Opens a client that keeps its token in a file.

    If the file doesn't exist, the client redeems an invitation. After a call, it rotates the token if only a third of
    the token's lifetime is left. Several processes may share the file. ``rotate`` and ``move`` store the successor, and
    ``revoke`` deletes the file.

    Raises TokenFileError if the file can't be trusted, or if there is neither a file nor an invitation.

    :param file: its folder must exist, and nobody else may have write access to the folder
    :param invitation: redeemed if the file doesn't exist yet
    :param on_confirmation: receives the code of an enrolment, or of a move if ``may_move`` is set
    :param may_move: whether to ask to move when a call is rejected because of its address; the call then waits, and its
        timeout is 15 minutes longer
    :param grace_seconds: how long the old token keeps working after a rotation
    :param maximum_age_days: the age at which to rotate a token that doesn't expire, or whose expiry an admin has
        brought forward; ``math.inf`` means never
    :param on_token_expiring: called once for each token and expiry date when the token expires within 30 days and no
        longer-lived successor was created
    :param on_replaced: receives each new token, for example for logging: its repr doesn't show its secret
    :param on_problem: receives the error if a rotation or a move fails; the client keeps its current token
    """
    kept = TokenFile(file)
    transport = create_transport(timeout)
    calls = TokenCalls(base_url, transport, retry, timeout)

    def redeem() -> IssuedToken:
        if invitation is None:
            raise TokenFileError(f"There is no {kept.path}, and no invitation was given.")
        return calls.redeem(invitation, on_confirmation)

    first = kept.read() or replace_token(kept, None, redeem, calls.revoke)
    token = KeptToken(
        current=first,
        file=kept,
        send_retrying=retrying(transport, retry),
        calls=calls,
        timeout=timeout,
        may_move=may_move,
        grace_seconds=grace_seconds,
        maximum_age_days=maximum_age_days,
        on_confirmation=on_confirmation,
        announcer=Announcer(on_token_expiring),
        on_replaced=on_replaced,
        on_problem=on_problem,
    )
    return OpenedClient(base_url, token, timeout + (CONFIRMATION_SECONDS if may_move else 0.0))
