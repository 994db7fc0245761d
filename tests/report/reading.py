"""Reading a report's page: strictly, as XML, and as a browser would, as HTML."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

_RAW = re.compile(r"<(style|script)>(.*?)</\1>", re.DOTALL)
_VOID = {"meta", "input", "br", "col", "link"}
LOADS = ("src", "srcset", "data", "action", "poster", "background", "xlink:href", "formaction", "ping", "style")


def tree(page: str) -> ET.Element:
    """The page's elements; every element is closed and every character is legal, or this raises."""
    assert page.startswith("<!DOCTYPE html>\n")
    return ET.fromstring(_RAW.sub(r"<\1></\1>", page.removeprefix("<!DOCTYPE html>\n")))  # noqa: S314 (ours)


def words(element: ET.Element) -> str:
    """All text within an element, with single blanks."""
    return " ".join(" ".join(element.itertext()).split())


def by_id(page: str, name: str) -> ET.Element:
    """The element with this id."""
    found = tree(page).find(f".//*[@id='{name}']")
    assert found is not None, name
    return found


def table_rows(element: ET.Element, *, caption: str = "") -> list[list[str]]:
    """The body of the first table within (whose caption begins like this), as text."""
    for table in [*element.iter("table")]:
        title, body = table.find("caption"), table.find("tbody")
        if title is not None and body is not None and words(title).startswith(caption):
            return [[words(cell) for cell in row] for row in body]
    raise AssertionError(f"no table {caption!r}")


class Seen(HTMLParser):
    """What a browser makes of a page: which elements, with which attributes, and which text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)
