"""Makes the calls of the contract suite with the Python client.

It reads a JSON command per line and writes a JSON outcome per line.
"""

from __future__ import annotations

import copy
import errno
import json
import logging
import math
import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from types import FrameType
from typing import Any

from integration_api_client import (
    ApiFailure,
    Confirmation,
    IntegrationClient,
    IssuedToken,
    Key,
    Retry,
    RetryOptions,
    TokenExpiring,
    TokenFileError,
    ValidationFailed,
    enrol,
    open_kept_client,
)

clients: dict[str, IntegrationClient] = {}
connections: dict[str, dict[str, Any]] = {}
kept: dict[str, Any] = {}
retries: list[dict[str, object]] = []
notes: dict[str, Any] = {}
is_retrying = False

TOKEN_CALLS = ("enrol", "rotate", "move", "revoke", "open_kept")
UNUSABLE = (errno.ENOENT, errno.EACCES, errno.ENOSPC, errno.ENOTDIR)


def note_retry(retry: Retry) -> None:
    global is_retrying
    is_retrying = True
    retries.append({"status": retry.status, "attempt": retry.attempt, "milliseconds": retry.wait_seconds * 1000})


def wait(seconds: float) -> None:
    global is_retrying
    if not is_retrying:
        note("waits", seconds * 1000)
    is_retrying = False
    time.sleep(seconds / 1000)


def note(name: str, value: Any) -> None:
    notes.setdefault(name, []).append(value)


def note_confirmation(confirmation: Confirmation) -> None:
    note("confirmations", asdict(confirmation))


def note_replaced(token: IssuedToken) -> None:
    note("replaced", token.token_id)


def note_problem(error: Exception) -> None:
    note("problems", failure_of(error))


def note_expiring(expiring: TokenExpiring) -> None:
    note("expiring", asdict(expiring))


def fail(_: TokenExpiring) -> None:
    raise RuntimeError("The mail was not sent.")


REACTIONS = {"noting": note_expiring, "failing": fail}


def note_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    note("warnings", f"{type(message).__name__}: {message}")


class NotingHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        note("warnings", logging.Formatter().format(record))


# The filter of Python would show a warning only once, whoever gave it.
warnings.simplefilter("always")
warnings.showwarning = note_warning
logging.getLogger("integration_api_client").addHandler(NotingHandler())


def open_client(command: dict[str, Any]) -> None:
    options = command.get("retry", {})
    retry = RetryOptions(
        attempts=options.get("attempts", 4),
        maximum_wait_seconds=options.get("maximum_wait_milliseconds", 30_000) / 1000,
        on_retry=note_retry,
        wait=wait,
    )
    timeout = command.get("timeout_milliseconds", 60_000) / 1000
    connections[command["client"]] = {"base_url": command["base_url"], "retry": retry, "timeout": timeout}
    reaction: dict[str, Any] = {name: REACTIONS[command[name]] for name in ("on_token_expiring",) if name in command}
    clients[command["client"]] = IntegrationClient(
        token=command["token"], **connections[command["client"]], **reaction
    )


def open_kept(command: dict[str, Any]) -> None:
    names = ("invitation", "may_move", "grace_seconds")
    given: dict[str, Any] = {name: command[name] for name in names if name in command}
    if "maximum_age_days" in command:
        given["maximum_age_days"] = math.inf if command["maximum_age_days"] is None else command["maximum_age_days"]
    clients[command["client"]] = open_kept_client(
        file=command["file"],
        on_confirmation=note_confirmation,
        on_token_expiring=note_expiring,
        on_replaced=note_replaced,
        on_problem=note_problem,
        **poll_seconds(command),
        **given,
        **connections[command["client"]],
    )


def poll_seconds(command: dict[str, Any]) -> dict[str, Any]:
    return {"poll_seconds": command["poll_milliseconds"] / 1000} if "poll_milliseconds" in command else {}


def break_files(step: str) -> None:
    """Lets the next use of a file fail at this step, as on a full disk."""
    name = {"write": "pwrite", "sync": "fsync", "rename": "replace"}[step]
    original: Callable[..., object] = getattr(os, name)

    def broken(*_: object) -> object:
        setattr(os, name, original)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    setattr(os, name, broken)


