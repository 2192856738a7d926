"""How long people take over the questions of a study, and which tools they say they used. For staff."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from django.conf import settings

from corpus.scoring.types import Outcome
from survey.models import Response, Study, StudyBlock
from survey.selectors.study_answers import UNJUDGED, analysed_people, net_seconds

MINUTE = 60
OTHER_TOOL = "other: "
OTHER = "other, in their own words"
TIME_BOUNDS = (15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 30 * MINUTE)


class TimeBin(NamedTuple):
    """Answers whose net time is below `below` seconds (None: all longer ones) and not in an earlier bin."""

    below: int | None
    n: int
    share: float


@dataclass(frozen=True, slots=True)
class BlockTimes:
    """Net seconds of the answers of a block: quartiles and bins; `away_share` is the part of all time spent away."""

    title: str
    tools_allowed: bool
    n_answers: int
    n_timed: int
    quartiles: tuple[float | None, float | None, float | None]
    total_seconds: float
    away_share: float | None
    bins: tuple[TimeBin, ...]


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool as people named it, in the blocks where tools are allowed; one answer can name several.

    `share_right` is None for those who may not see keys: one answer more changes it, and so tells a verdict. It is None
    below PEOPLE_MINIMUM_FOR_MEAN judged answers as well.
    """

    tool: str
    n_answers: int
    n_people: int
    share: float
    share_right: float | None


@dataclass(frozen=True, slots=True)
class TimesAndTools:
    """Times by block, and tools over the blocks that allow them: of their `n_answers`, `n_silent` name nothing.

    `tools` are those of the form, and under OTHER all that people named in words of their own, which are `own_words`.
    """

    blocks: tuple[BlockTimes, ...]
    tools: tuple[ToolUse, ...]
    own_words: tuple[ToolUse, ...]
    n_answers: int
    n_silent: int


class _Row(NamedTuple):
    participant_id: int
    block_id: int
    seconds: float | None
    away_seconds: float | None
    tools_used: list[str]
    outcome: str


def times_and_tools(study: Study, *, with_verdicts: bool) -> TimesAndTools:
    """Return the times and tools of the people whose answers are analysed, attention checks left out. Two queries.

    How many are right with a tool is there `with_verdicts` only.
    """
    blocks = list(StudyBlock.objects.filter(study=study).order_by("position"))
    responses = Response.objects.filter(
        assignment__participant__in=analysed_people(study), assignment__is_attention_check=False
    ).order_by()
    by_block: dict[int, list[_Row]] = defaultdict(list)
    for values in responses.values_list(
        "assignment__participant_id", "assignment__block_id", "seconds", "away_seconds", "tools_used", "outcome"
    ).iterator():
        row = _Row(*values)
        by_block[row.block_id].append(row)
    with_tools = [row for block in blocks if block.tools_allowed for row in by_block[block.pk]]
    return TimesAndTools(
        blocks=tuple(_block_times(block, by_block[block.pk]) for block in blocks),
        tools=_tool_uses(with_tools, _form_name, with_verdicts=with_verdicts),
        own_words=_tool_uses(with_tools, _own_words, with_verdicts=with_verdicts),
        n_answers=len(with_tools),
        n_silent=sum(not row.tools_used for row in with_tools),
    )


def _block_times(block: StudyBlock, rows: Sequence[_Row]) -> BlockTimes:
    timed = [row for row in rows if row.seconds is not None]
    net = np.array([net_seconds(row.seconds, row.away_seconds) for row in timed], dtype=float)
    gross = sum(row.seconds or 0.0 for row in timed)
    first, median, third = np.quantile(net, (0.25, 0.5, 0.75)).tolist() if timed else (None, None, None)
    return BlockTimes(
        title=block.title,
        tools_allowed=block.tools_allowed,
        n_answers=len(rows),
        n_timed=len(timed),
        quartiles=(first, median, third),
        total_seconds=float(net.sum()),
        away_share=max(0.0, 1 - float(net.sum()) / gross) if gross else None,
        bins=_bins(net.tolist()),
    )


def _bins(net: Sequence[float]) -> tuple[TimeBin, ...]:
    counts = Counter(int(np.searchsorted(TIME_BOUNDS, seconds, side="right")) for seconds in net)
    bounds = (*TIME_BOUNDS, None)
    return tuple(
        TimeBin(below, counts[place], counts[place] / len(net) if net else 0.0) for place, below in enumerate(bounds)
    )


def _form_name(tool: str) -> str:
    return OTHER if tool.startswith(OTHER_TOOL) else tool


def _own_words(tool: str) -> str:
    return tool.removeprefix(OTHER_TOOL) if tool.startswith(OTHER_TOOL) else ""


def _tool_uses(rows: Sequence[_Row], name_of: Callable[[str], str], *, with_verdicts: bool) -> tuple[ToolUse, ...]:
    """Return the uses by name, the most frequent first; a tool whose name is empty is left out."""
    by_tool: dict[str, list[_Row]] = defaultdict(list)
    for row in rows:
        for name in dict.fromkeys(name_of(tool) for tool in row.tools_used):
            if name:
                by_tool[name].append(row)
    found = [
        _tool_use(tool, using, n_answers=len(rows), with_verdicts=with_verdicts) for tool, using in by_tool.items()
    ]
    return tuple(sorted(found, key=lambda use: (-use.n_answers, use.tool)))


def _tool_use(tool: str, rows: Sequence[_Row], *, n_answers: int, with_verdicts: bool) -> ToolUse:
    judged = [row for row in rows if row.outcome not in UNJUDGED]
    is_told = with_verdicts and len(judged) >= max(1, int(settings.PEOPLE_MINIMUM_FOR_MEAN))
    return ToolUse(
        tool=tool,
        n_answers=len(rows),
        n_people=len({row.participant_id for row in rows}),
        share=len(rows) / n_answers,
        share_right=sum(row.outcome == Outcome.RIGHT for row in judged) / len(judged) if is_told else None,
    )
