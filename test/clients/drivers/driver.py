"""Makes the calls of the contract suite with the Python client.

It reads a JSON command per line and writes a JSON outcome per line.
"""

from __future__ import annotations

import copy
import json
import sys
from dataclasses import asdict
from datetime import datetime
from typing import Any

from integration_api_client import ApiFailure, IntegrationClient, Key, Retry, RetryOptions, ValidationFailed

clients: dict[str, IntegrationClient] = {}
kept: dict[str, Any] = {}
retries: list[dict[str, object]] = []


def note_retry(retry: Retry) -> None:
    retries.append({"status": retry.status, "attempt": retry.attempt, "milliseconds": retry.wait_seconds * 1000})


def open_client(command: dict[str, Any]) -> None:
    options = command.get("retry", {})
    retry = RetryOptions(
        attempts=options.get("attempts", 4),
        maximum_wait_seconds=options.get("maximum_wait_milliseconds", 30_000) / 1000,
        on_retry=note_retry,
        wait=lambda seconds: None,
    )
    timeout = command.get("timeout_milliseconds", 60_000) / 1000
    clients[command["client"]] = IntegrationClient(command["base_url"], command["token"], retry=retry, timeout=timeout)


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
    client = clients[command["client"]]
    match command["call"]:
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


for line in sys.stdin:
    command = json.loads(line)
    retries.clear()
    try:
        value = run(command)
        kept[command.get("keep", "")] = value
        outcome = {"value": value}
    except Exception as error:
        outcome = {"failure": failure_of(error)}
    print(json.dumps({**outcome, "retries": retries}, default=plain), flush=True)
