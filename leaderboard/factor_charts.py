"""Scores against one factor as data for Plotly, in the manner of `leaderboard.charts`."""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from leaderboard.boards import tagged
from leaderboard.charts import KIND_STYLES, LOOK, label
from leaderboard.factors import FACTORS, Factors, Line

HEIGHT = 500
SYMBOLS = {"model": "circle", "agent": "triangle-up", "baseline": "square"}


def factor_chart(found: Factors, factor: str) -> dict[str, Any]:
    """Return the figure: each system of which the factor is known, with its interval, and the mean of people."""
    # Plotly takes half a second to import; pages without a figure do not wait for it.
    import plotly.graph_objects as go

    lines = found.charted(factor)
    figure = go.Figure(layout={"template": "none"})
    for kind, (name, colour, _) in KIND_STYLES.items():
        if of_kind := [line for line in lines if line.row.kind == kind]:
            figure.add_trace(go.Scatter(name=name, **_dots(of_kind, factor, colour, SYMBOLS[kind])))
    if factor == "price" and (front := [line for line in lines if line.is_on_front]):
        figure.add_trace(go.Scatter(**_front(front)))
    people = found.board.people_with_accuracy
    if people is not None and lines:
        mean = float(people.estimate.accuracy or 0) * 100
        name = tagged(people, f"Human mean {mean:.1f}%")
        line = {"color": "var(--category-green)", "width": 2, "dash": "dash"}
        figure.add_hline(y=mean, line=line)
        # Named in the legend: words beside the line would lie on somebody's mark.
        figure.add_trace(go.Scatter(name=name, mode="lines", x=[None], y=[None], line=line))
    figure.update_layout(**_layout(found, lines, factor))
    return dict(json.loads(figure.to_json()))


def _dots(lines: Sequence[Line], factor: str, colour: str, symbol: str) -> dict[str, Any]:
    scores = [_percent(line) for line in lines]
    bounds = [line.row.estimate.bounds or (score / 100, score / 100) for line, score in zip(lines, scores, strict=True)]
    return {
        "mode": "markers",
        "x": [_plain(line.x(factor)) for line in lines],
        "y": scores,
        "text": [label(line.row) for line in lines],
        "marker": {"color": colour, "symbol": symbol, "size": 10},
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [round(high * 100 - y, 3) for (_, high), y in zip(bounds, scores, strict=True)],
            "arrayminus": [round(y - low * 100, 3) for (low, _), y in zip(bounds, scores, strict=True)],
            "color": colour,
            "thickness": 1.2,
            "width": 3,
        },
        "customdata": [
            [low * 100, high * 100, line.row.estimate.n_questions]
            for line, (low, high) in zip(lines, bounds, strict=True)
        ],
        "hovertemplate": "%{text}: %{y:.1f}%<br>95% interval %{customdata[0]:.1f} to %{customdata[1]:.1f}%"
        "<br>%{customdata[2]:,} questions<br>%{x}<extra></extra>",
    }


def _front(lines: Sequence[Line]) -> dict[str, Any]:
    steps = sorted((line.price.value or 0.0, _percent(line)) for line in lines)
    return {
        "name": "Best for the price",
        "mode": "lines",
        "x": [price for price, _ in steps],
        "y": [score for _, score in steps],
        "line": {"color": "var(--text)", "width": 1.5, "shape": "hv", "dash": "dot"},
        "hoverinfo": "skip",
    }


def _percent(line: Line) -> float:
    return round(float(line.row.estimate.accuracy or 0) * 100, 3)


def _plain(x: float | date | None) -> float | str | None:
    return x.isoformat() if isinstance(x, date) else x


def _layout(found: Factors, lines: Sequence[Line], factor: str) -> dict[str, Any]:
    title = " ".join(filter(None, (found.currency if factor == "price" else "", FACTORS[factor].axis)))
    return {
        "height": HEIGHT,
        "margin": {"l": 10, "r": 16, "t": 16, "b": 150},
        **LOOK,
        "meta": {"narrow": {"title": title, "dtick": _narrow_step(lines, factor)}},
        "xaxis": {
            "type": _axis_type(lines, factor),
            "title": {"text": title, "font": {"size": 13}, "standoff": 8},
            # Billions of parameters are written 1B; a price is never written in millionths.
            "exponentformat": "B" if factor == "size" else "none",
            **_ticks(lines, factor),
            "gridcolor": "var(--line)",
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "title": {"text": "right answers", "font": {"size": 13}},
            "range": [0, 101],
            "dtick": 20,
            "ticksuffix": "%",
            "gridcolor": "var(--line)",
            "zeroline": False,
            "automargin": True,
            "fixedrange": True,
        },
    }


def _ticks(lines: Sequence[Line], factor: str) -> dict[str, int]:
    """Return where ticks stand: over several orders of magnitude one at each, else as many as there is room for."""
    values = [x for line in lines if isinstance(x := line.x(factor), int | float)]
    is_wide = _axis_type(lines, factor) == "log" and max(values, default=1) >= 100 * min(values, default=1)
    # Dates are long words.
    return {"dtick": 1} if is_wide else {"nticks": 4 if factor == "released" else 7}


def _narrow_step(lines: Sequence[Line], factor: str) -> int | None:
    """Return the orders of magnitude from one tick to the next on a phone; None where there is less than one."""
    values = [x for line in lines if isinstance(x := line.x(factor), int | float)]
    is_long = _axis_type(lines, factor) == "log" and max(values, default=1) >= 10 * min(values, default=1)
    return 1 if is_long else None


def _axis_type(lines: Sequence[Line], factor: str) -> str:
    """Return the kind of axis: of orders of magnitude, unless something is free of charge or took no time."""
    if factor == "released":
        return "date"
    values = [line.x(factor) for line in lines]
    return "log" if all(isinstance(x, int | float) and x > 0 for x in values) else "linear"
