"""What the public API answers with, described field by field; the served description and its page are made from it."""

from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

Share = Annotated[float | None, Field(description="A fraction of 1, unrounded; null where there is none.")]
Withheld = Annotated[
    str | None,
    Field(
        description="Why there is no accuracy: `incomplete` (an answer is missing or failed on our side), "
        "`few_questions` (it would tell the result of too few questions, alone or with what else is shown of the "
        "benchmark), `other_grouping` (people who answered different questions are shown by topic only)."
    ),
]


class TopicEstimate(Schema):
    """Accuracy on one group of questions."""

    slug: str
    n: int = Field(description="Questions in the group.")
    accuracy: Share
    ci_low: Share
    ci_high: Share
    withheld: Withheld


class People(Schema):
    """How many people a row is of; their best and worst only from enough people on and without a filter."""

    n: int
    best: Share
    worst: Share


class BoardRow(Schema):
    """A system, or people as one row."""

    rank: int | None = Field(description="Shared by equal accuracies; null for a row without an accuracy.")
    rank_low: int | None = Field(description="The best rank the questions allow.")
    rank_high: int | None = Field(description="The worst rank the questions allow.")
    group: int | None = Field(description="The block of the board between two heavier lines.")
    letters: list[str] = Field(description="Two rows share one exactly where they cannot be told apart.")
    slug: str
    name: str
    source_name: str = Field(description="The name in the published report a result was imported from, or empty.")
    kind: str = Field(description="`model`, `agent`, `baseline` or `human`.")
    status: str = Field(description="`complete`, or `incomplete`: shown, and not ranked.")
    is_demo: bool
    is_imported: bool
    is_submitted: bool
    repeats: int
    repeat_low: Share
    repeat_high: Share
    repeat_sd: Share
    macro_accuracy: Share
    macro_low: Share
    macro_high: Share
    macro_topics: int | None = Field(description="The topics that count the same in `macro_accuracy`.")
    n_questions: int
    n_scored: int | None = Field(description="Questions with a verdict in every repeat.")
    n_by_fallback: int = Field(
        0, description="Answers that only a fallback reader could read, counted or not; left out where there is none."
    )
    outcomes: dict[str, int] = Field(description="Answers by outcome; empty where they would tell single verdicts.")
    accuracy: Share
    ci_low: Share
    ci_high: Share
    withheld: Withheld
    people: People | None
    inclusion: str | None = Field(description="Which people a row is of, in a sentence.")
    answers_per_question: float | None = Field(description="Median number of people asked a question.")
    topics: dict[str, TopicEstimate] = Field(description="By the name of the group in the grouping asked for.")


class BoardOut(Schema):
    """A board: its rows in rank order, and what is needed to read it."""

    set: str
    set_revision: int | None
    benchmark: str
    results_version: int = Field(description="Raised with every change of results of the benchmark.")
    rule: str = Field(description="`name@version` of the rule that made the verdicts.")
    rules: list[str] = Field(description="The rules there are.")
    grouping: str
    topic: str | None
    is_demo: bool
    n_questions: int
    n_people: int
    n_people_complete: int
    n_people_counted: int
    n_absent_under_rule: int
    chance_level: Share
    chance_sd: Share
    rows: list[BoardRow]


class SetOut(Schema):
    """A question set."""

    slug: str
    name: str
    benchmark: str
    revision: int | None
    n_questions: int
    default_rule: str
    is_demo: bool


class SetsOut(Schema):
    """The question sets, demo sets last."""

    sets: list[SetOut]


class SystemResult(BoardRow):
    """A system's row on the board of one set."""

    set: str
    rule: str


class SystemOut(Schema):
    """What is known of a system, and its results."""

    slug: str
    name: str
    source_name: str
    kind: str
    is_demo: bool
    model_id: str
    released_on: str | None
    parameter_count: int | None
    open_weights: bool | None
    results: list[SystemResult]


class Problem(Schema):
    """What is wrong with a request, and what may be asked."""

    detail: str


PROBLEMS: dict[int, type[Schema]] = {400: Problem, 404: Problem, 429: Problem}
NOT_SENT_AGAIN = {"description": "Unchanged: you have this version (the `ETag` you sent as `If-None-Match`)."}
# What every answer has beside its body, in the words of the description.
EXTRA: dict[str, Any] = {"responses": {304: NOT_SENT_AGAIN}}
CSV_EXTRA: dict[str, Any] = {
    "responses": {
        200: {"description": "OK", "content": {"text/csv": {"schema": {"type": "string"}}}},
        304: NOT_SENT_AGAIN,
    }
}
