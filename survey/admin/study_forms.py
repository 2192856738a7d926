"""The forms of a study, its consent texts and its parts: what can still be changed, and what people's answers fix."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count

from corpus.models import Grouping, QuestionSetRevision
from corpus.scoring.confidence_levels import HIGHEST, LOWEST
from survey.admin.inclusion import InclusionFormMixin
from survey.inclusion_rules import RULE_FIELDS
from survey.models import ConsentText, Study, StudyBlock
from survey.services.holding import consent_text_hold
from survey.services.studies import RESERVED_SLUGS

FIXED_ONCE_BEGUN = (
    "slug",
    "block_order",
    "asks_confidence",
    "offers_do_not_know",
    "balance_grouping",
    "attention_set",
    "attention_every",
    "is_demo",
)


def fix_fields(fields: dict[str, forms.Field], names: Iterable[str], reason: str) -> None:
    """Let fields of a form be read only, and say why."""
    for name in names:
        if name in fields:
            fields[name].disabled = True
            fields[name].help_text = reason


class SetRevisionField(forms.ModelChoiceField):
    """A choice of set revisions that says which set and how many questions."""

    def label_from_instance(self, revision: Any) -> str:
        return f"{revision.question_set.slug}, revision {revision.number} ({revision.n_members} questions)"


def set_revisions() -> Any:
    """Return the set revisions to choose from, with their number of questions."""
    return QuestionSetRevision.objects.select_related("question_set").annotate(n_members=Count("members"))


class GroupingField(forms.ModelChoiceField):
    """A grouping by the name of its bank and its own: several banks have a grouping called topic."""

    def label_from_instance(self, obj: Grouping) -> str:
        """Return both names."""
        return f"{obj.benchmark.name}: {obj.name}"


class StudyForm(InclusionFormMixin):
    """A study's own fields; it is opened and closed by actions.

    What decides which questions people get, and how they answer, is fixed once somebody has begun: answers given
    before and after would not mean the same. Inclusion rules can be changed at any time, because no answer changes.
    """

    balance_grouping = GroupingField(
        Grouping.objects.select_related("benchmark").order_by("benchmark__name", "name"),
        required=False,
        help_text=Study._meta.get_field("balance_grouping").help_text,
    )
    attention_set = SetRevisionField(
        set_revisions(),
        required=False,
        help_text="Easy questions that show whether somebody reads; they never count.",
    )

    class Meta:
        model = Study
        fields = (
            "title",
            "slug",
            "introduction",
            "contact",
            "is_demo",
            "block_order",
            "balance_grouping",
            "asks_confidence",
            "offers_do_not_know",
            "break_every",
            "attention_set",
            "attention_every",
            *RULE_FIELDS,
            "joins_while_open",
            "offers_reminders",
            "retention_days",
        )
        help_texts = {
            "slug": "The address is /survey/…/ with this word.",
            "contact": "Shown to participants, for questions about the study.",
            "is_demo": "All answers are made up, and every page that shows them says so.",
            "block_order": "The order in which people get the parts below.",
            "asks_confidence": f"How sure people are, from {LOWEST} to {HIGHEST}, with every answer.",
            "offers_do_not_know": "Counted apart from wrong answers; on boards neither is right.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and self.instance.participants.exists():
            fix_fields(self.fields, FIXED_ONCE_BEGUN, "Fixed: people have begun. Copy the study to change it.")

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        if slug in RESERVED_SLUGS:
            raise forms.ValidationError("Personal links live at that address. Please choose another slug.")
        return slug

    def clean(self) -> dict[str, Any] | None:
        data = super().clean()
        chosen, every = self.cleaned_data.get("attention_set"), self.cleaned_data.get("attention_every")
        if chosen and not every and "attention_every" not in self.errors:
            self.add_error("attention_every", "Say after how many questions a check comes, or take the set out.")
        if every and not chosen and "attention_set" not in self.errors:
            self.add_error("attention_set", "Choose the set the checks are taken from, or leave the number empty.")
        return data


AGREED_TO = "People agreed to this text. Add a new version to change it."


class ConsentTextForm(forms.ModelForm):
    """A consent text; once somebody agreed to it, it can only be read."""

    class Meta:
        model = ConsentText
        fields = ("version", "text")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and self.instance.participants.exists():
            for field in self.fields.values():
                field.disabled = True
            self.fields["text"].help_text = AGREED_TO

    def clean(self) -> dict[str, Any] | None:
        """Ask again with the text held: somebody may have agreed to it since the form was opened."""
        data = super().clean()
        if self.instance.pk and self.has_changed():
            consent_text_hold(consent_text_id=self.instance.pk)
            if self.instance.participants.exists():
                raise forms.ValidationError(AGREED_TO)
        return data

    def validate_unique(self) -> None:
        """Look for the version among the study's, which Django leaves out of the forms below another form."""
        super().validate_unique()
        try:
            self.instance.validate_constraints(exclude=self._get_validation_exclusions())  # type: ignore[attr-defined]
        except forms.ValidationError as error:
            self._update_errors(error)  # type: ignore[attr-defined]


class ConsentTextInline(admin.StackedInline):
    model = ConsentText
    form = ConsentTextForm
    extra = 0
    can_delete = False


class StudyBlockForm(forms.ModelForm):
    """A block; what its answers depend on is fixed once someone has questions from it.

    Another set revision is for people who begin later: an order that was drawn stays.
    """

    FIXED_ONCE_GIVEN = ("slug", "rules", "tools_allowed", "questions_per_person")

    set_revision = SetRevisionField(
        set_revisions(), help_text="People who have begun keep the questions they were given."
    )

    class Meta:
        model = StudyBlock
        fields = ("position", "title", "slug", "rules", "tools_allowed", "set_revision", "questions_per_person")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and self.instance.assignments.exists():
            fix_fields(self.fields, self.FIXED_ONCE_GIVEN, "Fixed: people have been given questions of this block.")

    def clean_set_revision(self) -> QuestionSetRevision:
        """Refuse another benchmark's questions once a part was given: its answers would be on no board."""
        chosen: QuestionSetRevision = self.cleaned_data["set_revision"]
        if "set_revision" not in self.changed_data or not self.instance.pk:
            return chosen
        given = self.instance.assignments.filter(is_attention_check=False)
        if given.exclude(question_revision__question__benchmark=chosen.question_set.benchmark_id).exists():
            raise forms.ValidationError(
                "People have been given questions of this part, which are of another benchmark. "
                "Choose a set of that benchmark, or add a part of its own for this set."
            )
        return chosen


class StudyBlockInline(admin.StackedInline):
    model = StudyBlock
    form = StudyBlockForm
    extra = 0