EFFECTS = ("open", "replace", "unlink", "connect")
LOOKS = ("stat", "lstat", "listdir", "scandir")


def pause_at(before: int, until: str, only_effects: bool = False) -> None:
    """Pauses this program before one of its next steps with files or the network, until the named pipe is opened to write."""
    left = before
    steps = EFFECTS if only_effects else EFFECTS + LOOKS

    def count(_: FrameType, event: str, function: Any) -> None:
        nonlocal left
        if event != "c_call" or function.__name__ not in steps:
            return
        left -= 1
        if left == 0:
            print('{"paused":true}', flush=True)
            os.close(os.open(until, os.O_RDONLY))

    sys.setprofile(count)


def condition(command: dict[str, Any]) -> dict[str, Key]:
    match command:
        case {"if_unchanged": name}:
            return {"if_unchanged": kept[name]}
        case {"if_unchanged_copy_of": name}:
            return {"if_unchanged": copy.copy(kept[name])}
        case {"if_unchanged_item_of": name}:
            return {"if_unchanged": kept[name][0][0]}
    return {}


def pages(client: IntegrationClient, command: dict[str, Any]) -> list[list[Key]]:
    found = []
    for page in client.pages(limit=command.get("limit")):
        found.append(page)
        if len(found) == command.get("take"):
            break
    return found


def run(command: dict[str, Any]) -> Any:
    if command["call"] == "open":
        return open_client(command)
    if command["call"] == "break":
        return break_files(command["step"])
    if command["call"] == "pause":
        return pause_at(command["before"], command["until"], command.get("only_effects", False))
    if command["call"] == "open_kept":
        return open_kept(command)
    client = clients[command["client"]]
    match command["call"]:
        case "enrol":
            return enrol(
                invitation=command["invitation"],
                on_confirmation=note_confirmation,
                **poll_seconds(command),
                **connections[command["client"]],
            )
        case "rotate":
            return client.rotate(grace_seconds=command["grace_seconds"])
        case "move":
            return client.move(on_confirmation=note_confirmation, **poll_seconds(command))
        case "revoke":
            return client.revoke()
        case "get_token":
            return client.get_token()
        case "create_key":
            return client.create_key(command["key_id"], command["v_code"])
        case "get_key":
            return client.get_key(command["key_id"])
        case "replace_key":
            return client.replace_key(command["key_id"], command["v_code"], **condition(command))
        case "delete_key":
            return client.delete_key(command["key_id"], **condition(command))
        case "pages":
            return pages(client, command)
    raise NotImplementedError(command["call"])


def failure_of(error: Exception) -> dict[str, object]:
    match error:
        case ApiFailure():
            fields = {"fields": error.fields} if isinstance(error, ValidationFailed) else {}
            return {
                "kind": type(error).__name__,
                "status": error.status,
                "code": error.code,
                "message": str(error),
                "request_id": error.request_id,
                **fields,
            }
        case TokenFileError():
            return {"kind": type(error).__name__, "message": str(error)}
        case OSError() if error.errno in UNUSABLE:
            return {"kind": "system"}
        case TimeoutError():
            return {"kind": "timeout"}
        case OSError():
            return {"kind": "no response"}
        case TypeError() | ValueError():
            return {"kind": "misuse", "message": str(error)}
    return {"kind": "unexpected", "message": repr(error)}


def plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return asdict(value)


def shown_in_full(client: str, result: object) -> str:
    """The text that a log would show: the client, and the result or the failure."""
    if isinstance(result, Exception):
        return "".join(traceback.format_exception(result)) + repr(vars(result))
    return repr((clients.get(client), result))


for line in sys.stdin:
    command = json.loads(line)
    retries.clear()
    notes.clear()
    try:
        value = run(command)
        kept[command.get("keep", "")] = value
        outcome = {"value": value}
    except Exception as error:
        value = error
        outcome = {"failure": failure_of(error)}
    if command["call"] in TOKEN_CALLS:
        notes["shown"] = shown_in_full(command["client"], value)
    if notes:
        outcome["notes"] = notes
    print(json.dumps({**outcome, "retries": retries}, default=plain), flush=True)
