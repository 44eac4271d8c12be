from __future__ import annotations

import gc
import unittest
from datetime import datetime, timezone
from email.message import Message
from unittest.mock import patch

from integration_api_client import Key
from integration_api_client.links import origin_of
from integration_api_client.memory import Memory, Remembered
from integration_api_client.retry import seconds_of
from integration_api_client.transport import Response
from integration_api_client.versions import Versions


def remembered(size: int) -> Remembered:
    return Remembered('"1"', None, Response(200, Message(), bytes(size)))


def key(key_id: str = "1") -> Key:
    time = datetime(2026, 11, 21, tzinfo=timezone.utc)
    return Key(key_id, "v" * 64, time, time)


class TheMemory(unittest.TestCase):
    def test_forgets_what_was_not_used_for_longest_when_it_has_too_many_bodies(self) -> None:
        memory = Memory(bodies=2)
        memory.remember("a", remembered(1))
        memory.remember("b", remembered(1))
        memory.recall("a")
        memory.remember("c", remembered(1))

        self.assertEqual([memory.recall(url) is not None for url in "abc"], [True, False, True])

    def test_holds_no_more_than_its_size(self) -> None:
        memory = Memory(size=10)
        for url, size in (("a", 4), ("b", 4), ("a", 5), ("c", 5), ("d", 11)):
            memory.remember(url, remembered(size))
            if url == "c":
                self.assertEqual([memory.recall(url) is not None for url in "abc"], [True, False, True])

        self.assertEqual([memory.recall(url) for url in "abcd"], [None, None, None, None])
        memory.remember("e", remembered(10))
        self.assertIsNotNone(memory.recall("e"))

    def test_has_room_again_for_what_was_forgotten(self) -> None:
        memory = Memory(size=10)
        memory.remember("a", remembered(6))
        memory.forget("a")
        memory.forget("a")
        memory.remember("b", remembered(5))
        memory.remember("c", remembered(5))

        self.assertEqual([memory.recall(url) is not None for url in "abc"], [False, True, True])


class TheVersionOfAKey(unittest.TestCase):
    def test_belongs_to_the_object_and_not_to_equal_ones(self) -> None:
        versions, first, second, other = Versions(), key(), key(), key()
        versions.note(first, '"1"')
        versions.note(second, '"2"')

        self.assertEqual(first, second)
        self.assertEqual([versions.etag_of(first, "1"), versions.etag_of(second, "1")], ['"1"', '"2"'])
        with self.assertRaisesRegex(ValueError, "of this client returned"):
            versions.etag_of(other, "1")

    def test_is_refused_for_another_key_and_for_none(self) -> None:
        versions, noted = Versions(), key("1")
        versions.note(noted, '"1"')

        with self.assertRaisesRegex(ValueError, "if_unchanged is the key '1', but the call is about '2'"):
            versions.etag_of(noted, "2")
        with self.assertRaisesRegex(ValueError, "of this client returned"):
            versions.etag_of(None, "1")

    def test_is_not_kept_longer_than_the_key(self) -> None:
        versions = Versions()
        for index in range(100):
            versions.note(key(str(index)), '"1"')
        gc.collect()

        self.assertEqual(len(versions), 0)

    def test_is_not_taken_from_a_weak_etag(self) -> None:
        versions, noted = Versions(), key()
        versions.note(noted, 'W/"1"')
        with self.assertRaises(ValueError):
            versions.etag_of(noted, "1")


class RetryAfter(unittest.TestCase):
    def test_may_be_a_date_in_each_format_of_http(self) -> None:
        now = datetime(1994, 11, 6, 8, 49, 30, tzinfo=timezone.utc).timestamp()
        with patch("time.time", return_value=now):
            for date in ("Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"):
                self.assertEqual(seconds_of(date), 7, date)

    def test_counts_as_zero_if_it_is_neither_seconds_nor_a_date(self) -> None:
        impossible = ("Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 99 Nov 1994 08:49:37 GMT")
        for value in (None, "", "soon", "-1", "1.5", "٣", *impossible):
            self.assertEqual(seconds_of(value), 0, value)


class TheOriginOfAUrl(unittest.TestCase):
    def test_is_the_same_with_and_without_the_default_port_and_in_capitals(self) -> None:
        self.assertEqual(origin_of("https://Example.com:443/a"), "https://example.com")
        self.assertEqual(origin_of("http://[::1]:80/a"), "http://[::1]")

    def test_differs_by_scheme_port_and_login(self) -> None:
        different = ("http://a", "https://a", "http://a:443", "http://a:81", "http://u@a", "http://b@a:80")
        self.assertEqual(len({origin_of(url) for url in different}), len(different))
