"""What contributors reach with their token, version 1: prompts, completions, the state of what they sent.

Never a verdict and never an answer key: how a submission did is on the public board, once a maintainer accepted it.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, ValidationError
from ninja.security import HttpBearer

from corpus.models import QuestionSetRevision
from evaluations.errors import EvaluationError
from evaluations.models import ContributorToken, Submission
from evaluations.selectors.submissions import SubmissionState, submission_state, submission_states
from evaluations.services.completion_import import CompletionsRefusedError, submission_create
from evaluations.services.contributors import (
    FETCHED,
    UPLOADED,
    TooManyRequestsError,
    note_use,
    token_of,
)
from evaluations.services.prompt_export import export_lines

JSON_LINES = "application/x-ndjson"
_PROBLEMS_TOLD = 100
_NOT_KEPT = "private, no-store"


class Contributor(HttpBearer):
    """`Authorization: Bearer TOKEN`, the token a maintainer made."""

    def authenticate(self, request: HttpRequest, token: str) -> ContributorToken | None:
        """Return the contributor's token, None (answered with 401) for one that is unknown or revoked."""
        return token_of(token)


api = NinjaAPI(
    title="ChemBench Site, contributors",
    version="1",
    description="Fetch the prompts of one set, send completions of one system, see what became of them. "
    "Answer keys and verdicts are not served.",
    auth=Contributor(),
    docs_url=None,
    openapi_url="openapi.json",
    urls_namespace="contributor-api-v1",
)


class TooLargeError(EvaluationError):
    """The body is larger than what is taken."""

    code = "too-large"


class NotThereError(EvaluationError):
    """There is nothing of that number that this contributor may see."""

    code = "not-there"


class SubmissionOut(Schema):
    id: int
    status: str
    system: str
    set: str
    set_revision: int
    prompt_style: str
    received_at: str
    reviewed_at: str | None
    reason: str
    n_questions: int
    n_covered: int
    n_completions: int
    repeats: int
    board: str | None


class SubmissionsOut(Schema):
    submissions: list[SubmissionOut]


class ReceivedOut(SubmissionOut):
    is_new: bool
    missing: list[str]
    notes: list[str]


