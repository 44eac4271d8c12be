"""Redeems an invitation."""

from __future__ import annotations

from .results import IssuedToken
from .retry import RetryOptions
from .token_calls import OnConfirmation, TokenCalls
from .transport import create_transport


def enrol(
    base_url: str,
    invitation: str,
    *,
    on_confirmation: OnConfirmation,
    poll_seconds: float = 5.0,
    retry: RetryOptions = RetryOptions(),
    timeout: float = 60.0,
) -> IssuedToken:
    """Redeems an invitation: the token is made for this machine, and nobody else sees it.

    If the invitation names no address, an admin has to confirm the one that the service sees, by its code and within 15
    minutes. ``on_confirmation`` gets each new code, and ``poll_seconds`` is how often to ask whether it has been
    confirmed. Raises ApiFailure if the invitation is refused, or with the code ``not_confirmed``.

    >>> issued = enrol("https://integration.example.com", invitation, on_confirmation=print)
    >>> client = IntegrationClient("https://integration.example.com", issued.token)
    """
    return TokenCalls(base_url, create_transport(timeout), retry).redeem(invitation, on_confirmation, poll_seconds)
