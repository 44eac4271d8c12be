"""Texts that cannot be sent as they are are refused before anything is sent."""

from __future__ import annotations

import re
from collections.abc import Callable

from .errors import ValidationFailed


def _is_malformed(text: str) -> bool:
    """Whether the text contains half of a surrogate pair, which UTF-8 cannot express."""
    return re.search("[\ud800-\udfff]", text) is not None


_MALFORMED = (_is_malformed, "must be well-formed Unicode.")

_PATH_RULES: list[tuple[Callable[[str], bool], str]] = [
    (lambda text: text == "", "must be 1 to 255 characters."),
    _MALFORMED,
    (lambda text: re.search("[\x00-\x1f\x7f-\x9f]", text) is not None, "must not contain control characters."),
    (lambda text: "?" in text, "must not contain a question mark."),
    (lambda text: "%" in text, "must not contain a percent sign."),
    (lambda text: text in (".", ".."), "must not be one or two dots."),
]


def check_texts(key_id: str, v_code: str | None = None) -> None:
    """Raises ValidationFailed, with the service's own messages, if the service could not get the texts as they are.

    A call for the key ``a?b`` would reach the key ``a``, because the service is behind a gateway that cuts paths off.
    """
    problems = {
        "key_id": [problem for is_broken, problem in _PATH_RULES if is_broken(key_id)],
        "v_code": [problem for is_broken, problem in [_MALFORMED] if v_code is not None and is_broken(v_code)],
    }
    fields = {name: [f"The {name} {problem}" for problem in found] for name, found in problems.items() if found}
    if fields:
        raise ValidationFailed(fields)
