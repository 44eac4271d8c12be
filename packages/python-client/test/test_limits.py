from __future__ import annotations

import os
import socket
import unittest
from collections.abc import Callable
from email.message import Message
from threading import Event
from unittest.mock import patch

from integration_api_client import IntegrationClient, RetryOptions
from integration_api_client.limit import Limit
from integration_api_client.token_calls import TokenCalls
from integration_api_client.transport import Request, Response, create_transport
from scripted_service import json_answer, scripted_service

CALLS: dict[str, Callable[[IntegrationClient], object]] = {
    "create_key": lambda client: client.create_key("1", "v"),
    "get_key": lambda client: client.get_key("1"),
    "replace_key": lambda client: client.replace_key("1", "v"),
    "delete_key": lambda client: client.delete_key("1"),
    "keys": lambda client: list(client.keys()),
    "pages": lambda client: list(client.pages()),
    "changes": lambda client: list(client.changes()),
    "get_token": lambda client: client.get_token(),
    "rotate": lambda client: client.rotate(grace_seconds=0),
    "move": lambda client: client.move(on_confirmation=print),
    "revoke": lambda client: client.revoke(),
}


@patch.dict(os.environ, clear=True)
class EveryOperation(unittest.TestCase):
    def test_gives_its_last_attempt_only_the_time_that_is_left(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}"
            with self.assertRaisesRegex(TimeoutError, "within 0.2 seconds|^timed out"):
                create_transport(600.0)(Request("GET", url, {}), Limit(0.2))

    def test_has_a_time_limit_of_two_minutes_by_default(self) -> None:
        asked: list[float] = []

        def send(limit: Limit) -> None:
            asked.append(limit.remaining())
            raise ConnectionRefusedError

        with patch("integration_api_client.transport.run_within", lambda limit, _: send(limit)):
            for name, call in CALLS.items():
                with self.subTest(name), self.assertRaises(ConnectionRefusedError):
                    call(IntegrationClient("http://127.0.0.1:1", "itk_1", retry=RetryOptions(attempts=1)))
        self.assertEqual([round(seconds, -1) for seconds in asked], [120] * len(CALLS))
        self.assertEqual(set(CALLS), {name for name in dir(IntegrationClient) if not name.startswith("_")})


@patch.dict(os.environ, clear=True)
class TheEndOfAProgram(unittest.TestCase):
    def test_allows_calls_although_python_starts_no_more_threads(self) -> None:
        refusal = RuntimeError("can't create new thread at interpreter shutdown")
        with scripted_service(json_answer([])) as service, patch("integration_api_client.limit.Thread") as thread:
            thread.return_value.start.side_effect = refusal
            self.assertEqual(list(IntegrationClient(service.base_url, "itk_1").keys()), [])


class ACallbackThatNeverReturns(unittest.TestCase):
    def test_does_not_keep_its_call_from_timing_out(self) -> None:
        body = {"ip": "127.0.0.1", "code": "K7P-4XQ", "expires_at": "2099-01-01T00:00:00Z"}
        headers = Message()
        headers["Content-Type"] = "application/json"
        response = Response(202, headers, json_answer(body).body)
        calls = TokenCalls("http://127.0.0.1:1", lambda *_: response, RetryOptions(), 60.0)
        with self.assertRaises(TimeoutError):
            calls.move("itk_1", lambda _: Event().wait(), Limit(0.2))
