"""A client for the Integration API."""

from .client import IntegrationClient
from .errors import ApiFailure, PreconditionFailed, ValidationFailed
from .expiry import TokenExpiring, TokenExpiringWarning
from .keeper import open_kept_client
from .reads import UNCONDITIONAL
from .results import Confirmation, Expiring, IssuedToken, Key, Token
from .retry import Retry, RetryOptions
from .token_calls import enrol
from .token_file import TokenFileError

__all__ = [
    "UNCONDITIONAL",
    "ApiFailure",
    "Confirmation",
    "Expiring",
    "IntegrationClient",
    "IssuedToken",
    "Key",
    "PreconditionFailed",
    "Retry",
    "RetryOptions",
    "Token",
    "TokenExpiring",
    "TokenExpiringWarning",
    "TokenFileError",
    "ValidationFailed",
    "enrol",
    "open_kept_client",
]
