"""A hook of the site: what the button beside a session copies is its commands, without prompts and outputs."""

import re
from html import escape, unescape

_SESSION = re.compile(r'<div class="language-console highlight"(>.*?</div>)', re.DOTALL)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)", re.MULTILINE)


def on_page_content(html: str, **_: object) -> str:
    """Return a page whose sessions tell what to copy, as the theme reads it (`data-copy`)."""
    return _SESSION.sub(_told, html)


def _told(session: re.Match[str]) -> str:
    text = unescape(re.sub(r"<[^>]*>", "", session[0]))
    return session[0].replace(session[1], f' data-copy="{escape(commands(text))}"{session[1]}', 1)


def commands(session: str) -> str:
    """Return what is typed in a session: lines behind `$ `, and those that go on with them."""
    return "\n".join(_COMMAND.findall(session))
