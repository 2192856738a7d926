"""Figures as data: Plotly JSON without a template, colours named by the style sheet's custom properties.

The page's script puts the colours of the reader's light or dark theme in their place.
"""

import json
from collections.abc import Sequence
from typing import Any

from leaderboard.boards import HUMAN, Row, short_name, tagged
from leaderboard.queries import Board

MOST_BARS = 40
BAR_HEIGHT = 30
FRAME_HEIGHT = 120
# What charts with a legend below them share.
LOOK: dict[str, Any] = {
    "paper_bgcolor": "rgba(0,0,0,0)",
    "plot_bgcolor": "rgba(0,0,0,0)",
    "font": {"family": "system-ui, sans-serif", "size": 14, "color": "var(--text)"},
    "hoverlabel": {"font": {"family": "system-ui, sans-serif"}},
    "legend": {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
    "showlegend": True,
}
KIND_STYLES = {
    "model": ("Models", "var(--category-blue)", ""),
    "agent": ("Agents", "var(--category-orange)", "/"),
    "baseline": ("Baselines", "var(--category-grey)", "."),
}


def charted(board: Board) -> list[Row]:
    """Return the systems with an accuracy that the bar chart shows, best first, `MOST_BARS` at most."""
    return [row for row in board.rows if row.has_accuracy and row.kind != HUMAN][:MOST_BARS]


def chart_height(board: Board) -> int:
    """Return the height of the bar chart in pixels, so that its place can be kept before it is drawn."""
    return FRAME_HEIGHT + BAR_HEIGHT * len(charted(board))


def bar_chart(board: Board) -> dict[str, Any]:
    """Return the figure: one bar per system with its interval, people as a band with a line at the mean."""
    # Plotly takes half a second to import; pages without a figure do not wait for it.
    import plotly.graph_objects as go

    rows = charted(board)
    figure = go.Figure(layout={"template": "none"})
    for kind, (name, colour, pattern) in KIND_STYLES.items():
        if of_kind := [row for row in rows if row.kind == kind]:
            figure.add_trace(go.Bar(name=name, **_bars(of_kind, colour, pattern)))
    _add_people(figure, board.people)
    figure.update_layout(**_layout(board, [label(row) for row in rows]))
    return dict(json.loads(figure.to_json()))


def label(row: Row) -> str:
    """Return a system's label on the axis, which says of a made-up one that it is: plain text, since Plotly reads tags
    and entities in labels.
    """
    text = plain(tagged(row, short_name(row.name)))
    # Two systems of one name must not share a bar.
    return f"{text} ({row.slug})" if row.name_repeats else text


def people_label(row: Row) -> str:
    """Return the same of people, whose name is never cut: it says how many they are."""
    return plain(tagged(row))


def plain(text: str) -> str:
    """Return text in which Plotly reads no tag and no entity."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _bars(rows: Sequence[Row], colour: str, pattern: str) -> dict[str, Any]:
    shares = [float(row.estimate.accuracy or 0) * 100 for row in rows]
    return {
        "orientation": "h",
        "y": [label(row) for row in rows],
        "x": [round(share, 3) for share in shares],
        "marker": {"color": colour, "pattern": {"shape": pattern, "size": 6, "solidity": 0.3, "fillmode": "overlay"}},
        "error_x": {
            "type": "data",
            "symmetric": False,
            "array": [round(row.estimate.interval.high * 100 - x, 3) for row, x in zip(rows, shares, strict=True)],
            "arrayminus": [round(x - row.estimate.interval.low * 100, 3) for row, x in zip(rows, shares, strict=True)],
            "color": "var(--text)",
            "thickness": 1.2,
            "width": 3,
        },
        "customdata": [
            [row.estimate.interval.low * 100, row.estimate.interval.high * 100, row.estimate.n_questions]
            for row in rows
        ],
        "hovertemplate": "%{y}: %{x:.1f}%<br>95% interval %{customdata[0]:.1f} to %{customdata[1]:.1f}%"
        "<br>%{customdata[2]:,} questions<extra></extra>",
    }


def _add_people(figure: Any, people: Row | None) -> None:
    if people is None or people.estimate.accuracy is None or people.people is None:
        return
    best, worst = people.people.best, people.people.worst
    mean = float(people.estimate.accuracy) * 100
    words = tagged(people, f"human mean {mean:.1f}%")
    if best is not None and worst is not None:
        figure.add_vrect(
            x0=float(worst) * 100,
            x1=float(best) * 100,
            fillcolor="var(--category-green)",
            opacity=0.16,
            line_width=0,
            layer="below",
        )
    figure.add_vline(
        x=mean,
        line={"color": "var(--category-green)", "width": 2, "dash": "dash"},
        annotation={
            "text": words,
            "font": {"color": "var(--text)"},
            "yanchor": "bottom",
        },
        annotation_position="top",
    )


def _layout(board: Board, labels: Sequence[str]) -> dict[str, Any]:
    return {
        "height": chart_height(board),
        "margin": {"l": 10, "r": 16, "t": 32, "b": 88},
        "bargap": 0.35,
        **LOOK,
        "xaxis": {
            "title": {"text": "right answers, % of all questions", "font": {"size": 13}, "standoff": 8},
            "range": [0, 101],
            "dtick": 20,
            "ticksuffix": "%",
            "gridcolor": "var(--line)",
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "categoryorder": "array",
            "categoryarray": list(labels)[::-1],
            "automargin": True,
            "fixedrange": True,
            "ticksuffix": " ",
        },
    }
