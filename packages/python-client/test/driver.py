"""Makes the calls of the contract suite with the Python client.

It reads a JSON command per line and writes a JSON outcome per line.
"""

from __future__ import annotations

import copy
import errno
import itertools
import json
import logging
import math
import os
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import datetime
from functools import partial
from socket import socket
from types import FrameType, ModuleType
from typing import Any

from integration_api_client import (
    ApiFailure,
    IntegrationClient,
    Key,
    Retry,
    RetryOptions,
    TokenExpiring,
    TokenFileError,
    enrol,
    github_actions_jwt,
    jwt_file,
    jwt_variable,
    open_kept_client,
    open_workload_client,
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


def fail(_: TokenExpiring) -> None:
    raise RuntimeError("The mail was not sent.")


note_confirmation = partial(note, "confirmations")
note_expiring = partial(note, "expiring")
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


def open_client(client: str, retry: dict[str, Any] = {}, timeout_seconds: float = 120.0, **options: Any) -> None:
    retry_options = RetryOptions(**retry, on_retry=note_retry, wait=wait)
    connections[client] = {"base_url": options.pop("base_url"), "retry": retry_options, "timeout": timeout_seconds}
    if "on_token_expiring" in options:
        options["on_token_expiring"] = REACTIONS[options["on_token_expiring"]]
    clients[client] = IntegrationClient(**options, **connections[client])


def open_kept(client: str, **options: Any) -> None:
    if options.get("maximum_age_days", 0) is None:
        options["maximum_age_days"] = math.inf
    clients[client] = open_kept_client(
        on_confirmation=note_confirmation,
        on_token_expiring=note_expiring,
        on_replaced=lambda token: note("replaced", token.token_id),
        on_problem=lambda error: note("problems", failure_of(error)),
        **options,
        **connections[client],
    )


def open_workload(
    client: str, file: str = "", variable: str = "", environment: dict[str, str] = {}, is_stuck: bool = False
) -> None:
    os.environ.update(environment)
    jwt = jwt_file(file) if file else jwt_variable(variable) if variable else github_actions_jwt()
    if is_stuck:
        calls = itertools.count()
        jwt = lambda _: "eyJ1" if next(calls) else str(threading.Event().wait())
    clients[client] = open_workload_client(jwt=jwt, **connections[client])


STEPS = {
    "look": ["stat", "lstat", "listdir", "scandir"],
    "open": ["open"],
    "write": ["pwrite"],
    "sync": ["fsync"],
    "rename": ["replace"],
    "remove": ["unlink"],
    "connect": ["connect"],
}


def interrupt(before: int, steps: list[str], until: str = "") -> None:
    """Lets one of the next steps of these kinds fail, as on a full disk, or pauses until the named pipe is opened to write."""
    left = before
    names = [name for step in steps for name in STEPS[step]]

    def count(_: FrameType, event: str, function: Any) -> None:
        nonlocal left
        # Texts and times have methods of these names, too.
        is_step = isinstance(getattr(function, "__self__", None), (ModuleType, socket))
        if event != "c_call" or function.__name__ not in names or not is_step:
            return
        left -= 1
        if left == 0 and not until:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if left == 0:
            print('{"paused":true}', flush=True)
            os.close(os.open(until, os.O_RDONLY))

    # Requests are sent in threads of their own.
    threading.setprofile(count)
    sys.setprofile(count)


def kept_as(text: str) -> Any:
    match text.split(" of ", 1):
        case ["copy", name]:
            return copy.copy(kept[name])
        case ["item", name]:
            return kept[name][0][0]
    return kept.get(text)


def pages(client: IntegrationClient, limit: int | None = None, take: int | None = None) -> list[list[Key]]:
    return list(itertools.islice(client.pages(limit=limit), take))


def changes(client: IntegrationClient, take: int | None = None, **options: Any) -> list[dict[str, Any]]:
    return [vars(page) for page in itertools.islice(client.changes(**options), take)]


def run(call: str, client: str, keep: str = "", **options: Any) -> Any:
    if call == "interrupt":
        return interrupt(**options)
    if call in ("open", "open_kept", "open_workload"):
        openers: dict[str, Callable[..., None]] = {"open": open_client, "open_kept": open_kept}
        return openers.get(call, open_workload)(client, **options)
    if call == "enrol":
        return enrol(on_confirmation=note_confirmation, **options, **connections[client])
    if call == "move":
        options["on_confirmation"] = note_confirmation
    if "if_unchanged" in options:
        options["if_unchanged"] = kept_as(options["if_unchanged"])
    opened = clients[client]
    if call == "get_token_at_once":
        with ThreadPoolExecutor(8) as threads:
            return list(threads.map(lambda _: opened.get_token(), range(8)))
    iterators: dict[str, Callable[..., list[Any]]] = {"pages": pages, "changes": changes}
    value = iterators[call](opened, **options) if call in iterators else getattr(opened, call)(**options)
    kept[keep] = value
    return value


def failure_of(error: Exception) -> dict[str, object]:
    match error:
        case ApiFailure():
            return {**vars(error), "kind": type(error).__name__, "message": str(error)}
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
    parts = asdict(value)
    # A key has None for the optional fields that the service left out.
    return {name: part for name, part in parts.items() if part is not None} if isinstance(value, Key) else parts


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
        value = run(**command)
        outcome = {"value": value}
    except Exception as error:
        value = error
        outcome = {"failure": failure_of(error)}
    if command["call"] in TOKEN_CALLS:
        notes["shown"] = shown_in_full(command["client"], value)
    if notes:
        outcome["notes"] = notes
    print(json.dumps({**outcome, "retries": retries}, default=plain), flush=True)
