"""The differences of a comparison as data for Plotly, in the manner of `leaderboard.charts`."""

import json
from typing import Any

from leaderboard.boards import Row
from leaderboard.charts import LOOK, label, plain
from leaderboard.compare import Comparison
from leaderboard.comparison import Difference

ALL = "All questions"
LINE_HEIGHT = 22
# Above the lines, and below them for the axis and its title; names of the legend may stand one below the other.
TOP_HEIGHT, AXIS_HEIGHT, NAME_HEIGHT = 16, 64, 22
# Okabe and Ito's colours and a shape each, so that neither has to be told by itself.
STYLES = (
    ("var(--category-blue)", "circle"),
    ("var(--category-orange)", "triangle-up"),
    ("var(--category-green)", "diamond"),
    ("var(--category-grey)", "square"),
)


def difference_chart_height(comparison: Comparison) -> int:
    """Return the height of the chart in pixels, so that its place can be kept before it is drawn."""
    lines = (1 + len(comparison.topics)) * max(len(comparison.rows) - 1, 1)
    return TOP_HEIGHT + LINE_HEIGHT * lines + 10 * (1 + len(comparison.topics)) + _below(comparison)


def _below(comparison: Comparison) -> int:
    return AXIS_HEIGHT + NAME_HEIGHT * max(len(comparison.rows) - 1, 1)


def difference_chart(comparison: Comparison) -> dict[str, Any]:
    """Return the figure: by topic, how far each of the others is from the first one chosen, with its interval."""
    # Plotly takes half a second to import; pages without a figure do not wait for it.
    import plotly.graph_objects as go

    reference, *others = comparison.rows
    figure = go.Figure(layout={"template": "none"})
    for other, (colour, symbol) in zip(others, STYLES, strict=False):
        figure.add_trace(go.Scatter(name=label(other), **_dots(comparison, reference, other, colour, symbol)))
    figure.add_vline(x=0, line={"color": "var(--text)", "width": 1})
    figure.update_layout(**_layout(comparison, reference))
    return dict(json.loads(figure.to_json()))


def _parts(comparison: Comparison, reference: Row, other: Row) -> list[tuple[str, Difference, int]]:
    """Return name, difference and sign of each part: a pair is the one ahead less the other, the chart's is not."""
    (pair,) = [each for each in comparison.pairs if {each.first, each.second} == {reference.slug, other.slug}]
    sign = 1 if pair.first == other.slug else -1
    parts = [(ALL, pair.whole, sign)]
    named = {topic.slug: topic.name for topic in comparison.topics}
    return parts + [(plain(named[slug]), difference, sign) for slug, difference in pair.topics.items()]


def _dots(comparison: Comparison, reference: Row, other: Row, colour: str, symbol: str) -> dict[str, Any]:
    parts = _parts(comparison, reference, other)
    values = [round(sign * difference.difference * 100, 3) for _, difference, sign in parts]
    ends = [sorted(sign * end * 100 for end in difference.bounds or ()) for _, difference, sign in parts]
    return {
        "mode": "markers",
        "orientation": "h",
        "offsetgroup": other.slug,
        "y": [name for name, _, _ in parts],
        "x": values,
        "marker": {"color": colour, "symbol": symbol, "size": 9},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [round(pair[1] - x, 3) if pair else 0 for pair, x in zip(ends, values, strict=True)],
            "arrayminus": [round(x - pair[0], 3) if pair else 0 for pair, x in zip(ends, values, strict=True)],
            "color": colour,
            "thickness": 1.4,
            "width": 3,
        },
        "customdata": [
            [difference.n, _interval_words(pair)] for (_, difference, _), pair in zip(parts, ends, strict=True)
        ],
        "hovertemplate": "%{y}: %{x:+.1f} points%{customdata[1]}"
        "<br>%{customdata[0]:,} questions<extra>%{fullData.name}</extra>",
    }


def _interval_words(ends: list[float]) -> str:
    return f"<br>95% interval {ends[0]:+.1f} to {ends[1]:+.1f}" if ends else ""


def _layout(comparison: Comparison, reference: Row) -> dict[str, Any]:
    return {
        "height": difference_chart_height(comparison),
        "margin": {"l": 10, "r": 16, "t": TOP_HEIGHT, "b": _below(comparison)},
        "scattermode": "group",
        "scattergap": 0.35,
        **LOOK,
        "meta": {"narrow": {"title": "points", "dtick": 50}},
        "xaxis": {
            "title": {
                "text": f"percentage points less or more than {label(reference)}",
                "font": {"size": 13},
                "standoff": 8,
            },
            "gridcolor": "var(--line)",
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "categoryorder": "array",
            "categoryarray": [plain(topic.name) for topic in comparison.topics][::-1] + [ALL],
            "automargin": True,
            "fixedrange": True,
            "ticksuffix": " ",
        },
    }
