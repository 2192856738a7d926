"""The page of prompts shows every style's words and never an answer key; the queue page queues sweeps."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from corpus.models import QuestionSetRevision
from evaluations.models import Run, System
from evaluations.prompts import prompt_style_names, prompt_styles
from evaluations.prompts.confidence import CONFIDENCE_PROMPT
from tests.corpus.factories import make_benchmark, make_question

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PROMPTS = "admin:evaluations_system_prompts"


@pytest.fixture
def maintainer() -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("ada"))
    return client


def text_of(client: Client, **query: Any) -> str:
    response = client.get(reverse(PROMPTS), query)
    assert response.status_code == 200
    return response.content.decode()


def test_every_style_is_shown_in_its_exact_words(maintainer: Client, make_system: Callable[..., System]) -> None:
    question = make_question(make_benchmark(), key="a-b-c", stem="Which {one} is <aromatic>?")
    system = make_system(system_prompt="Be brief & <bold>.")
    page = maintainer.get(reverse(PROMPTS), {"question": "a-b-c", "system": system.pk})
    assert question.current_revision is not None
    previews = page.context["previews"]
    assert [preview.style for preview in previews] == list(prompt_style_names())
    for preview, style in zip(previews, prompt_styles(), strict=True):
        assert preview.prompt == style.prepare(question.current_revision).prompt
        assert preview.system_prompt == "Be brief & <bold>."
        assert preview.follow_up == (style.follow_up or "")
    text = page.content.decode()
    assert "Which {one} is &lt;aromatic&gt;?" in text
    assert "Be brief &amp; &lt;bold&gt;." in text
    assert CONFIDENCE_PROMPT.splitlines()[0] in text


def test_a_folded_system_prompt_stands_at_the_head(maintainer: Client, make_system: Callable[..., System]) -> None:
    make_question(make_benchmark(), key="a-b-c")
    system = make_system(system_prompt="Be brief.", folds_system_prompt=True)
    page = maintainer.get(reverse(PROMPTS), {"question": "a-b-c", "system": system.pk})
    assert {preview.system_prompt for preview in page.context["previews"]} == {""}
    assert all(preview.prompt.startswith("Be brief.\n\n") for preview in page.context["previews"])


def test_the_key_is_not_on_the_page(maintainer: Client) -> None:
    make_question(make_benchmark(), key="number-1", kind="number", target="98765.4321", tolerance="0.0123")
    text = text_of(maintainer, question="number-1")
    assert "instruction@1" in text
    assert "98765" not in text
    assert "0.0123" not in text


def test_a_part_of_a_key_offers_questions_and_one_alone_is_shown(maintainer: Client) -> None:
    benchmark = make_benchmark()
    for key in ("ring-1", "ring-2", "chain-1"):
        make_question(benchmark, key=key)
    offered = text_of(maintainer, question="ring")
    assert "ring-1" in offered
    assert "ring-2" in offered
    assert "instruction@1" not in offered
    assert "instruction@1" in text_of(maintainer, question="chain")
    assert "holds “bond”" in text_of(maintainer, question="bond")
    assert "instruction@1" in text_of(maintainer)


@pytest.mark.parametrize("query", [{"system": "x"}, {"system": "9" * 40}, {"question": "'"}, {"id": "1; --"}])
def test_odd_addresses_do_no_harm(maintainer: Client, query: dict[str, str]) -> None:
    make_question(make_benchmark(), key="a")
    text_of(maintainer, **query)


def test_the_page_is_for_those_who_see_items_or_queue_runs() -> None:
    make_question(make_benchmark(), key="a")
    user = User.objects.create_user("bea", is_staff=True)
    client = Client()
    client.force_login(user)
    assert client.get(reverse(PROMPTS)).status_code == 403
    user.user_permissions.add(Permission.objects.get(codename="view_item", content_type__app_label="evaluations"))
    assert client.get(reverse(PROMPTS)).status_code == 200


def queue(client: Client, system: System, revision: QuestionSetRevision, **fields: Any) -> Any:
    address = f"{reverse('admin:evaluations_system_queue_run')}?system={system.pk}"
    data = {
        "question_set": revision.question_set_id,
        "prompt_style": "instruction@1",
        "repeats": 1,
        "seed": 0,
        "sweep": "",
        **fields,
    }
    return client.post(address, data, follow=True)


def test_the_queue_page_queues_a_sweep_and_lists_its_runs_together(
    maintainer: Client, twenty: QuestionSetRevision, make_system: Callable[..., System]
) -> None:
    system = make_system()
    page = maintainer.get(f"{reverse('admin:evaluations_system_queue_run')}?system={system.pk}").content.decode()
    assert reverse(PROMPTS) in page
    listed = queue(
        maintainer,
        system,
        twenty,
        sweep="temperature=0,1\r\nprompt_style=instruction@1,headings@1",
        repeats=2,
        permutes_options="on",
        asks_confidence="on",
    )
    runs = Run.objects.all()
    assert runs.count() == 4
    assert {(run.permutes_options, run.asks_confidence, run.repeats) for run in runs} == {(True, True, 2)}
    text = listed.content.decode()
    assert "Queued 4 runs of System 1" in text
    assert "headings@1, temperature 1" in text
    (sweep,) = set(runs.values_list("sweep", flat=True))
    assert listed.request["QUERY_STRING"] == f"sweep__exact={sweep}"
    run_page = maintainer.get(reverse("admin:evaluations_run_change", args=[runs[0].pk])).content.decode()
    assert "of 4</a>" in run_page
    again = queue(maintainer, system, twenty, sweep="temperature=0,1").content.decode()
    assert "already being asked" in again
    assert Run.objects.count() == 4


@pytest.mark.parametrize(
    ("sweep", "message"),
    [("temperature", "a name and its values"), ("temperature=0", "at least two values"), ("seed=1,b", "whole number")],
)
def test_a_sweep_that_is_none_is_refused_and_what_was_entered_stays(
    maintainer: Client, twenty: QuestionSetRevision, make_system: Callable[..., System], sweep: str, message: str
) -> None:
    text = queue(maintainer, make_system(), twenty, sweep=sweep).content.decode()
    assert message in text
    assert f">\n{sweep}</textarea>" in text
    assert not Run.objects.exists()
