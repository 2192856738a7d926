"""The read-me of a results export."""

from corpus.models import Benchmark, QuestionSet, QuestionSetRevision
from leaderboard.queries import Board
from leaderboard.snapshot_rows import PeopleShown


def readme(board: Board, set_revision: QuestionSetRevision, people: PeopleShown, *, answers: bool) -> str:
    """Return what the files are, where they come from, and what must be kept in mind."""
    benchmark = board.question_set.benchmark
    cited = (benchmark.citation or "not stated").rstrip(".")
    is_open = board.question_set.policy == QuestionSet.Policy.OPEN
    parts = [
        f"# Results on {board.question_set.name}",
        f"Benchmark: {benchmark.name} {benchmark.version}".rstrip() + f". Set: `{board.question_set.slug}`, revision "
        f"{set_revision.number}, {board.n_questions} questions (hash of its content {set_revision.content_hash}). "
        f"Rule: `{board.query.rule}`. Version of the results: {benchmark.results_version}.",
        f"Licence of the questions: {benchmark.licence or 'not stated'}. Cite: {cited}.",
        *_demo(board),
        "## Canary",
        *_canary(benchmark),
        "## Files",
        *_files(answers=answers, is_open=is_open),
        "## How to read them",
        "Shares are fractions of 1, unrounded. Accuracy = right answers / questions in the set; wrong, unparsed, "
        "refused, empty, truncated, given up and “I do not know” all count against it. Intervals are of 95 %. A row "
        "that is `incomplete` has no accuracy and no rank. `withheld` says why a figure is not given: results of very "
        "few questions of a closed set would tell single verdicts.",
        "CSV files are UTF-8 with one line of headings. Text that a spreadsheet would take for a formula begins with "
        "an apostrophe; numbers stay numbers. JSON files have text as it is.",
        *_fallback(board),
        "## People",
        "Only together, in whole percent or coarser and for the whole set, so that a later board tells little of who "
        "withdrew."
        if people.are_shown
        else f"Not in these files. {people.why_not}",
    ]
    return "\n\n".join(parts) + "\n"


def _canary(benchmark: Benchmark) -> list[str]:
    if not benchmark.canary:
        return ["The benchmark has none."]
    return [benchmark.canary, "Leave the canary in wherever these files go."]


def _demo(board: Board) -> list[str]:
    """Return what is said of made-up results: that all are, or where it is said which ones."""
    if board.question_set.benchmark.is_demo:
        return ["**Demo data**: made up to show how the site works."]
    if not board.has_demo:
        return []
    said = (
        "lines whose `is_demo` is true were made up to show how the site works; `systems.csv` says it of each system."
    )
    return [f"**Demo data among the rows**: {said}"]


def _fallback(board: Board) -> list[str]:
    """Return what is said of fallback readers, nothing where no answer rests on one."""
    n = board.n_by_fallback
    if not n:
        return []
    answers = "1 answer" if n == 1 else f"{n} answers"
    if board.query.fallback == "off":
        said = (
            f"Without fallback readers: {answers} that only another system could read and pick out count as `unparsed`."
        )
    else:
        said = (
            f"{answers} could only be read by another system, which picked them out of the reply, and count here as it "
            "read them. Export with `--without-fallback` for the results without."
        )
    return ["## Fallback readers", f"{said} `n_by_fallback` in `results.json` says how many of each system."]


def _files(*, answers: bool, is_open: bool) -> list[str]:
    lines = [
        "- `results.json`: all of the tables below but verdicts and answers, as one object",
        "- `board.csv`: one line for each row of the board; outcomes and topics as columns",
        "- `groups.csv`: each system on each group of every grouping",
        "- `systems.csv`: what is known of each system",
    ]
    if answers or is_open:
        lines.append("- `verdicts.csv`: how each question ended for each system in each repeat")
    if answers:
        lines += [
            "- `answers/keys.csv`, `answers/keys.json`: the answer keys",
            "- `answers/answers.csv`, `answers/answers.jsonl`: what each system replied, and the options it saw",
        ]
    lines.append("- `SHA256SUMS`: for `sha256sum --check SHA256SUMS`")
    said = ["\n".join(lines)]
    if answers:
        said.append("**With answer keys. Do not publish this folder**, least of all where language models are trained.")
    else:
        said.append("Answer keys, questions and replies are not in these files.")
    return said
