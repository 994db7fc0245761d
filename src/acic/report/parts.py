"""What every section of the page is made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from acic.report.html import Markup, element


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column: its name (text or markup), and how it looks: "", "number", "picture" or "wide"."""

    name: object
    kind: str = ""


def section(name: str, title: str, *children: object) -> Markup:
    """Return a section with a heading, that links can lead to."""
    heading = element("h2", title, id=f"{name}-title")
    return element("section", heading, *children, id=name, aria_labelledby=f"{name}-title")


def basis(kind: str) -> Markup:
    """Return the mark that says where numbers come from: "measured", "predicted" or "simulated"."""
    return element("span", kind, class_=f"basis {kind}")


def paragraph(*children: object, kind: str | None = None) -> Markup:
    """Return a paragraph."""
    return element("p", *children, class_=kind)


def table(caption: object, columns: Sequence[Column], rows: Iterable[Sequence[object]], *, kind: str = "") -> Markup:
    """Return a table whose rows begin with their heading.

    On a narrow screen each row becomes a block, in which cells carry the name of their column.
    """
    head = element("tr", *(element("th", c.name, scope="col", class_=c.kind or None) for c in columns))
    body = [
        element(
            "tr",
            element("th", row[0], scope="row", class_=columns[0].kind or None),
            *(
                element("td", cell, class_=c.kind or None, data_label=_label(c))
                for c, cell in zip(columns[1:], row[1:], strict=True)
            ),
        )
        for row in rows
    ]
    return element(
        "div",
        element(
            "table",
            element("caption", caption),
            element("thead", head),
            element("tbody", *body),
            class_=f"block {kind}".strip(),
        ),
        class_="scroll",
    )


def _label(column: Column) -> str | None:
    """Return what a cell is called on a narrow screen; pictures speak for themselves."""
    return None if isinstance(column.name, Markup) else str(column.name)


def figure(title: object, *children: object) -> Markup:
    """Return a picture with its title above."""
    return element("figure", element("figcaption", title), *children)


def point_link(number: int) -> Markup:
    """Return a link to a point's row in the table of all points."""
    return element("a", f"#{number}", href=f"#p{number}", aria_label=f"point {number}")
