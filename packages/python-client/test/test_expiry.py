from __future__ import annotations

import os
import unittest
import warnings
from datetime import datetime, timezone
from unittest.mock import patch

from integration_api_client import IntegrationClient, TokenExpiring, TokenExpiringWarning
from scripted_service import Answer, scripted_service

END = "2026-12-03T10:15:30.123Z"
ROTATION = "POST /api/v1/token/rotation"
PAGE = Answer(
    200, b"[]", {"Content-Type": "application/json", "X-Token-Expires-At": END, "X-Token-Rotation": ROTATION}
)


@patch.dict(os.environ, clear=True)
class ATokenThatExpires(unittest.TestCase):
    def test_causes_one_warning_of_its_own_kind(self) -> None:
        with scripted_service(PAGE, PAGE) as service:
            client = IntegrationClient(service.base_url, "itk_1_secret")
            with self.assertWarns(TokenExpiringWarning) as warned:
                list(client.keys())
            list(client.keys())
        self.assertEqual(
            str(warned.warning),
            "The access token for the Integration API expires at 2026-12-03 10:15 UTC. "
            "Call rotate() before then, and store the new token.",
        )

    def test_is_reported_to_a_callback_with_its_end_and_how_to_replace_it(self) -> None:
        told: list[TokenExpiring] = []
        with scripted_service(PAGE) as service:
            list(IntegrationClient(service.base_url, "itk_1", on_token_expiring=told.append).keys())
        end = datetime(2026, 12, 3, 10, 15, 30, 123_000, timezone.utc)
        self.assertEqual(told, [TokenExpiring(end, ROTATION)])

    def test_fails_no_call_of_a_program_that_turns_warnings_into_errors(self) -> None:
        with scripted_service(PAGE) as service, warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertLogs("integration_api_client") as logged:
                self.assertEqual(list(IntegrationClient(service.base_url, "itk_1_secret").keys()), [])
        [line] = logged.output
        self.assertIn("TokenExpiringWarning: The access token", line)
        self.assertNotIn("secret", line)
