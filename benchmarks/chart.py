"""A bar chart of ratios with error bars, as SVG that is readable in light and in dark mode."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from benchmarks.results import Ratio

__all__ = ["Bar", "chart"]

Bar = tuple[str, Ratio]
"""What it is, and how it compares."""

_WIDTH = 900
_LEFT = 330
_RIGHT = 90
_ROW = 24
_PANEL = 42
_HEAD = 64
_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_STYLE = """
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 }
.panel { font-weight: 600 }
.small { font-size: 11px; fill: #59636e }
.ours { fill: #1a7f37 }
.theirs { fill: #8c959f }
.error { stroke: #1f2328; stroke-width: 1.5 }
.one { stroke: #1f2328; stroke-width: 1 }
.tick { stroke: #d1d9e0; stroke-width: 1 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .small { fill: #9198a1 }
  .ours { fill: #3fb950 }
  .theirs { fill: #656c76 }
  .error, .one { stroke: #f0f6fc }
  .tick { stroke: #3d444d }
}
"""


class _Scale:
    """A logarithmic axis, as wide as the bars need it."""

    def __init__(self, ratios: Sequence[Ratio]) -> None:
        low = min([ratio.low for ratio in ratios] + [0.5])
        high = max([ratio.high for ratio in ratios] + [2])
        low, high = low / 1.1, high * 1.1
        self.ticks = [tick for tick in _TICKS if low <= tick <= high]
        self._low, self._high = math.log(low), math.log(high)

    def __call__(self, ratio: float) -> float:
        share = (math.log(ratio) - self._low) / (self._high - self._low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)


def chart(title: str, base: str, panels: dict[str, Sequence[Bar]]) -> str:
    """Draw bars to the left of `base`, which is 1, for what is faster, to the right for slower."""
    at = _Scale([ratio for bars in panels.values() for _, ratio in bars])
    body: list[str] = []
    top = _HEAD
    for panel, bars in panels.items():
        body.append(f'<text class="panel" x="12" y="{top + 24}">{escape(panel)}</text>')
        top += _PANEL - 6
        bottom = top + _ROW * len(bars)
        for tick in at.ticks:
            kind, x = "one" if tick == 1 else "tick", at(tick)
            body.append(f'<line class="{kind}" x1="{x}" y1="{top}" x2="{x}" y2="{bottom}"/>')
            body.append(_centred(x, bottom + 14, f"{tick:g}"))
        for name, ratio in bars:
            body += _bar(name, ratio, top, at, ours=panel.startswith("schema2model"))
            top += _ROW
        top += _PANEL - 12
    legend = (
        f"time per call as a ratio to {escape(base)} = 1, logarithmic; left is faster; "
        "error bars span the quartiles of the rounds"
    )
    size = f'viewBox="0 0 {_WIDTH} {top}" width="{_WIDTH}" height="{top}"'
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f'<text class="title" x="12" y="26">{escape(title)}</text>',
            f'<text class="small" x="12" y="48">{legend}</text>',
            *body,
            "</svg>",
            "",
        )
    )


def _centred(x: float, y: float, text: str) -> str:
    return f'<text class="small" x="{x}" y="{y}" text-anchor="middle">{text}</text>'


def _bar(name: str, ratio: Ratio, top: int, at: _Scale, *, ours: bool) -> list[str]:
    middle, end, one = top + _ROW // 2, at(ratio.median), at(1)
    low, high = at(ratio.low), at(ratio.high)
    kind = "ours" if ours or name.startswith("schema2model") else "theirs"
    box = f'x="{min(end, one)}" y="{top + 4}" width="{abs(end - one):.1f}" height="{_ROW - 8}"'
    error = f"M{low} {middle}H{high}M{low} {middle - 4}v8M{high} {middle - 4}v8"
    number = max(one, end, high) + 8
    return [
        f'<text x="{_LEFT - 10}" y="{middle + 4}" text-anchor="end">{escape(name)}</text>',
        f'<rect class="{kind}" {box}/>',
        f'<path class="error" d="{error}"/>',
        f'<text class="small" x="{number:.1f}" y="{middle + 4}">{ratio.median:.2f}</text>',
    ]
