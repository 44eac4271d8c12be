"""A client for the Integration API."""

from .calls import ResponseHead
from .changes import DeletedKey, KeyChanges
from .client import IntegrationClient
from .error_codes import ErrorCode
from .errors import ApiFailure, CursorExpired, PreconditionFailed, ValidationFailed
from .expiry import TokenExpiring, TokenExpiringWarning
from .keeper import open_kept_client
from .keys import Key
from .reads import UNCONDITIONAL
from .results import Confirmation, Expiring, IssuedToken, Token
from .retry import Retry, RetryOptions
from .token_calls import enrol
from .token_file import TokenFileError
from .workload import github_actions_jwt, jwt_file, jwt_variable, open_workload_client

__all__ = [
    "UNCONDITIONAL",
    "ApiFailure",
    "Confirmation",
    "CursorExpired",
    "DeletedKey",
    "ErrorCode",
    "Expiring",
    "IntegrationClient",
    "IssuedToken",
    "Key",
    "KeyChanges",
    "PreconditionFailed",
    "ResponseHead",
    "Retry",
    "RetryOptions",
    "Token",
    "TokenExpiring",
    "TokenExpiringWarning",
    "TokenFileError",
    "ValidationFailed",
    "enrol",
    "github_actions_jwt",
    "jwt_file",
    "jwt_variable",
    "open_kept_client",
    "open_workload_client",
]
