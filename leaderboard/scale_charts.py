"""Abilities as data for Plotly, in the manner of `leaderboard.charts`."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from leaderboard.boards import HUMAN, Row
from leaderboard.charts import BAR_HEIGHT, FRAME_HEIGHT, KIND_STYLES, LOOK, MOST_BARS, label, people_label
from leaderboard.scale import Placement, Z

STYLES = {HUMAN: ("People", "var(--category-green)"), **{kind: style[:2] for kind, style in KIND_STYLES.items()}}
SYMBOLS = {HUMAN: "diamond", "model": "circle", "agent": "triangle-up", "baseline": "square"}
# The entries of the legend stand below each other on a phone.
_LEGEND_HEIGHT = 60


class _Mark(NamedTuple):
    """An entrant on the scale, as its table has it."""

    row: Row
    ability: float
    error: float

    @property
    def name(self) -> str:
        return people_label(self.row) if self.row.kind == HUMAN else label(self.row)

    @property
    def symbol(self) -> str:
        return SYMBOLS[self.row.kind] + ("" if self.row.is_complete or self.row.kind == HUMAN else "-open")


def n_drawn(found: Placement) -> int:
    """Return how many entrants the chart shows: `MOST_BARS` at most."""
    return len(_marks(found))


def scale_chart_height(found: Placement) -> int:
    """Return the height of the chart in pixels, so that its place can be kept before it is drawn."""
    return FRAME_HEIGHT + _LEGEND_HEIGHT + BAR_HEIGHT * n_drawn(found)


def scale_chart(found: Placement) -> dict[str, Any]:
    """Return the figure: the ability of each with its 95% interval, in the order of the table, people first."""
    # Plotly takes half a second to import; pages without a figure do not wait for it.
    import plotly.graph_objects as go

    marks = _marks(found)
    figure = go.Figure(layout={"template": "none"})
    for kind, (name, colour) in STYLES.items():
        if of_kind := [mark for mark in marks if mark.row.kind == kind]:
            figure.add_trace(go.Scatter(name=name, **_points(of_kind, colour)))
    figure.update_layout(**_layout(found, [mark.name for mark in marks]))
    return dict(json.loads(figure.to_json()))


def _marks(found: Placement) -> list[_Mark]:
    people = [_Mark(each.row, each.found.mean, each.found.standard_error) for each in found.people]
    systems = [_Mark(each.row, each.ability, each.ability_error) for each in found.systems]
    return [*people, *systems][:MOST_BARS]


def _points(marks: Sequence[_Mark], colour: str) -> dict[str, Any]:
    return {
        "mode": "markers",
        "y": [mark.name for mark in marks],
        "x": [round(mark.ability, 3) for mark in marks],
        "marker": {"color": colour, "symbol": [mark.symbol for mark in marks], "size": 10},
        "error_x": {
            "type": "data",
            "array": [round(Z * mark.error, 3) for mark in marks],
            "color": "var(--text)",
            "thickness": 1.2,
            "width": 3,
        },
        "customdata": [[mark.ability - Z * mark.error, mark.ability + Z * mark.error] for mark in marks],
        "hovertemplate": "%{y}: %{x:.2f}<br>95% interval %{customdata[0]:.2f} to %{customdata[1]:.2f}<extra></extra>",
    }


def _layout(found: Placement, names: Sequence[str]) -> dict[str, Any]:
    return {
        "height": scale_chart_height(found),
        "margin": {"l": 10, "r": 16, "t": 16, "b": 148},
        **LOOK,
        "meta": {"narrow": {"title": "ability", "dtick": 2}},
        "xaxis": {
            "title": {"text": "ability", "font": {"size": 13}, "standoff": 8},
            # Plotly would turn them where it is narrow, into the title.
            "tickangle": 0,
            "gridcolor": "var(--line)",
            "zeroline": True,
            "zerolinecolor": "var(--line-strong)",
            "fixedrange": True,
        },
        "yaxis": {
            "categoryorder": "array",
            "categoryarray": list(names)[::-1],
            "gridcolor": "var(--line)",
            "automargin": True,
            "fixedrange": True,
            "ticksuffix": " ",
        },
    }
