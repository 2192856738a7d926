"""What the admin pages of people's and of models' answers have in common: corrections and rescorings."""

from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count, Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse

from corpus.forms import CorrectionForm, RescoreForm
from corpus.models import AbstractRescored, AbstractRescoring
from corpus.scoring.rules import NotJudgedError
from corpus.scoring.types import Asked, Reading
from corpus.selectors.evidence import AnswerEvidence
from corpus.services.corrections import Corrected, CorrectionError
from corpus.services.rescoring import Proposed, RescoringError

KEY_PERMISSION = "corpus.view_questionrevision"
ROWS_ON_A_PAGE = 100
MOST_AT_ONCE = 10


def may_see_keys(request: HttpRequest) -> bool:
    """Say whether this person may see answer keys, and single verdicts, which tell them."""
    return bool(request.user.has_perm(KEY_PERMISSION))


class CorrectionMixin(admin.ModelAdmin):
    """Adds the page on which a maintainer corrects what was read from one answer.

    Whoever may add readings and see keys may correct them: a correction is one more reading, and its verdict is told.
    """

    reading_model: type[Model]

    @abstractmethod
    def evidence_of(self, answer: Any) -> AnswerEvidence:
        """Return what is stored about the answer."""

    @abstractmethod
    def asked_and_text(self, answer: Any) -> tuple[Asked, str]:
        """Return what was asked, and the raw text."""

    @abstractmethod
    def correct(self, *, answer: Any, reading: Reading, reason: str, actor: Any) -> Corrected:
        """Store the correction."""

    def may_correct(self, request: HttpRequest) -> bool:
        """Say whether this person may correct readings."""
        opts = self.reading_model._meta
        return may_see_keys(request) and bool(request.user.has_perm(f"{opts.app_label}.add_{opts.model_name}"))

    def correct_address(self, answer: Any) -> str:
        """Return the address of the correction page."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_correct", args=[answer.pk])

    def get_urls(self) -> list[Any]:
        """Add the correction page."""
        name = f"{self.opts.app_label}_{self.opts.model_name}_correct"
        view = self.admin_site.admin_view(self.correct_view)
        return [path("<path:object_id>/correct/", view, name=name), *super().get_urls()]

    def correct_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the answer beside the form; store the correction and go back to the answer's page."""
        answer = self.get_object(request, object_id)
        if answer is None:
            raise Http404("There is no such answer.")
        if not self.may_correct(request) or not self.has_view_permission(request, answer):
            raise PermissionDenied
        asked, text = self.asked_and_text(answer)
        form = CorrectionForm(request.POST or None, asked=asked, text=text)
        if request.method == "POST" and form.is_valid() and self._store(request, answer, form):
            page = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
            return HttpResponseRedirect(reverse(page, args=[answer.pk]))
        context = {
            **self.admin_site.each_context(request),
            "title": "Correct the reading",
            "opts": self.opts,
            "answer": answer,
            "evidence": self.evidence_of(answer),
            "form": form,
        }
        return TemplateResponse(request, "corpus/admin/correct.html", context)

    def _store(self, request: HttpRequest, answer: Any, form: CorrectionForm) -> bool:
        try:
            corrected = self.correct(
                answer=answer, reading=form.reading(), reason=form.cleaned_data["reason"], actor=request.user
            )
        except (CorrectionError, NotJudgedError) as error:
            form.add_error(None, str(error))
            return False
        outcome = corrected.verdict.outcome.value.replace("_", " ")
        messages.success(request, f"The reading is corrected; the answer is {outcome} under {corrected.verdict.rule}.")
        return True


