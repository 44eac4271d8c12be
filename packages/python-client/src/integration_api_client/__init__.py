"""A client for the Integration API."""

from .client import IntegrationClient
from .errors import ApiFailure, PreconditionFailed, ValidationFailed
from .results import Key, Token
from .retry import Retry, RetryOptions
from .versions import UNCONDITIONAL

__all__ = [
    "UNCONDITIONAL",
    "ApiFailure",
    "IntegrationClient",
    "Key",
    "PreconditionFailed",
    "Retry",
    "RetryOptions",
    "Token",
    "ValidationFailed",
]
