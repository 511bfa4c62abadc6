"""Rows as `schema2model batch` writes them, of all kinds; and text that is built to hurt a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from schema2model.apps.batch import STATUSES, Layout
from schema2model.apps.batch.outcomes import is_of_damaged_row
from schema2model.apps.batch.report import Figures
from schema2model.apps.batch.summary import Summary

CANARY = "window.ran=1"
"""What text of strangers would run if anything of it ran."""

HOSTILE = {
    "script": f"<script>{CANARY}</script>",
    "end of script": f"</script><script>{CANARY}</script>",
    "end of style": f"</style><script>{CANARY}</script>",
    "end of title": f"</title><script>{CANARY}</script>",
    "comment": f"--><!--<script>{CANARY}</script>",
    "attribute": f'"><img src=x onerror={CANARY}>',
    "single quote": f"' autofocus onfocus='{CANARY}",
    "svg": f"</text></svg><svg onload={CANARY}>",
    "table": f"</td></tr></table><iframe srcdoc='<script>parent.{CANARY}</script>'>",
    "foreign": f"<![CDATA[<math><mtext><img src=x onerror={CANARY}>]]>",
    "URL": f"javascript:{CANARY}",
    "template": "{{ 7 * 7 }}{% raw %}{{ cycler.__init__ }}{# gone #}",
    "line separators": "a\u2028b\u2029c",
    "bidi controls": "a\u202egnp.exe\u2066\u2069\u200f",
    "NUL": "a\x00b\x0c\x1b[2J\x7f",
    "surrogates": "a\ud800b\udfffc",
    "entities": "&lt;b&gt; &#60;b&#62; &amp;",
    "long": "W" * 100_000,
    "combining": "Z" + "\u0335\u0489" * 500,
    "empty": "",
    "blank": " \n\t ",
}

ORDER = {
    "name": "order",
    "parameters": {
        "properties": {
            "items": {"type": "array", "items": {"properties": {"amount": {"type": "integer"}}}},
            "urgent": {"type": "boolean"},
        },
        "required": ["items"],
    },
}
CALLS = [  # model, arguments, the mistakes of each
    ("a", {"items": [{"amount": 1}]}, []),
    ("a", {"items": [{"amount": "1"}, {"amount": "2"}]}, [("/items/*/amount", "json_text")]),
    (
        "b",
        {"items": [{"amount": "3"}], "urgent": "yes"},
        [("/items/*/amount", "json_text"), ("/urgent", "boolean_words")],
    ),
    ("b", {"urgent": True}, [("/items", "a JSON array (required)")]),
    (
        "b",
        {"items": [{"amount": "x"}, {"amount": "y"}]},
        [("/items/*/amount", "an integer, without quotes")],
    ),
    ("b", "{'items': []}", [("", "repair_text")]),
]


def figures_of(rows: list[dict[str, Any]], layout: Layout | None = None) -> Figures:
    """What is counted in some rows, after a run that has counted them."""
    figures = Figures(summary_of(rows, layout), layout)
    for each in rows:
        figures.add(each)
    return figures


def summary_of(rows: list[dict[str, Any]], layout: Layout | None = None) -> Summary:
    """The counts of the run that has written some rows."""
    layout, zeros = layout or Layout(), dict.fromkeys(STATUSES, 0)
    document: dict[str, Any] = {"found": 0, "damaged": 0, "refused": [], "doubts": []}
    document |= {"rows": Counter(each[f"{layout.prefix}status"] for each in rows)}
    document |= {"calls": [], "results": []}
    for each in rows:
        model = each.get(layout.model)
        called = [] if is_of_damaged_row(each[f"{layout.prefix}error"] or "") else [each]
        results = each.get(f"{layout.prefix}results") or ()
        if layout.kind != "calls":
            called = each[f"{layout.prefix}calls"]
        for name, found in (("calls", called), ("results", results)):
            document[name] += [
                {"model": model, "tool": one["tool"], **zeros, one["status"]: 1, "rules": {}}
                for one in found
            ]
    summary = Summary()
    summary.add(document)
    return summary


def row(tool: Any, status: str, *changes: tuple[str, str, str, str | None], **more: Any) -> dict:  # type: ignore[type-arg]
    """A row of a call, with the columns that are added."""
    names = ("path", "rule", "before", "after")
    listed = [dict(zip(names, change, strict=True)) for change in changes]
    given = {"model": "m", "tool": tool, "arguments": "{}", "error": None, **more}
    return {**given, "status": status, "changes": listed}


def hostile_rows(texts: Iterable[str] = HOSTILE.values()) -> list[dict[str, Any]]:
    """Every text in every place that a stranger can write to."""
    rows = []
    for text in texts:
        path = "/" + text.replace("~", "~0").replace("/", "~1")
        error = f"Error parsing arguments for `{text}`:\n- {path}: must be {text}, not {text}"
        source = {"source_file": text, "source_position": 1}
        change = (path, text, text, text)
        rows += [
            row(text, "coerced", change, model=text, **source),
            row(text, "refused", model=text, arguments=text, error=error, **source),
            row(text, "refused", model=text, arguments={text: text}, error=text, **source),
        ]
    return rows
