from __future__ import annotations

import gc
import unittest
from email.message import Message

from integration_api_client import Key
from integration_api_client.keys import key_from
from integration_api_client.retry import retry_after_seconds
from integration_api_client.reads import Versions
from integration_api_client.transport import Response


def key(key_id: str = "1") -> Key:
    time = "2026-11-21T00:00:00.000Z"
    return key_from({"key_id": key_id, "v_code": "v" * 64, "created_at": time, "updated_at": time})


class TheVersionOfAKey(unittest.TestCase):
    def test_belongs_to_the_object_and_not_to_equal_ones(self) -> None:
        versions, first, second, other = Versions(), key(), key(), key()
        versions.note(first, '"1"')
        versions.note(second, '"2"')

        self.assertEqual(first, second)
        self.assertEqual([versions.etag_of(first, {"key_id": "1"}), versions.etag_of(second, {"key_id": "1"})], ['"1"', '"2"'])
        with self.assertRaisesRegex(ValueError, "of this client returned"):
            versions.etag_of(other, {"key_id": "1"})

    def test_is_not_kept_longer_than_the_key(self) -> None:
        versions = Versions()
        for index in range(100):
            versions.note(key(str(index)), '"1"')
        gc.collect()

        self.assertEqual(len(versions), 0)



class RetryAfter(unittest.TestCase):
    def test_counts_as_zero_if_it_is_neither_seconds_nor_a_date(self) -> None:
        impossible = ("Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT")
        for value in ("", "soon", "-1", "1.5", *impossible):
            headers = Message()
            headers["Retry-After"] = value
            self.assertEqual(retry_after_seconds(Response(503, headers, b"")), 0, value)