_STATUS_OF: tuple[tuple[type[EvaluationError], HTTPStatus], ...] = (
    (CompletionsRefusedError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (TooLargeError, HTTPStatus.REQUEST_ENTITY_TOO_LARGE),
    (TooManyRequestsError, HTTPStatus.TOO_MANY_REQUESTS),
    (NotThereError, HTTPStatus.NOT_FOUND),
)


@api.exception_handler(EvaluationError)
def refused(request: HttpRequest, error: Exception) -> HttpResponse:
    """Say what is wrong: a stable code, a sentence, and for completions every line."""
    status = next((status for kind, status in _STATUS_OF if isinstance(error, kind)), HTTPStatus.CONFLICT)
    said: dict[str, Any] = {"code": getattr(error, "code", ""), "detail": str(error)}
    if isinstance(error, CompletionsRefusedError):
        said["n_problems"] = len(error.problems)
        said["problems"] = [problem._asdict() for problem in error.problems[:_PROBLEMS_TOLD]]
    response = api.create_response(request, said, status=status)
    if isinstance(error, TooManyRequestsError):
        response["Retry-After"] = str(error.retry_after)
    return response


@api.exception_handler(AuthenticationError)
def no_token(request: HttpRequest, error: Exception) -> HttpResponse:
    """Say how a token is sent, the same for one that is missing, unknown or revoked."""
    said = {
        "code": "no-token",
        "detail": "No token that is good here came with this request. Send the one a maintainer made for you as the "
        "header Authorization: Bearer TOKEN; if it was revoked, ask for a new one.",
    }
    return api.create_response(request, said, status=HTTPStatus.UNAUTHORIZED)


@api.exception_handler(ValidationError)
def bad_parameter(request: HttpRequest, error: ValidationError) -> HttpResponse:
    """Name the parameters of the address that are not of their kind, in one sentence each."""
    problems = [f"`{problem['loc'][-1]}`: {problem['msg']}." for problem in error.errors]
    said = {"code": "bad-parameter", "detail": " ".join(problems)}
    return api.create_response(request, said, status=HTTPStatus.UNPROCESSABLE_ENTITY)


@api.get("/prompts/", summary="The prompts, as JSON lines")
def prompts(request: HttpRequest, repeats: int = 1) -> StreamingHttpResponse:
    """The first line states set, revision and style; then one line for each question and repeat. Send the first line
    back as the first line of your completions."""
    token = _token(request)
    note_use(token=token, code=FETCHED)
    lines = export_lines(
        set_revision=_set_revision(token), style_name=token.prompt_style, system=token.system, repeats=repeats
    )
    # Line by line: a hundred repeats of every prompt never stand in memory together.
    response = StreamingHttpResponse((f"{line}\n" for line in lines), content_type=JSON_LINES)
    response["Cache-Control"] = _NOT_KEPT
    return response


@api.post("/submissions/", response={201: ReceivedOut, 200: ReceivedOut}, summary="Send completions")
def send(request: HttpRequest) -> HttpResponse:
    """JSON lines, or one JSON document with the list `completions`. Nothing is stored unless every line is good. The
    same completions are taken once: 200, not 201. They count after a maintainer's review."""
    token = _token(request)
    note_use(token=token, code=UPLOADED)
    content = _body(request)
    received = submission_create(
        content=content,
        system=token.system,
        set_revision=_set_revision(token),
        style_name=token.prompt_style,
        token=token,
        needs_revision=True,
    )
    state = submission_state(token=token, submission_id=received.submission.pk)
    if state is None:
        # The same completions reached us on another way than with this token; what became of them is not theirs.
        raise NotThereError("These completions are here already; they were not sent with this token.")
    payload = _payload(state) | {
        "is_new": received.is_new,
        "missing": list(received.missing),
        "notes": list(received.notes),
    }
    return _answer(request, ReceivedOut, payload, HTTPStatus.CREATED if received.is_new else HTTPStatus.OK)


@api.get("/submissions/", response=SubmissionsOut, summary="What was sent with this token")
def list_submissions(request: HttpRequest) -> HttpResponse:
    """Every submission of this token, newest first, with what became of it."""
    states = submission_states(token=_token(request))
    return _answer(request, SubmissionsOut, {"submissions": [_payload(state) for state in states]})


@api.get("/submissions/{int:submission_id}/", response=SubmissionOut, summary="One submission")
def one_submission(request: HttpRequest, submission_id: int) -> HttpResponse:
    """What became of a submission. `reason` is the maintainer's; `board` is where an accepted one is counted."""
    state = submission_state(token=_token(request), submission_id=submission_id)
    if state is None:
        raise NotThereError(f"Nothing of the number {submission_id} was sent with this token.")
    return _answer(request, SubmissionOut, _payload(state))


def _token(request: HttpRequest) -> ContributorToken:
    token: ContributorToken = request.auth  # type: ignore[attr-defined]
    return token


def _set_revision(token: ContributorToken) -> QuestionSetRevision:
    set_revision = token.question_set.current_revision
    if set_revision is None:
        raise NotThereError(f"The set {token.question_set.slug} has no questions yet.")
    return set_revision


def _body(request: HttpRequest) -> bytes:
    """Return what was sent; refuse more than is taken without reading it all."""
    most = settings.CONTRIBUTOR_UPLOAD_BYTES
    content: bytes = request.read(most + 1)
    if len(content) > most:
        raise TooLargeError(
            f"The body is larger than {most:,} bytes, which is what this site takes. Send the repeats apart or leave "
            "reasoning and tool traces out."
        )
    return content


def _payload(state: SubmissionState) -> dict[str, Any]:
    fields = {name: getattr(state, name) for name in SubmissionOut.model_fields if name not in {"id", "board"}}
    is_counted = state.status == Submission.Status.ACCEPTED
    board = f"{settings.SITE_URL}/leaderboard/{state.set}/" if is_counted else None
    return fields | {
        "id": state.submission_id,
        "received_at": state.received_at.isoformat(),
        "reviewed_at": state.reviewed_at.isoformat() if state.reviewed_at else None,
        "board": board,
    }


def _answer(
    request: HttpRequest, schema: Callable[..., Schema], payload: dict[str, Any], status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    return _private(api.create_response(request, schema(**payload).model_dump(mode="json"), status=status))


def _private(response: HttpResponse) -> HttpResponse:
    response["Cache-Control"] = _NOT_KEPT
    return response
