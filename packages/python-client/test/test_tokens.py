from __future__ import annotations

import json
import os
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from unittest.mock import Mock, patch

from integration_api_client import RetryOptions, enrol, open_kept_client
from integration_api_client.limit import Limit
from integration_api_client.results import issued_token_from
from integration_api_client.transport import Request
from integration_api_client.workload import _WorkloadToken
from scripted_service import Answer, json_answer, key_named, scripted_service

ISSUED: dict[str, object] = {
    "token_id": "01KAK3Y0V9QX8M4N2R7T5W1Y0B",
    "ip": "127.0.0.1",
    "issued_at": "2026-11-21T10:15:30.123Z",
    "expires_at": None,
    "token": "itk_secret",
}
OLD = ISSUED | {"issued_at": "2020-01-01T00:00:00.000Z", "expires_at": "2027-12-31T00:00:00.000Z", "token": "itk_old"}
JSON = {"Content-Type": "application/json"}


@contextmanager
def token_file(token: object) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "token.json"
        path.write_text(json.dumps(token))
        path.chmod(0o600)
        yield path


@patch.dict(os.environ, clear=True)
class ANewToken(unittest.TestCase):
    def test_is_not_requested_further_if_the_callback_fails(self) -> None:
        body = {"ip": "127.0.0.1", "code": "K7P-4XQ", "expires_at": "2099-01-01T00:00:00Z"}

        def failing(confirmation: object) -> None:
            raise RuntimeError("The message was not sent.")

        with scripted_service(Answer(202, json.dumps(body).encode(), JSON)) as service:
            with self.assertRaisesRegex(RuntimeError, "not sent"):
                enrol(service.base_url, "iti_1", on_confirmation=failing)


@patch.dict(os.environ, clear=True)
class ATokenInAFile(unittest.TestCase):
    def test_logs_a_failed_rotation(self) -> None:
        with token_file(OLD) as path:
            refusal = Answer(409, b'{"code":"token_already_rotated","message":"It has a successor."}', JSON)
            with scripted_service(json_answer(key_named("1")), refusal) as service:
                with self.assertLogs("integration_api_client") as logged:
                    open_kept_client(service.base_url, path).get_key("1")
        [line] = logged.output
        self.assertIn("The token was not replaced: 409 token_already_rotated", line)
        self.assertNotIn("itk_old", line)

    def test_is_rotated_after_a_call_within_half_of_the_time_that_the_call_has_left(self) -> None:
        call, calls = Limit(60.0), Mock()
        calls.rotate.side_effect = TimeoutError
        with token_file(OLD) as path, patch("integration_api_client.keeper.TokenCalls", return_value=calls):
            with scripted_service(json_answer([])) as service:
                client = open_kept_client(service.base_url, path, on_problem=Mock())
                client._send(Request("GET", f"{service.base_url}/", {}), call)
        _, _, limit = calls.rotate.call_args.args
        self.assertLess(limit.ends_at, call.ends_at - 20)


class TheTokenOfAWorkload(unittest.TestCase):
    def test_is_not_replaced_by_an_abandoned_exchange(self) -> None:
        lifetime = {"issued_at": "2026-11-21T10:15:30.123Z", "expires_at": "2026-11-22T10:15:30.123Z"}
        late, newer = (issued_token_from(ISSUED | lifetime | {"token": f"itk_{name}"}) for name in ("late", "newer"))
        token, calls = _WorkloadToken("http://127.0.0.1:1", lambda _: "eyJ1", RetryOptions(), 60.0), Mock()
        for issued, limit in ((newer, Limit(60.0)), (late, Limit(0.0))):
            calls.exchange.return_value = (issued, issued.issued_at.timestamp())
            with suppress(TimeoutError):
                token._exchange(calls, limit)

        self.assertIs(token._current(Limit(60.0)).token, newer)