class RescoringMixin(admin.ModelAdmin):
    """The list and the page of rescorings, with accept and discard, and the page that proposes one.

    Single verdicts are shown, and decided on, by those who may see keys; others see how many change.
    """

    list_display = ("number", "whose", "rule", "reader", "status", "n_answers", "n_verdicts", "created_at")
    list_display_links = ("number",)
    list_filter = ("status", "rule", "reader")
    change_form_template = "corpus/admin/rescoring.html"
    fields = ("benchmark", "rule", "reader", "status", "requested_by", "created_at", "decided_by", "decided_at")
    # What is rescored at a time, and how the address of the proposing page names it.
    group_model: type[Model]
    group_field: str
    # What the rows need of an answer to say which question it is to.
    rows_related: tuple[str, ...]

    @abstractmethod
    def propose(self, *, group: Any, rule: str, reader: str, actor: Any) -> Sequence[Proposed]:
        """Propose a rescoring of one run or study."""

    @abstractmethod
    def accept(self, *, rescoring_id: int, actor: Any, replace: Collection[int]) -> Any:
        """Accept a rescoring."""

    @abstractmethod
    def discard(self, *, rescoring_id: int, actor: Any) -> Any:
        """Discard a rescoring."""

    @abstractmethod
    def question_key(self, answer: Any) -> str:
        """Return the key of the question an answer is to."""

    @abstractmethod
    def letters_of(self, answer: Any) -> Mapping[str, str]:
        """Return the letters of the options as they were shown, by option key."""

    def number(self, rescoring: AbstractRescoring) -> str:
        """Return the rescoring's number."""
        return f"#{rescoring.pk}"

    def whose(self, rescoring: AbstractRescoring) -> str:
        """Return the run or study."""
        return str(getattr(rescoring, self.group_field))

    @admin.display(description="answers")
    def n_answers(self, rescoring: AbstractRescoring) -> int:
        """Return how many answers were looked at."""
        return int(rescoring.counts.get("n_answers", 0))

    @admin.display(description="verdicts changed")
    def n_verdicts(self, rescoring: AbstractRescoring) -> int:
        """Return how many verdicts change."""
        return int(rescoring.counts.get("n_verdicts", 0))

    def may(self, request: HttpRequest, action: str) -> bool:
        """Say whether this person may propose (`add`) or, seeing what changes, decide (`change`)."""
        if action == "change" and not may_see_keys(request):
            return False
        return bool(request.user.has_perm(f"{self.opts.app_label}.{action}_{self.opts.model_name}"))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Refuse to have rescorings found by what they do to single answers where that is not shown."""
        if lookup.split("__")[0] == "rows" and not may_see_keys(request):
            return False
        return super().lookup_allowed(lookup, value, request)

    def get_urls(self) -> list[Any]:
        """Add the page that proposes and the address of the buttons."""
        base, wrap = f"{self.opts.app_label}_{self.opts.model_name}", self.admin_site.admin_view
        return [
            path("propose/", wrap(self.propose_view), name=f"{base}_propose"),
            path("<int:rescoring_id>/decide/", wrap(self.decide_view), name=f"{base}_decide"),
            *super().get_urls(),
        ]

    # One rescoring

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Add the list of differences and the buttons."""
        rescoring = kwargs.get("obj") or context["original"]
        rows = rescoring.rows.exclude(change="").select_related(
            "old_reading__corrected_by", "new_reading__corrected_by", *self.rows_related
        )
        page = Paginator(
            rows.exclude(role=AbstractRescored.Role.MACHINE).order_by("change", "pk").reverse(), ROWS_ON_A_PAGE
        ).get_page(request.GET.get("p"))
        opposed = rows.filter(role=AbstractRescored.Role.MACHINE).order_by("pk")
        is_shown = may_see_keys(request)
        context.update(
            may_see_keys=is_shown,
            title=f"Rescoring #{rescoring.pk}",
            subtitle=None,
            counts=rescoring.counts,
            whose=self.whose(rescoring),
            moves=_moves(rescoring) if is_shown else (),
            page=page,
            differences=[self._line(row) for row in page.object_list] if is_shown else (),
            opposed=[self._line(row) for row in opposed] if is_shown else (),
            may_decide=rescoring.status == AbstractRescoring.Status.PROPOSED and self.may(request, "change"),
            decide_address=reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_decide", args=[rescoring.pk]),
        )
        return super().render_change_form(request, context, *args, **kwargs)

    def _line(self, row: Any) -> dict[str, Any]:
        opts, letters = row.answer._meta, self.letters_of(row.answer)
        return {
            "row": row,
            "key": self.question_key(row.answer),
            "address": reverse(f"admin:{opts.app_label}_{opts.model_name}_change", args=[row.answer_id]),
            "old": _in_short(row.old_reading, letters),
            "new": _in_short(row.new_reading, letters),
        }

    def decide_view(self, request: HttpRequest, rescoring_id: int) -> HttpResponse:
        """Accept or discard; by POST only."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not self.may(request, "change"):
            raise PermissionDenied
        if not self.model._default_manager.filter(pk=rescoring_id).exists():
            raise Http404("There is no such rescoring.")
        try:
            messages.success(request, self._decide(request, rescoring_id))
        except RescoringError as error:
            messages.error(request, str(error))
        page = f"admin:{self.opts.app_label}_{self.opts.model_name}_change"
        return HttpResponseRedirect(reverse(page, args=[rescoring_id]))

    def _decide(self, request: HttpRequest, rescoring_id: int) -> str:
        if request.POST.get("decision") != "accept":
            self.discard(rescoring_id=rescoring_id, actor=request.user)
            return "The rescoring is discarded; every verdict is as it was."
        replace = [int(pk) for pk in request.POST.getlist("replace") if pk.isdecimal()]
        done = self.accept(rescoring_id=rescoring_id, actor=request.user, replace=replace)
        if not done.is_new:
            return "The rescoring had been accepted already."
        return (
            f"The rescoring is accepted: {done.n_scores} scores added, {done.n_current} answers brought up to date, "
            f"{done.n_stale} left alone because they had changed, {done.n_kept} corrections kept, "
            f"{done.n_replaced} replaced."
        )

    # Proposing

    def propose_view(self, request: HttpRequest) -> HttpResponse:
        """Ask for rule and reader, judge the answers again, and go to what would change."""
        if not self.may(request, "add"):
            raise PermissionDenied
        groups = list(self._groups(request.GET.getlist(self.group_field)))
        if not groups or len(groups) > MOST_AT_ONCE:
            name = self.group_model._meta.verbose_name_plural
            messages.warning(request, f"Choose from 1 to {MOST_AT_ONCE} {name}; for more, run the command rescore.")
            return HttpResponseRedirect(self._list_address())
        form = RescoreForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            made = [self._propose(request, group, form.cleaned_data) for group in groups]
            if None not in made:
                return HttpResponseRedirect(self._after([pk for pks in made if pks for pk in pks]))
        context = {
            **self.admin_site.each_context(request),
            "title": "Rescore",
            "opts": self.opts,
            "form": form,
            "groups": groups,
        }
        return TemplateResponse(request, "corpus/admin/propose.html", context)

    def _groups(self, wanted: Sequence[str]) -> Sequence[Any]:
        field = self.group_model._meta.pk
        if field is None:
            return []
        ids = [pk for text in wanted if (pk := _as_id(field, text)) is not None]
        return list(self.group_model._default_manager.filter(pk__in=ids))

    def _propose(self, request: HttpRequest, group: Any, chosen: Mapping[str, str]) -> list[int] | None:
        """Return the ids of the rescorings that now wait; None where it cannot be done, which is said."""
        try:
            proposed = self.propose(group=group, rule=chosen["rule"], reader=chosen["reader"], actor=request.user)
        except RescoringError as error:
            messages.error(request, str(error))
            return None
        waiting = [each.rescoring for each in proposed if each.rescoring is not None]
        for each in proposed:
            counts = each.counts
            text = f"{group}: {counts.n_answers} answers looked at, {counts.n_verdicts} verdicts would change"
            if each.rescoring is None:
                text = f"{group}: {counts.n_answers} answers looked at; nothing would change or be added"
            if counts.n_drifted:
                text += (
                    f"; {counts.n_drifted} are read otherwise now than they once were under the same name of the "
                    "reader, and what is stored counts"
                )
            messages.info(request, f"{text}.")
        return [rescoring.pk for rescoring in waiting]

    def _after(self, ids: Sequence[int]) -> str:
        if len(ids) != 1:
            return self._list_address()
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[ids[0]])

    def _list_address(self) -> str:
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")


def propose_address(model: type[Model], field: str, ids: Iterable[Any]) -> str:
    """Return the address of the page that proposes rescorings of these runs or studies."""
    base = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_propose")
    return f"{base}?{'&'.join(f'{field}={pk}' for pk in ids)}"


def _moves(rescoring: Any) -> list[tuple[str, str, int]]:
    """Return how many answers go from which outcome to which."""
    rows = rescoring.rows.filter(role=AbstractRescored.Role.CURRENT, change=AbstractRescored.Change.VERDICT)
    counted = rows.order_by().values_list("old_outcome", "new_outcome").annotate(n=Count("pk"))
    return sorted(counted, key=lambda move: -move[2])


def _in_short(reading: Any, letters: Mapping[str, str]) -> str:
    """Return what was read, in letters or as a number, and who corrected it."""
    if reading is None:
        return "nothing"
    chosen = ", ".join(letters.get(key, "?") for key in reading.option_keys)
    answer = chosen or f"{reading.number} {reading.unit}".strip() or reading.get_status_display()
    return f"{answer} ({reading.corrected_by})" if reading.corrected_by_id else answer


def _as_id(field: Any, text: str) -> Any:
    try:
        return field.to_python(text)
    except Exception:  # noqa: BLE001 -- whatever stands in an address, it only names nothing
        return None
