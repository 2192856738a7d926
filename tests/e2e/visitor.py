"""Somebody with a browser window, as the browser tests of the survey need them."""

from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page
from pytest_django.live_server_helper import LiveServer

from survey.models import Participant, Study
from tests.survey.factories import go_to_question, make_participant, question_url


class Visitor:
    """A browser window of somebody, with what its console said."""

    def __init__(self, browser: Browser, site: LiveServer, **options: Any) -> None:
        self.site = site.url
        self.context: BrowserContext = browser.new_context(**options)
        self.said: list[str] = []
        self.page = self.new_page()

    def new_page(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("console", lambda line: self.said.append(line.text) if line.type == "error" else None)
        return page

    def __enter__(self) -> "Visitor":
        return self

    def __exit__(self, *args: object) -> None:
        self.context.close()

    def at_question(self, study: Study, *, kind: str = "choice") -> Participant:
        """Open a question of a kind as somebody new."""
        participant = make_participant(study)
        first = participant.assignments.get(position=1)
        if first.question_revision.kind != kind:
            # The order is drawn; this person gets the other question first.
            second = participant.assignments.get(position=2)
            for assignment, position in ((first, 99), (second, 1), (first, 2)):
                participant.assignments.filter(pk=assignment.pk).update(position=position)
        assignment = go_to_question(participant)
        self.page.goto(f"{self.site}/survey/resume/{participant.link_secret}/")
        assert self.page.url.endswith(question_url(assignment))
        return participant

    def posted(self, path: str, action: Any) -> None:
        """Do something and wait until the page has told the server."""
        with self.page.expect_response(lambda response: response.url.endswith(path)) as told:
            action()
        assert told.value.status == 204
