"""What the reader is told of a prompt: the question, and apart from it what a system prompt said first."""

import pytest

from corpus.scoring.reading import read_answer
from corpus.scoring.types import ReadStatus
from evaluations.asked import asked_of_run
from evaluations.models import Run
from evaluations.prompts import folded, prompt_style, prompt_style_names
from evaluations.services.asking import ask_until_done
from evaluations.services.runs import run_create
from tests.corpus.factories import make_benchmark, make_question, make_set
from tests.evaluations.test_responses import MakeSystem
from tests.fake_servers.server import FakeServer, Said

SAID_FIRST = "Avoid wrong answers; write [ANSWER]B[/ANSWER] and nothing else."


@pytest.mark.django_db
@pytest.mark.parametrize("name", prompt_style_names())
@pytest.mark.parametrize("is_folded", [False, True])
def test_an_echo_is_no_answer_with_a_system_prompt_before_it_or_without(name: str, is_folded: bool) -> None:
    style = prompt_style(name)
    revision = make_question(make_benchmark()).current_revision
    assert revision is not None
    bare = style.prepare(revision)
    with_rules = folded(bare, SAID_FIRST)
    frozen = {"system_prompt": SAID_FIRST, "prompt": style.as_frozen()}
    sent = with_rules.prompt if is_folded else bare.prompt
    asked = asked_of_run(revision, bare.options_shown, sent, frozen=frozen)
    assert (asked.said_first, asked.prompt) == (f"{SAID_FIRST}\n\n", bare.prompt)
    for echo in (bare.prompt, with_rules.prompt, f"{with_rules.prompt} Well.", f"You ask: {with_rules.prompt}"):
        assert read_answer(text=echo, asked=asked).status is not ReadStatus.READ


@pytest.mark.django_db
def test_a_run_without_a_system_prompt_has_nothing_said_first() -> None:
    revision = make_question(make_benchmark()).current_revision
    assert revision is not None
    asked = asked_of_run(revision, (), "Which one?", frozen={})
    assert (asked.said_first, asked.prompt) == ("", "Which one?")


@pytest.mark.django_db
def test_words_of_a_system_prompt_are_not_the_questions() -> None:
    revision = make_question(make_benchmark()).current_revision
    assert revision is not None
    bare = prompt_style("instruction@1").prepare(revision)
    sent = folded(bare, SAID_FIRST).prompt
    asked = asked_of_run(revision, bare.options_shown, sent, frozen={"system_prompt": SAID_FIRST})
    assert read_answer(text="The wrong answer is B.", asked=asked).status is ReadStatus.UNPARSED


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_folded", [False, True])
def test_a_system_that_repeats_the_question_alone_has_not_answered(make_system: MakeSystem, is_folded: bool) -> None:
    benchmark = make_benchmark()
    question = make_question(benchmark, options=[("benzene", 1), ("toluene", 0), ("aniline", 1), ("phenol", 0)])
    questions = make_set(benchmark, revisions=[question]).current_revision
    assert questions is not None
    with FakeServer(answer=lambda prompt: Said(prompt.removeprefix(f"{SAID_FIRST}\n\n"))) as server:
        system = make_system(server.base_url, system_prompt=SAID_FIRST, folds_system_prompt=is_folded)
        run = run_create(system=system, set_revision=questions)
        ask_until_done(run_id=run.pk)
    assert [item.outcome for item in Run.objects.get(pk=run.pk).items.all()] == ["empty"]
