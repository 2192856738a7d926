"""A few systems by topic against the mean of people, as a radar; with too few or too many topics for one, as bars.

The bundle of Plotly in use has no polar traces, and the one that has them is three times as large: the radar is drawn
in plain coordinates, as lines between points around a centre.
"""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leaderboard.boards import HUMAN, Estimate, Row, Topic
from leaderboard.charts import label, people_label, plain
from leaderboard.compare import TooFewError, chosen_rows
from leaderboard.comparison import MOST
from leaderboard.queries import BadQueryError, Board

FEWEST_TOPICS, MOST_TOPICS = 3, 12
# How many are drawn where the address names nobody.
SUGGESTED = 3
RINGS = (0.25, 0.5, 0.75, 1.0)
LABEL_LENGTH = 14
# How wide a letter of a topic's label is, and the narrowest chart, in pixels; where the labels begin, in radiuses.
_LETTER, _NARROWEST, _LABELS_AT = 6.6, 300, 1.06
# Colour, shape and dash of each: any one of them tells them apart.
STYLES = (
    ("var(--category-blue)", "circle", "solid"),
    ("var(--category-orange)", "triangle-up", "dash"),
    ("var(--category-purple)", "square", "dot"),
    ("var(--category-grey)", "x", "dashdot"),
    ("var(--text)", "star", "longdash"),
)
PEOPLE_STYLE = ("var(--category-green)", "diamond", "solid")


