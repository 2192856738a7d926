"""Ask again before a change of who counts that moves few people: their results could be worked out from the boards."""

from django import forms
from django.conf import settings

from survey.inclusion_rules import RULE_FIELDS, rule_of
from survey.models import Study
from survey.profile_words import COARSE_YEARS
from survey.selectors.retention import years_are_coarse
from survey.services.inclusion import InclusionChange, inclusion_preview

COARSE = (
    "Retention has rounded the years of experience of these people down to "
    f"{', '.join(map(str, COARSE_YEARS))} or the minimum there was then. Another minimum is compared with the rounded "
    "years, so that people who had enough may no longer count. Tick the box to change it all the same."
)


class InclusionFormMixin(forms.ModelForm):
    """For a study's form with the `RULE_FIELDS`."""

    moves_few_people = forms.BooleanField(
        required=False,
        label="Change who counts all the same",
        help_text=(
            "Where few people move, whoever noted a board before and after can subtract, and learn how those few did. "
            "After retention, years of experience are rounded down."
        ),
    )

    def _post_clean(self) -> None:
        # After the study has taken the form's values: its own rule is then the one to look at.
        super()._post_clean()  # type: ignore[misc]
        if self.instance.pk is None or self.cleaned_data.get("moves_few_people") or self.errors:
            return
        if set(RULE_FIELDS) & set(self.changed_data):
            stored = Study.objects.get(pk=self.instance.pk)
            change = inclusion_preview(study=stored, rule=rule_of(self.instance))
            if moves_few(change):
                self.add_error("moves_few_people", _warning(change))
            if "minimum_years" in self.changed_data and years_are_coarse(stored):
                self.add_error("moves_few_people", COARSE)


def moves_few(change: InclusionChange) -> bool:
    """Say whether a change brings in or leaves out people, but fewer than a mean needs."""
    minimum = int(settings.PEOPLE_MINIMUM_FOR_MEAN)
    return any(0 < n < minimum for n in (change.n_joined, change.n_left))


def _warning(change: InclusionChange) -> str:
    return (
        f"With this rule {change.n_joined} more would count and {change.n_left} no longer, {change.n_counted} in all. "
        "Boards show the change at once, so that the results of so few people could be worked out from the figures "
        "before and after. Tick the box to do it all the same, or choose a rule that moves more people or none."
    )
