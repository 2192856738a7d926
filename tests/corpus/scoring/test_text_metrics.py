"""METEOR on plain strings, without data and without a network (cases SC-03, SC-04)."""

import gzip
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import NoReturn

import pytest

from corpus.scoring import text_metrics as module
from corpus.scoring.reading import read_answer
from corpus.scoring.rules import judge, registry
from corpus.scoring.rules.verdicts import read_verdict
from corpus.scoring.text_metrics import MAX_LENGTH, METEOR, meteor_exact_stem, text_metrics
from corpus.scoring.types import Asked, Kind, Outcome, Reading, ReadStatus, Target, Verdict

CAPTION = "The molecule is an indole alkaloid. It has a role as a hormone antagonist and a dopamine agonist."
CAT = "the cat sat on the mat"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Refuse every connection and look-up of a host, and load the library anew in each test."""

    def refuse(*_: object, **__: object) -> NoReturn:
        pytest.fail("a metric asked the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    module._scorer.cache_clear()
    yield
    module._scorer.cache_clear()


# The first three are the worked examples found wherever the formula is explained: penalties of 1/6, 6/6 and 2/6.
SCORES = [
    (CAT, CAT, 0.9977),
    ("on the mat sat the cat", CAT, 0.5),
    ("the cat was sat on the mat", CAT, 0.9654),
    ("my cat sat", "my cat sat on its mat", 10 * 0.5 / (0.5 + 9) * (1 - 0.5 / 27)),
    ("my cat sat on its mat", "my cat sat", 10 * 0.5 / (1 + 9 * 0.5) * (1 - 0.5 / 27)),
    # A word that stands twice in the reference is matched where it stands last, which makes two runs of this.
    ("the cat sat", CAT, 10 * 0.5 / (0.5 + 9) * (1 - 0.5 * 8 / 27)),
    ("Molecules binding", "molecule binds", 0.9375),
    ("ETHANOL IS AN ALCOHOL", "ethanol is an alcohol", 1 - 0.5 / 64),
    ("An acid (strong).", "an acid ( strong ) .", 1 - 0.5 / 216),
    ("It is an acid. It burns", "It is an acid . It burns", 1 - 0.5 / 343),
    ("ethanol", "ethanol", 0.5),
    ("big feline", "large cat", 0.0),
    ("", CAT, 0.0),
    (CAT, " \n", 0.0),
]


@pytest.mark.parametrize(("hypothesis", "reference", "score"), SCORES)
def test_meteor_of_plain_strings(hypothesis: str, reference: str, score: float) -> None:
    assert meteor_exact_stem(hypothesis=hypothesis, reference=reference) == pytest.approx(score, abs=5e-5)


def test_words_are_compared_and_not_characters() -> None:
    same = meteor_exact_stem(hypothesis=CAPTION, reference=CAPTION)
    letters_turned = meteor_exact_stem(hypothesis=CAPTION[::-1], reference=CAPTION)
    assert same is not None
    assert letters_turned is not None
    assert 0.9999 < same < 1
    assert letters_turned < 0.1


def test_the_name_says_what_is_matched() -> None:
    assert text_metrics(hypothesis=CAT, reference=CAT) == {"meteor_exact_stem": pytest.approx(0.9977, abs=5e-5)}


def test_without_the_library_the_metric_is_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.translate.meteor_score", None)
    assert text_metrics(hypothesis=CAT, reference=CAT) == {METEOR: None}


def test_a_text_beyond_the_limit_is_not_measured() -> None:
    longest = "a " * (MAX_LENGTH // 2)
    assert meteor_exact_stem(hypothesis=longest, reference="b") == 0.0
    assert meteor_exact_stem(hypothesis=f"{longest}a", reference="b") is None
    assert meteor_exact_stem(hypothesis="b", reference=f"{longest}a") is None


def test_rules_and_reader_do_not_load_the_library() -> None:
    code = "import sys, corpus.scoring.rules, corpus.scoring.reading; sys.exit('nltk' in sys.modules)"
    root = Path(__file__).resolve().parents[3]
    assert subprocess.run([sys.executable, "-c", code], cwd=root, check=False).returncode == 0


def judge_wrong(*, reading: Reading, target: Target, rule: str) -> Verdict:
    return read_verdict(is_right=False, rule=rule, reason="Never right.", metrics={"own": 0.25})


@pytest.fixture
def rule_for_texts(monkeypatch: pytest.MonkeyPatch) -> str:
    """A rule that judges texts; none of those registered does."""
    rule = registry.Rule(name="texts@1", definition="", judges=dict.fromkeys(Kind, judge_wrong))
    monkeypatch.setitem(registry._RULES, rule.name, rule)
    return rule.name


def judged(text: str, rule: str, kind: Kind = Kind.TEXT, key: str = CAPTION) -> Verdict:
    reading = read_answer(text=text, asked=Asked(kind))
    return judge(reading=reading, target=Target(kind, text=key), rule=rule)


@pytest.mark.parametrize("reply", [CAPTION, f"[ANSWER]{CAPTION}[/ANSWER]", f"<think>No. {CAT}</think>\n{CAPTION}"])
def test_meteor_stands_beside_the_verdict_on_a_text(reply: str, rule_for_texts: str) -> None:
    verdict = judged(reply, rule_for_texts)
    assert (verdict.outcome, verdict.credit, verdict.reason) == (Outcome.WRONG, 0, "Never right.")
    assert verdict.metrics == {"own": 0.25, METEOR: pytest.approx(1, abs=1e-3)}


def test_a_verdict_does_without_the_library(monkeypatch: pytest.MonkeyPatch, rule_for_texts: str) -> None:
    monkeypatch.setitem(sys.modules, "nltk.translate.meteor_score", None)
    verdict = judged(CAPTION, rule_for_texts)
    assert (verdict.outcome, verdict.metrics) == (Outcome.WRONG, {"own": 0.25, METEOR: None})


def test_only_a_text_that_was_read_and_has_a_key_is_measured(rule_for_texts: str) -> None:
    assert judged("CCO", rule_for_texts, Kind.MOLECULE, "CCO").metrics == {"own": 0.25}
    assert judged(CAPTION, rule_for_texts, key="").metrics == {"own": 0.25}
    assert judged("", rule_for_texts).metrics == {}
    without_words = Reading(ReadStatus.READ)
    assert judge(reading=without_words, target=Target(Kind.TEXT, text=CAT), rule=rule_for_texts).metrics == {
        "own": 0.25
    }


@pytest.mark.shared
def test_captions_of_published_questions(shared: Path) -> None:
    """No completion behind a published METEOR is public, so made-up ones are ranked as ROUGE-L ranks them."""
    folder = shared / "data" / "chemllmbench"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/data/chemllmbench is not here")
    with gzip.open(folder / "fixture_copy_icl_SYNTHETIC.jsonl.gz", "rt") as lines:
        rows = [row for row in map(json.loads, lines) if row["task"] == "molecule_captioning"]
    expected = json.loads((folder / "fixture_expected.json").read_text())["molecule_captioning/chebi20"]
    assert len(rows) == expected["n"]
    by_rouge = expected["metrics"]["rougeL"]["per_repeat"]
    scores = [
        [meteor_exact_stem(hypothesis=row["completions"][repeat], reference=row["target"]) or 0 for row in rows]
        for repeat in range(len(by_rouge))
    ]
    own = [meteor_exact_stem(hypothesis=row["target"], reference=row["target"]) or 0 for row in rows]
    means = [mean(each) for each in scores]
    assert min(own) > 0.999
    assert all(score <= best for each in scores for score, best in zip(each, own, strict=True))
    assert sorted(range(len(means)), key=means.__getitem__) == sorted(range(len(means)), key=by_rouge.__getitem__)