@dataclass(frozen=True, slots=True)
class TopicChart:
    """The systems chosen, in the order of the address, the row of people, and the topics on which any has a result."""

    systems: tuple[Row, ...]
    people: Row | None
    topics: tuple[Topic, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        """Everybody drawn, people last."""
        return (*self.systems, *([self.people] if self.people else []))

    @property
    def is_radar(self) -> bool:
        """Whether there are topics enough, and not too many, for a radar that can be read."""
        return FEWEST_TOPICS <= len(self.topics) <= MOST_TOPICS

    @property
    def height(self) -> int:
        """The height in pixels, so that its place can be kept before it is drawn."""
        if self.is_radar:
            return 560
        return 150 + len(self.topics) * (14 + 20 * max(len(self.systems), 1))

    @property
    def height_on_phones(self) -> int:
        """The same where the window is narrow; names then stand one below the other."""
        return 330 + 24 * len(self.rows) if self.is_radar else self.height


def topic_chart_of(board: Board, named: Sequence[str]) -> TopicChart:
    """Return the chart of the systems named, or of the best few where nobody is.

    Raise `BadQueryError` for somebody who is not there, has no accuracy, is named twice or is people, who are always
    drawn; `TooFewError` for fewer than two.
    """
    people = board.people_with_accuracy
    if any(row.slug in named for row in board.people_rows):
        raise BadQueryError("People are always drawn as their mean. Choose systems.")
    systems = chosen_rows(board, named) if named else suggested(board)
    drawn = [*systems, *([people] if people else [])]
    topics = [topic for topic in board.topics if any(_share(row, topic) is not None for row in drawn)]
    return TopicChart(systems, people, tuple(topics))


class Asked(NamedTuple):
    """The chart that an address asks for, None where it cannot be drawn, and what is wrong with the choice."""

    chart: TopicChart | None
    problem: str = ""
    is_mistake: bool = False


def asked_chart(board: Board, named: Sequence[str]) -> Asked:
    """Return the chart of the systems named, or what is wrong with the choice."""
    try:
        chart = topic_chart_of(board, named)
    except TooFewError as error:
        return Asked(None, str(error))
    except BadQueryError as error:
        return Asked(None, str(error), is_mistake=True)
    return Asked(chart if chart.systems and chart.topics else None)


def suggested(board: Board) -> tuple[Row, ...]:
    """Return the best systems of the board."""
    return tuple(row for row in board.rows if row.has_accuracy and row.kind != HUMAN)[:SUGGESTED]


def choices(board: Board, chart: TopicChart | None, named: Sequence[str]) -> list[tuple[int, str]]:
    """Return the number of each list to choose from, and who is chosen in it: of a bad choice what can be kept."""
    known = [row.slug for row in board.rows if row.has_accuracy and row.kind != HUMAN]
    kept = [row.slug for row in chart.systems] if chart else [slug for slug in dict.fromkeys(named) if slug in known]
    return [(number + 1, kept[number] if number < len(kept) else "") for number in range(MOST)]


def topic_figure(chart: TopicChart) -> dict[str, Any]:
    """Return the figure. A topic without a result is a gap, never zero."""
    # Plotly takes half a second to import; pages without a figure do not wait for it.
    import plotly.graph_objects as go

    figure = go.Figure(layout={"template": "none"})
    styles = [*STYLES[: len(chart.systems)], PEOPLE_STYLE]
    for row, style in zip(chart.rows, styles, strict=False):
        if chart.is_radar:
            figure.add_trace(go.Scatter(name=_name(row), **_line(chart, row, style)))
        elif row.kind == HUMAN:
            figure.add_trace(go.Scatter(name=_name(row), **_marks(chart, row, style)))
        else:
            figure.add_trace(go.Bar(name=_name(row), **_bars(chart, row, style)))
    figure.update_layout(**_common(chart), **(_radar_layout(chart) if chart.is_radar else _bar_layout(chart)))
    return dict(json.loads(figure.to_json()))


def _share(row: Row, topic: Topic) -> float | None:
    estimate = row.topics.get(topic.slug)
    return None if estimate is None or estimate.accuracy is None else float(estimate.accuracy)


def _name(row: Row) -> str:
    return people_label(row) if row.kind == HUMAN else label(row)


def _words(topic: Topic, estimate: Estimate | None) -> list[str]:
    """Return what is said of a point: topic, share, interval, number of questions."""
    if estimate is None or estimate.accuracy is None:
        return [plain(topic.name), "", ""]
    bounds = estimate.bounds
    between = f"<br>95% interval {bounds[0] * 100:.1f}% to {bounds[1] * 100:.1f}%" if bounds else ""
    return [
        plain(topic.name),
        f"{float(estimate.accuracy) * 100:.1f}%",
        f"{between}<br>{estimate.n_questions:,} questions",
    ]


_HOVER = "%{customdata[0]}: %{customdata[1]}%{customdata[2]}<extra>%{fullData.name}</extra>"


def _line(chart: TopicChart, row: Row, style: tuple[str, str, str]) -> dict[str, Any]:
    """Return a closed line around the centre with a gap at a topic without a result."""
    colour, symbol, dash = style
    places = [_place(chart, index, _share(row, topic)) for index, topic in enumerate(chart.topics)]
    said = [_words(topic, row.topics.get(topic.slug)) for topic in chart.topics]
    return {
        "mode": "lines+markers",
        "x": [place and place[0] for place in (*places, places[0])],
        "y": [place and place[1] for place in (*places, places[0])],
        "customdata": [*said, said[0]],
        "connectgaps": False,
        "line": {"color": colour, "dash": dash, "width": 3 if row.kind == HUMAN else 2},
        "marker": {"color": colour, "symbol": symbol, "size": 8},
        "hovertemplate": _HOVER,
    }


def _place(chart: TopicChart, index: int, share: float | None) -> tuple[float, float] | None:
    """Return where a share lies on the spoke of a topic: the first points up, the others follow clockwise."""
    if share is None:
        return None
    angle = math.pi / 2 - 2 * math.pi * index / len(chart.topics)
    return round(share * math.cos(angle), 5), round(share * math.sin(angle), 5)


def _bars(chart: TopicChart, row: Row, style: tuple[str, str, str]) -> dict[str, Any]:
    shares = [_share(row, topic) for topic in chart.topics]
    return {
        "orientation": "h",
        "y": [plain(topic.name) for topic in chart.topics],
        "x": [None if share is None else round(share * 100, 3) for share in shares],
        "customdata": [_words(topic, row.topics.get(topic.slug)) for topic in chart.topics],
        "marker": {"color": style[0]},
        "hovertemplate": _HOVER,
    }


def _marks(chart: TopicChart, row: Row, style: tuple[str, str, str]) -> dict[str, Any]:
    colour, symbol, _ = style
    bars = _bars(chart, row, style)
    return {**bars, "mode": "markers", "marker": {"color": colour, "symbol": symbol, "size": 11}}


def _common(chart: TopicChart) -> dict[str, Any]:
    return {
        "height": chart.height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, sans-serif", "size": 14, "color": "var(--text)"},
        "hoverlabel": {"font": {"family": "system-ui, sans-serif"}},
        "legend": {"orientation": "h", "x": 0, "yref": "container", "y": 0, "yanchor": "bottom"},
        "showlegend": True,
    }


def _bar_layout(chart: TopicChart) -> dict[str, Any]:
    return {
        "margin": {"l": 10, "r": 16, "t": 16, "b": 110},
        "bargap": 0.25,
        "xaxis": {
            "title": {"text": "right answers, % of the questions of each topic", "font": {"size": 13}, "standoff": 8},
            "range": [0, 101],
            "dtick": 20,
            "ticksuffix": "%",
            "gridcolor": "var(--line)",
            "zeroline": False,
            "fixedrange": True,
        },
        "yaxis": {
            "categoryorder": "array",
            "categoryarray": [plain(topic.name) for topic in chart.topics][::-1],
            "automargin": True,
            "fixedrange": True,
            "ticksuffix": " ",
        },
    }


def _radar_layout(chart: TopicChart) -> dict[str, Any]:
    hidden = {"visible": False, "fixedrange": True}
    narrow = {"l": 0, "r": 0, "t": 4, "b": 24 * len(chart.rows) + 12}
    return {
        "margin": {"l": 0, "r": 0, "t": 10, "b": 70},
        "hovermode": "closest",
        "xaxis": {**hidden, "range": [-1.7, 1.7]},
        "yaxis": {**hidden, "range": [-1.32, 1.32], "scaleanchor": "x"},
        "shapes": [*_rings(), *_spokes(chart)],
        "annotations": [*_ring_labels(chart), *_topic_labels(chart)],
        "meta": {
            "narrow": {
                "height": chart.height_on_phones,
                "margin": narrow,
                "xaxis": {**hidden, "range": [-_reach(chart), _reach(chart)]},
            }
        },
    }


def _reach(chart: TopicChart) -> float:
    """Return how far from the centre a narrow chart has to reach, in radiuses, for the longest word beside it."""
    letters = max(len(word) for topic in chart.topics for word in _words_of(topic.name))
    return round(max(1.7, _LABELS_AT / (1 - 2 * _LETTER * letters / _NARROWEST)), 2)


def _rings() -> Iterator[dict[str, Any]]:
    for ring in RINGS:
        line = {"color": "var(--line-strong)" if ring == 1 else "var(--line)", "width": 1}
        yield {"type": "circle", "layer": "below", "x0": -ring, "x1": ring, "y0": -ring, "y1": ring, "line": line}


def _spokes(chart: TopicChart) -> Iterator[dict[str, Any]]:
    for index in range(len(chart.topics)):
        x, y = _place(chart, index, 1.0) or (0.0, 0.0)
        line = {"color": "var(--line)", "width": 1}
        yield {"type": "line", "layer": "below", "x0": 0, "y0": 0, "x1": x, "y1": y, "line": line}


def _ring_labels(chart: TopicChart) -> Iterator[dict[str, Any]]:
    """Label each ring on its inside, half way between the first two spokes: the points lie on the spokes."""
    angle = math.pi / 2 - math.pi / len(chart.topics)
    for ring in RINGS:
        yield {
            "x": round(ring * math.cos(angle), 5),
            "y": round(ring * math.sin(angle), 5),
            "text": f"{ring:.0%}",
            "showarrow": False,
            "xanchor": "center",
            "yanchor": "top",
            "font": {"size": 11, "color": "var(--text-quiet)"},
        }


def _topic_labels(chart: TopicChart) -> Iterator[dict[str, Any]]:
    for index, topic in enumerate(chart.topics):
        x, y = _place(chart, index, 1.0) or (0.0, 0.0)
        yield {
            "x": round(x * _LABELS_AT, 5),
            "y": round(y * _LABELS_AT, 5),
            "text": _wrapped(topic.name),
            "showarrow": False,
            "xanchor": "center" if abs(x) < 0.2 else "left" if x > 0 else "right",
            "yanchor": "bottom" if y > 0.5 else "top" if y < -0.5 else "middle",
            "font": {"size": 12},
        }


def _wrapped(name: str) -> str:
    """Return a name with one word on a line: at the side of a radar there is no room for more."""
    return "<br>".join(plain(word) for word in _words_of(name))


def _words_of(name: str) -> list[str]:
    """Return the first words of a name, long ones cut."""
    words = name.replace("/", "/ ").split()[:3] or [""]
    return [word if len(word) <= LABEL_LENGTH else f"{word[: LABEL_LENGTH - 1]}…" for word in words]
