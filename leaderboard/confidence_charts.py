"""Stated confidence as data for Plotly, in the manner of `leaderboard.charts`."""

import json
from typing import Any

from leaderboard.boards import HUMAN
from leaderboard.calibration import LEVELS
from leaderboard.charts import LOOK, label
from leaderboard.confidence import MOST_DRAWN, Confidence, Stated
from leaderboard.statistics import level_probability

CHART_HEIGHT = 440
# Okabe and Ito's colours and a shape each, so that neither has to be told by itself; people have their own.
STYLES = (
    ("var(--category-blue)", "circle", ""),
    ("var(--category-orange)", "triangle-up", "/"),
    ("var(--category-purple)", "square", "."),
    ("var(--category-grey)", "cross", "x"),
    ("var(--text)", "star", "-"),
)
PEOPLE_STYLE = ("var(--category-green)", "diamond", "\\")
# How far apart entrants are drawn at one level, and how much of a level's width bars take.
_STEP, _BARS = 0.07, 0.8


def reliability_chart(confidence: Confidence) -> dict[str, Any]:
    """Return the figure: at each level the share of right answers with its interval, and what the level stands for."""
    # Plotly takes half a second to import; pages without a figure do not wait for it.
    import plotly.graph_objects as go

    figure = go.Figure(layout={"template": "none"})
    told = [entrant for entrant in confidence.drawn if entrant.is_told]
    figure.add_trace(go.Scatter(name="as claimed", **_claimed()))
    for place, entrant in enumerate(told):
        figure.add_trace(go.Scatter(name=label(entrant.row), **_points(entrant, place, len(told))))
    figure.update_layout(**_layout("right answers, %"))
    return dict(json.loads(figure.to_json()))


def distribution_chart(confidence: Confidence) -> dict[str, Any]:
    """Return the figure: of how many answers each level was stated."""
    import plotly.graph_objects as go

    figure = go.Figure(layout={"template": "none"})
    for place, entrant in enumerate(confidence.drawn):
        figure.add_trace(go.Bar(name=label(entrant.row), **_bars(entrant, place, len(confidence.drawn))))
    figure.update_layout(**_layout("answers with a level, %"), barmode="overlay")
    return dict(json.loads(figure.to_json()))


def _style(entrant: Stated, place: int) -> tuple[str, str, str]:
    return PEOPLE_STYLE if entrant.row.kind == HUMAN else STYLES[place % MOST_DRAWN]


def _claimed() -> dict[str, Any]:
    return {
        "mode": "lines",
        "x": list(LEVELS),
        "y": [round(float(level_probability(level)) * 100, 3) for level in LEVELS],
        "line": {"color": "var(--text)", "width": 1, "dash": "dot"},
        "hovertemplate": "level %{x} stands for %{y:.0f}%<extra></extra>",
    }


def _points(entrant: Stated, place: int, n: int) -> dict[str, Any]:
    colour, symbol, _ = _style(entrant, place)
    cells = [cell for cell in entrant.calibration.cells if cell.share is not None]
    shares = [float(cell.share or 0) * 100 for cell in cells]
    ends = [cell.bounds or (share / 100, share / 100) for cell, share in zip(cells, shares, strict=True)]
    return {
        "mode": "lines+markers",
        "x": [round(cell.middle + _STEP * (place - (n - 1) / 2), 3) for cell in cells],
        "y": [round(share, 3) for share in shares],
        "line": {"color": colour, "width": 1.2},
        "marker": {"color": colour, "symbol": symbol, "size": 9},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [round(high * 100 - share, 3) for (_, high), share in zip(ends, shares, strict=True)],
            "arrayminus": [round(share - low * 100, 3) for (low, _), share in zip(ends, shares, strict=True)],
            "color": colour,
            "thickness": 1.4,
            "width": 3,
        },
        "customdata": [
            [cell.name, cell.n, low * 100, high * 100] for cell, (low, high) in zip(cells, ends, strict=True)
        ],
        "hovertemplate": "level %{customdata[0]}: %{y:.1f}% right"
        "<br>95% interval %{customdata[2]:.1f} to %{customdata[3]:.1f}%"
        "<br>%{customdata[1]:,} answers<extra>%{fullData.name}</extra>",
    }


def _bars(entrant: Stated, place: int, n: int) -> dict[str, Any]:
    colour, _, pattern = _style(entrant, place)
    cells = entrant.calibration.cells if entrant.calibration.n else ()
    width = _BARS / max(n, 1)
    return {
        "x": [cell.middle for cell in cells],
        "y": [round(cell.portion * 100, 3) for cell in cells],
        "width": width,
        "offset": round(width * place - _BARS / 2, 3),
        "marker": {"color": colour, "pattern": {"shape": pattern, "size": 6, "solidity": 0.3, "fillmode": "overlay"}},
        "customdata": [[cell.name, cell.n] for cell in cells],
        "hovertemplate": "level %{customdata[0]}: %{y:.1f}%"
        "<br>%{customdata[1]:,} answers<extra>%{fullData.name}</extra>",
    }


def _layout(title: str) -> dict[str, Any]:
    return {
        "height": CHART_HEIGHT,
        "margin": {"l": 68, "r": 16, "t": 16, "b": 150},
        **LOOK,
        # On a phone the names of the legend stand one below the other.
        "meta": {"narrow": {"title": "level stated", "dtick": 1, "margin": {"l": 60, "r": 8, "t": 16, "b": 190}}},
        "xaxis": {
            "title": {
                "text": "level stated, from 1 (a guess) to 5 (as good as certain)",
                "font": {"size": 13},
                "standoff": 10,
            },
            "range": [LEVELS[0] - 0.5, LEVELS[-1] + 0.5],
            "dtick": 1,
            "showgrid": False,
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": title, "font": {"size": 13}, "standoff": 8},
            "range": [0, 101],
            "dtick": 20,
            "ticksuffix": "%",
            "gridcolor": "var(--line)",
            "zeroline": False,
            "fixedrange": True,
        },
    }
