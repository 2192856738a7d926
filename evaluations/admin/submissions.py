"""Contributors' tokens, and the review of what contributors send."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html

from corpus.models import QuestionSet
from corpus.selectors.actions import actions_on
from evaluations.admin.evidence import EvidenceAdmin, as_json_text
from evaluations.admin.systems import run_address
from evaluations.errors import EvaluationError
from evaluations.models import ContributorToken, Submission, SubmittedCompletion, System
from evaluations.prompts import DEFAULT_PROMPT_STYLE, prompt_style_names
from evaluations.selectors.submissions import SubmissionReview, run_before, submission_review
from evaluations.services.contributors import token_create, token_revoke
from evaluations.services.submissions import submission_accept, submission_reject

MISSING_SHOWN = 50


class TokenForm(forms.Form):
    """Who gets a token, and for what."""

    name = forms.CharField(max_length=200, help_text="Who has it, for example a group and a person.")
    system = forms.ModelChoiceField(queryset=System.objects.order_by("name"), help_text="Whose completions they are.")
    question_set = forms.ModelChoiceField(queryset=QuestionSet.objects.filter(current_revision__isnull=False))
    prompt_style = forms.ChoiceField(initial=DEFAULT_PROMPT_STYLE)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["prompt_style"].choices = [(name, name) for name in prompt_style_names()]  # type: ignore[attr-defined]


@admin.register(ContributorToken)
class ContributorTokenAdmin(EvidenceAdmin):
    """Tokens are made here, shown once, and revoked; nothing of them is edited."""

    list_display = ["name", "system", "question_set", "prompt_style", "state", "n_submissions", "last_used_at"]
    list_filter = [("revoked_at", admin.EmptyFieldListFilter), ("question_set", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["system", "question_set"]
    search_fields = ["name", "system__name"]
    fields = [
        "name",
        "system",
        "question_set",
        "prompt_style",
        "created_at",
        "created_by",
        "last_used_at",
        "revoked_at",
    ]
    actions = ["revoke"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ContributorToken]:
        """Add the number of submissions."""
        tokens: QuerySet[ContributorToken] = super().get_queryset(request)
        return tokens.annotate(submission_count=Count("submissions"))

    @admin.display(description="state", ordering="revoked_at")
    def state(self, token: ContributorToken) -> str:
        """Return whether it opens anything."""
        return "revoked" if token.revoked_at else "in use"

    @admin.display(description="submissions", ordering="submission_count")
    def n_submissions(self, token: Any) -> str:
        """Return how many submissions came with it, linked to their list."""
        address = f"{reverse('admin:evaluations_submission_changelist')}?token__id__exact={token.pk}"
        return format_html('<a href="{}">{}</a>', address, token.submission_count)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Say who may make tokens."""
        return request.user.has_perm("evaluations.add_contributortoken")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """Say who may revoke tokens."""
        return request.user.has_perm("evaluations.change_contributortoken")

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """Ask for whom and for what; the answer to the form shows the token, and nothing shows it again."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = TokenForm(request.POST or None)
        context = {**self.admin_site.each_context(request), "title": "Make a contributor's token", "opts": self.opts}
        if request.method != "POST" or not form.is_valid():
            return TemplateResponse(request, "admin/evaluations/contributortoken/make.html", {**context, "form": form})
        token, secret = token_create(
            name=form.cleaned_data["name"],
            system=form.cleaned_data["system"],
            question_set=form.cleaned_data["question_set"],
            style_name=form.cleaned_data["prompt_style"],
            actor=request.user,  # type: ignore[arg-type]
        )
        context |= {
            "token": token,
            "secret": secret,
            "prompts_address": request.build_absolute_uri(reverse("contributor-api-v1:prompts")),
        }
        return TemplateResponse(request, "admin/evaluations/contributortoken/made.html", context)

    @admin.action(description="Revoke: the token opens nothing any more", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ContributorToken]) -> None:
        """Revoke the chosen tokens."""
        for token in queryset:
            try:
                token_revoke(token_id=token.pk, actor=request.user)  # type: ignore[arg-type]
            except EvaluationError as error:
                messages.warning(request, f"{token.name}: {error}")
            else:
                messages.success(request, f"{token.name}: the token is revoked; what was sent with it stays.")


@admin.register(Submission)
class SubmissionAdmin(EvidenceAdmin):
    """Look at what was sent and decide on it."""

    list_display = ["number", "system", "question_set", "status", "contributor", "n_completions", "received_at"]
    list_display_links = ["number"]
    list_filter = ["status", ("token", admin.RelatedOnlyFieldListFilter), ("system", admin.RelatedOnlyFieldListFilter)]
    list_select_related = ["system", "token", "set_revision__question_set"]
    list_per_page = 50
    search_fields = ["system__name", "token__name", "review_reason"]
    change_form_template = "admin/evaluations/submission/change_form.html"
    fields = [
        "system",
        "question_set",
        "prompt_style",
        "contributor",
        "received_at",
        "status",
        "reviewed_by",
        "reviewed_at",
        "review_reason",
        "run_page",
        "stated",
    ]
    readonly_fields = ["question_set", "contributor", "run_page", "stated"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Submission]:
        """Add the number of completions."""
        submissions: QuerySet[Submission] = super().get_queryset(request)
        return submissions.annotate(completion_count=Count("completions"))

    @admin.display(description="submission", ordering="pk")
    def number(self, submission: Submission) -> str:
        """Return the submission's number."""
        return f"#{submission.pk}"

    @admin.display(description="set", ordering="set_revision__question_set__name")
    def question_set(self, submission: Submission) -> str:
        """Return the set's name and the number of its revision."""
        return f"{submission.set_revision.question_set.name}, revision {submission.set_revision.number}"

    @admin.display(description="contributor", ordering="token__name")
    def contributor(self, submission: Submission) -> str:
        """Return who sent it."""
        return submission.token.name if submission.token else "imported by a maintainer"

    @admin.display(description="completions", ordering="completion_count")
    def n_completions(self, submission: Any) -> int:
        """Return how many completions were sent."""
        return int(submission.completion_count)

    @admin.display(description="run")
    def run_page(self, submission: Submission) -> str:
        """Return a link to the run that was made of it."""
        if submission.run_id is None:
            return "none"
        return format_html('<a href="{}">{}</a>', run_address(submission.run_id), submission.run_id)

    @admin.display(description="stated by the contributor")
    def stated(self, submission: Submission) -> str:
        """Return the facts that came with it."""
        return as_json_text(submission.facts)

    def has_decide_permission(self, request: HttpRequest) -> bool:
        """Say who may accept and reject."""
        return request.user.has_perm("evaluations.change_submission")

    def get_urls(self) -> list[Any]:
        """Add the addresses of the two buttons and of a whole completion."""
        decide, whole = (self.admin_site.admin_view(view) for view in (self.decide_view, self.completion_view))
        completion = "<int:submission_id>/completions/<int:completion_id>/"
        return [
            path("<int:submission_id>/decide/", decide, name="evaluations_submission_decide"),
            path(completion, whole, name="evaluations_submission_completion"),
            *super().get_urls(),
        ]

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add counts, a sample, the buttons and the record of what was done."""
        submission = kwargs.get("obj") or context["original"]
        review = self._review(request, submission)
        is_waiting = submission.status == Submission.Status.WAITING
        context.update(
            title=f"Submission #{submission.pk}: {submission.system.name}",
            subtitle=None,
            review=review,
            missing=review.missing[:MISSING_SHOWN] if review else (),
            n_more_missing=max(0, len(review.missing) - MISSING_SHOWN) if review else 0,
            run_before=run_before(submission=submission),
            may_decide=is_waiting and self.has_decide_permission(request),
            actions_done=actions_on(submission),
        )
        return super().render_change_form(request, context, *args, **kwargs)

    def _review(self, request: HttpRequest, submission: Submission) -> SubmissionReview | None:
        """Return the counts and the sample; None, which is said, where the prompts can no longer be made."""
        try:
            return submission_review(submission=submission)
        except EvaluationError as error:
            messages.warning(request, str(error))
            return None

    def completion_view(self, request: HttpRequest, submission_id: int, completion_id: int) -> HttpResponse:
        """Return a completion as it was sent, as plain text."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        row = get_object_or_404(SubmittedCompletion, pk=completion_id, submission=submission_id)
        return HttpResponse(row.completion, content_type="text/plain; charset=utf-8")

    def decide_view(self, request: HttpRequest, submission_id: int) -> HttpResponse:
        """Accept or reject; by POST only."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not self.has_decide_permission(request):
            raise PermissionDenied
        get_object_or_404(Submission, pk=submission_id)
        try:
            messages.success(request, self._decide(request, submission_id))
        except EvaluationError as error:
            messages.error(request, str(error))
        return HttpResponseRedirect(reverse("admin:evaluations_submission_change", args=[submission_id]))

    def _decide(self, request: HttpRequest, submission_id: int) -> str:
        actor, reason = request.user, request.POST.get("reason", "")
        if request.POST.get("decision") == "accept":
            run = submission_accept(submission_id=submission_id, actor=actor, reason=reason)  # type: ignore[arg-type]
            return format_html(
                'Accepted; <a href="{}">the run</a> is {}.', run_address(run.pk), run.get_status_display()
            )
        if request.POST.get("decision") == "reject":
            submission_reject(submission_id=submission_id, actor=actor, reason=reason)  # type: ignore[arg-type]
            return "Rejected; it counts nowhere, and the contributor reads the reason."
        raise EvaluationError("Press Accept or Reject; nothing was decided.")
