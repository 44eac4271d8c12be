"""The links between pages (RFC 8288)."""

from __future__ import annotations

import re
import string
from urllib.parse import quote, urljoin, urlsplit

# What follows a comma outside quotes is another link; what follows a malformed link is ignored.
_LINK = re.compile(r'[\s,]*<([^>]*)>((?:[^",]|"(?:[^"\\]|\\.)*")*)')
_PARAMETER = re.compile(r';\s*([^\s=;"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*)))?')


def find_link(header: str, relation: str) -> str | None:
    """The target of the first link with a relation type, or None.

    Links with another context than the response itself (``anchor``) do not count.
    """
    position = 0
    while link := _LINK.match(header, position):
        position = link.end()
        target, parameters = link.groups()
        values: dict[str, str] = {}
        for name, quoted, token in _PARAMETER.findall(parameters):
            # If one occurs twice, the first counts, as the RFC demands of `rel`.
            values.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", quoted) or token)
        if relation in values.get("rel", "").lower().split() and "anchor" not in values:
            return str(target)
    return None


def resolve(url: str, target: str) -> str:
    """The absolute form of a link in the response from a URL."""
    return urljoin(url, quote(target, safe=string.punctuation))


def origin_of(url: str) -> str:
    """The scheme, the host and, unless it is the default, the port of a URL, as browsers compare them."""
    parts = urlsplit(url)
    host, _, port = parts.netloc.lower().rpartition(":")
    is_default = (parts.scheme, port) in (("http", "80"), ("https", "443"))
    return f"{parts.scheme}://{host if is_default else parts.netloc.lower()}"
