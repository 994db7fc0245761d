"""HTML from Python calls: what is not markup already is escaped, whoever wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from acic.errors import TURNING

Attribute = str | int | float | bool | None

_EMPTY = frozenset({"meta", "input", "link", "col", "br"})
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls: no document may hold them
    "\ud800-\udfff\ufffe\uffff"  # halves of characters, and none at all
    f"{TURNING}]"
)


class Markup(str):
    """Text that is HTML already, and so is not escaped again."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Return `value` as HTML text; what no document can hold, or would hide its neighbours, becomes a question mark."""
    if isinstance(value, Markup):
        return value
    return Markup(escape(_UNSAFE.sub("\ufffd", str(value))))


def join(parts: Iterable[object]) -> Markup:
    """Return the parts in a row, escaped where they are not markup."""
    return Markup("".join(text(part) for part in parts if part is not None))


def element(tag: str, /, *children: object, **attributes: Attribute) -> Markup:
    """Return one element.

    Args:
        tag: its name.
        children: markup, or text, which is escaped; None is left out.
        attributes: `class_` is class, `aria_label` is aria-label; None and False are left out, True is empty.
    """
    given = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _EMPTY:
        return Markup(f"<{tag}{given}/>")
    return Markup(f"<{tag}{given}>{join(children)}</{tag}>")


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    shown = "" if value is True else f"{value:.6g}" if isinstance(value, float) else str(value)
    return f' {name.rstrip("_").replace("_", "-")}="{text(shown)}"'
