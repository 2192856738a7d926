"""Time away from a question: hidden pages, pauses, breaks, several tabs; by the server's clock alone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from survey.models import Absence, Assignment, Draft, Response, Study
from survey.selectors.progress import progress_of
from survey.selectors.steps import StepKind, current_step
from survey.services import absence_begin, absences_end, response_record
from survey.services.absences import union_seconds
from tests.survey.factories import (
    answer_next,
    client_of,
    go_to_question,
    make_participant,
    make_study,
    post_data,
    question_url,
    right_given,
)

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def at(second: float) -> datetime:
    return START + timedelta(seconds=second)


SPANS = [
    ("none", [], 0),
    ("one", [(10, 20)], 10),
    ("two tabs that overlap count once", [(10, 30), (20, 40)], 30),
    ("one within another", [(10, 40), (20, 30)], 30),
    ("the same twice", [(10, 20), (10, 20)], 10),
    ("begun before the question was shown", [(-50, 5)], 5),
    ("ended after the answer", [(90, 400)], 10),
    ("never ended", [(60, None)], 40),
    ("all of the time", [(-5, None), (3, 4)], 100),
    ("wholly before or after", [(-20, -10), (100, 120)], 0),
    ("ended before it began", [(50, 40)], 0),
]


@pytest.mark.parametrize(("spans", "seconds"), [row[1:] for row in SPANS], ids=[row[0] for row in SPANS])
def test_union_of_spans(spans: list[tuple[int, int | None]], seconds: int) -> None:
    timed = [(at(began), None if ended is None else at(ended)) for began, ended in spans]
    assert union_seconds(timed, at(0), at(100)) == seconds
    assert union_seconds(reversed(timed), at(0), at(100)) == seconds


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.integers(-50, 150), st.one_of(st.none(), st.integers(-50, 150)))))
def test_union_is_the_number_of_seconds_that_lie_in_any_span(spans: list[tuple[int, int | None]]) -> None:
    inside = {second for began, ended in spans for second in range(max(began, 0), 100 if ended is None else ended)}
    timed = [(at(began), None if ended is None else at(ended)) for began, ended in spans]
    assert union_seconds(timed, at(0), at(100)) == len(inside & set(range(100)))


@pytest.fixture
def here(db: None) -> Iterator[Assignment]:
    """The first of two choice questions, shown at START."""
    assignment = go_to_question(make_participant(make_study(n_choice=2, n_number=0, n_tools=0)))
    Assignment.objects.filter(pk=assignment.pk).update(served_at=START)
    assignment.refresh_from_db()
    return assignment


def answer_at(assignment: Assignment, second: float) -> Response:
    person = assignment.participant
    recorded = response_record(
        participant=person, assignment_id=assignment.pk, given=right_given(assignment), now=at(second)
    )
    return recorded.response


def test_time_away_is_kept_apart_from_the_time_of_the_answer(here: Assignment) -> None:
    absence_begin(assignment=here, kind=Absence.Kind.HIDDEN, now=at(10))
    absence_begin(assignment=here, kind=Absence.Kind.PAUSE, now=at(15))
    absences_end(assignment=here, now=at(40))
    absence_begin(assignment=here, kind=Absence.Kind.HIDDEN, now=at(90))
    response = answer_at(here, 100)
    assert (response.seconds, response.away_seconds) == (100, 40)
    assert not Absence.objects.filter(ended_at__isnull=True).exists()


def test_answer_without_absences_was_not_away(here: Assignment) -> None:
    assert answer_at(here, 30).away_seconds == 0


@pytest.mark.django_db
def test_pace_is_the_time_without_the_time_away() -> None:
    participant = make_participant(make_study(n_choice=13, n_number=0, n_tools=0))
    for seconds, away in ((100, 40), (60, 0), (500, 440)):
        response = answer_next(participant).response
        Response.objects.filter(pk=response.pk).update(seconds=seconds, away_seconds=away)
    assert progress_of(participant).seconds_left == 600


def test_second_tab_that_hides_adds_no_second_absence(here: Assignment) -> None:
    begun = [absence_begin(assignment=here, kind=Absence.Kind.HIDDEN) for _ in range(3)]
    assert begun == [True, False, False]
    assert Absence.objects.count() == 1


def test_nobody_is_away_from_a_question_not_shown_or_answered(here: Assignment) -> None:
    later = here.participant.assignments.get(position=2)
    answer_at(here, 10)
    for assignment in (here, later):
        assert not absence_begin(assignment=assignment, kind=Absence.Kind.HIDDEN)
    assert not Absence.objects.exists()


# By the pages


def tell(client: Client, assignment: Assignment, state: str) -> int:
    url = reverse("survey:away", args=[assignment.participant.study.slug])
    return client.post(url, {"assignment": assignment.pk, "state": state}).status_code


def test_page_tells_when_it_is_hidden_and_seen_again(here: Assignment) -> None:
    client = client_of(here.participant)
    assert tell(client, here, "hidden") == 204
    assert Absence.objects.get().ended_at is None
    assert tell(client, here, "visible") == 204
    assert Absence.objects.get().ended_at is not None
    assert Absence.objects.get().kind == Absence.Kind.HIDDEN


def test_seeing_the_question_again_anywhere_ends_what_is_open(here: Assignment) -> None:
    laptop, phone = client_of(here.participant), client_of(here.participant)
    tell(laptop, here, "hidden")
    phone.get(question_url(here))
    assert not Absence.objects.filter(ended_at__isnull=True).exists()


def test_away_is_only_for_the_own_question_of_now(here: Assignment) -> None:
    other = make_participant(here.participant.study)
    go_to_question(other)
    later = here.participant.assignments.get(position=2)
    assert tell(client_of(other), here, "hidden") == 409
    assert tell(client_of(here.participant), later, "hidden") == 409
    assert tell(Client(), here, "hidden") == 409
    enforcing = client_of(here.participant, enforce_csrf_checks=True)
    assert tell(enforcing, here, "hidden") == 403
    assert not Absence.objects.exists()


def test_pause_keeps_what_is_filled_in_and_ends_when_going_on(here: Assignment) -> None:
    client = client_of(here.participant)
    slug = here.participant.study.slug
    page = client.post(reverse("survey:pause", args=[slug]), post_data(here, choice=["B"]), follow=True)
    assert "Paused" in page.content.decode()
    assert here.participant.link_secret in page.content.decode()
    assert Draft.objects.get().content == {"choice": ["B"]}
    assert Absence.objects.get().ended_at is None
    assert "Paused" in client.get(question_url(here), follow=True).content.decode(), "looking ends no pause"
    assert Absence.objects.get().ended_at is None
    back = client.post(reverse("survey:continue", args=[slug]), follow=True)
    assert 'value="B" checked' in " ".join(back.content.decode().split())
    pause = Absence.objects.get()
    assert pause.kind == Absence.Kind.PAUSE
    assert pause.ended_at is not None
    client.post(question_url(here), post_data(here))
    response = Response.objects.get()
    assert response.away_seconds == pytest.approx((pause.ended_at - pause.began_at).total_seconds(), abs=1e-3)
    assert not Draft.objects.exists()


def test_pause_in_a_tab_left_behind_is_one_of_the_question_the_person_is_at(here: Assignment) -> None:
    client, pause = client_of(here.participant), reverse("survey:pause", args=[here.participant.study.slug])
    left_behind = post_data(here)
    client.post(question_url(here), left_behind)
    following = here.participant.assignments.get(position=here.position + 1)
    client.get(question_url(following))
    assert "Paused" in client.post(pause, left_behind, follow=True).content.decode()
    assert list(Absence.objects.values_list("assignment", "kind", "ended_at")) == [(following.pk, "pause", None)]


@pytest.mark.parametrize("kind", [Absence.Kind.PAUSE, Absence.Kind.HIDDEN])
def test_a_link_that_a_mail_program_opens_ends_no_time_away(here: Assignment, kind: Absence.Kind) -> None:
    absence_begin(assignment=here, kind=kind)
    scanner = Client()
    page = scanner.get(reverse("survey:resume", args=[here.participant.link_secret]), follow=True)
    assert page.resolver_match.url_name == "pause"
    assert Absence.objects.get().ended_at is None
    person = client_of(here.participant)
    assert person.post(reverse("survey:continue", args=[here.participant.study.slug]))["Location"] == question_url(here)
    assert Absence.objects.get().ended_at is not None
    assert person.get(question_url(here)).status_code == 200


def test_a_link_that_a_mail_program_opens_begins_no_time_of_a_question_or_break(db: None) -> None:
    study = make_study(n_choice=2, n_number=0, n_tools=0)
    participant = make_participant(study)
    answer_next(participant)
    link = reverse("survey:resume", args=[participant.link_secret])
    for break_every in (None, 1):
        Study.objects.update(break_every=break_every)
        assert Client().get(link, follow=True).resolver_match.url_name == "pause"
        assert participant.assignments.get(position=2).served_at is None
        assert not Absence.objects.exists()
    client = client_of(participant)
    page = client.post(reverse("survey:continue", args=[study.slug]), follow=True)
    assert page.resolver_match.url_name == "break"
    assert Client().get(link, follow=True).resolver_match.url_name == "break", "it has begun already"


def test_pause_when_the_session_has_ended_gives_back_what_was_filled_in(here: Assignment) -> None:
    client = client_of(here.participant)
    token = client.get(question_url(here)).context["page"].token
    url = reverse("survey:pause", args=[here.participant.study.slug])
    page = Client().post(url, post_data(here, choice=["C"], token=token))
    assert page.status_code == 403
    assert 'value="C" checked' in " ".join(page.content.decode().split())
    assert not Absence.objects.exists()


def test_pause_page_is_for_those_the_browser_knows(here: Assignment) -> None:
    url = reverse("survey:pause", args=[here.participant.study.slug])
    assert Client().get(url).status_code == 302
    assert client_of(here.participant).get(url).status_code == 200
    assert not Absence.objects.exists()


# Breaks


@pytest.fixture
def with_breaks(db: None) -> Client:
    """Somebody in a study of five questions in two parts with a break after every two."""
    study = make_study(n_choice=4, n_number=0, n_tools=1)
    Study.objects.update(break_every=2)
    return client_of(make_participant(study))


def walk(client: Client, slug: str) -> list[str]:
    """Go through a study and return the pages seen."""
    seen: list[str] = []
    for _ in range(30):
        page = client.get(reverse("survey:continue", args=[slug]), follow=True)
        name = page.resolver_match.url_name
        seen.append(name)
        address = page.request["PATH_INFO"]
        if name == "finish":
            break
        if name == "rules":
            client.post(address, {"block": page.context["part"].pk})
        elif name == "break":
            assert "Time for a break" in page.content.decode()
            client.post(address)
        else:
            shown = page.context["page"]
            tools = ["none"] if shown.tools_allowed else []
            client.post(address, {"assignment": shown.assignment_id, "choice": ["A"], "tools": tools})
    return seen


def test_a_break_is_offered_after_every_so_many_questions(with_breaks: Client) -> None:
    slug = Assignment.objects.first().participant.study.slug
    assert walk(with_breaks, slug) == [
        *("rules", "question", "question", "break"),
        *("question", "question", "break", "rules", "question", "finish"),
    ]
    breaks = Absence.objects.filter(kind=Absence.Kind.BREAK)
    assert sorted(breaks.values_list("assignment__position", flat=True)) == [3, 5]
    assert all(absence.ended_at >= absence.began_at for absence in breaks)
    assert set(Response.objects.values_list("away_seconds", flat=True)) == {0.0}, "a break is before the question"


def test_a_break_lasts_until_going_on_and_comes_once(with_breaks: Client) -> None:
    participant = Assignment.objects.first().participant
    for _ in range(2):
        answer_next(participant)
    waiting = participant.assignments.get(position=3)
    assert current_step(participant).kind is StepKind.BREAK
    address = reverse("survey:break", args=[participant.study.slug])
    for _ in range(2):
        page = with_breaks.get(question_url(waiting), follow=True)
        assert page.request["PATH_INFO"] == address
    assert "You have answered 2 of 5" in " ".join(page.content.decode().split())
    assert participant.link_secret in page.content.decode()
    waiting.refresh_from_db()
    assert waiting.served_at is None
    began = Absence.objects.get().began_at
    assert with_breaks.post(address)["Location"] == question_url(waiting)
    with_breaks.get(question_url(waiting))
    assert with_breaks.get(address)["Location"] == question_url(waiting)
    taken = Absence.objects.get()
    assert (taken.began_at, taken.ended_at is not None) == (began, True)


def test_break_of_a_study_without_breaks_leads_on(here: Assignment) -> None:
    slug = here.participant.study.slug
    client = client_of(here.participant)
    assert client.post(reverse("survey:break", args=[slug]))["Location"] == question_url(here)
    assert not Absence.objects.exists()


def test_consent_page_says_that_times_are_kept_whatever_the_text(client: Client, db: None) -> None:
    page = client.get(reverse("survey:consent", args=[make_study().slug]))
    words = " ".join(page.content.decode().split())
    assert "for how long its page was hidden" in words
    assert "What you fill in is kept until you send it" in words


@pytest.mark.django_db
def test_progress_counts_each_part() -> None:
    participant = make_participant(make_study(n_choice=2, n_number=0, n_tools=3))
    for _ in range(3):
        answer_next(participant)
    progress = progress_of(participant)
    assert [(part.number, part.answered, part.total) for part in progress.parts] == [(1, 2, 2), (2, 1, 3)]
    assert progress.part == progress.parts[1]
    assert progress.place == "4 of 5"
    page = client_of(participant).get(question_url(go_to_question(participant)))
    assert "Part 2 of 2: 1 of 3 answered" in page.content.decode()
