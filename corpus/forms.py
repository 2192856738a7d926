"""What a maintainer enters to correct a reading, or to have answers judged again."""

from typing import Any

from django import forms

from corpus.scoring.published import READER as PUBLISHED_READER
from corpus.scoring.reading import read_typed_number, reader_names
from corpus.scoring.rules import rule_names
from corpus.scoring.survey_reports import READER as SURVEY_READER
from corpus.scoring.types import Asked, Kind, Reading, ReadStatus

STATUS_LABELS = {
    ReadStatus.READ: "It states an answer",
    ReadStatus.UNPARSED: "It states no answer that can be read",
    ReadStatus.REFUSED: "It refuses to answer",
    ReadStatus.EMPTY: "It is empty",
    ReadStatus.TRUNCATED: "It was cut off before its answer",
    ReadStatus.GAVE_UP: "An agent's own stop text",
    ReadStatus.DO_NOT_KNOW: "A person says that they do not know",
}


class CorrectionForm(forms.Form):
    """What an answer says, in the eyes of a person who looked at it."""

    status = forms.ChoiceField(label="What the answer is", choices=[(key.value, x) for key, x in STATUS_LABELS.items()])
    options = forms.MultipleChoiceField(label="Options it chooses", required=False, widget=forms.CheckboxSelectMultiple)
    number = forms.CharField(label="Number it states", required=False, max_length=120)
    quote = forms.CharField(
        label="Where it says so",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Copy the passage from the answer; it is marked on the answer's page. May be left empty.",
    )
    reason = forms.CharField(
        label="Why the reading is corrected",
        widget=forms.Textarea(attrs={"rows": 3}),
        error_messages={"required": "Say why the reading is wrong; it is shown beside the correction."},
    )

    def __init__(self, *args: Any, asked: Asked, text: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.asked, self.text = asked, text
        if asked.kind is Kind.CHOICE:
            del self.fields["number"]
            letters = [(option.letter, f"{option.letter}. {option.text}") for option in asked.shown]
            self.fields["options"].choices = letters  # type: ignore[attr-defined]
        else:
            del self.fields["options"]

    def clean(self) -> dict[str, Any]:
        """Require what the status needs, and that the quoted passage is there."""
        data = super().clean() or {}
        is_read = data.get("status") == ReadStatus.READ
        given = data.get("options") or data.get("number")
        field = "options" if "options" in self.fields else "number"
        if is_read and not given:
            self.add_error(field, "Say what the answer is.")
        if given and not is_read:
            self.add_error("status", "An answer is given below, so it states one. Change one or the other.")
        if field == "number" and given and self._typed().number is None:
            self.add_error("number", "This is no number that can be read. Write it like 4.15E-21.")
        if data.get("quote") and self._span() is None:
            self.add_error("quote", "The answer does not say this. Copy the passage as it stands there.")
        return data

    def reading(self) -> Reading:
        """Return the reading of a valid form."""
        data = self.cleaned_data
        status = ReadStatus(data["status"])
        typed = self._typed() if data.get("number") else None
        chosen = data.get("options") or ()
        return Reading(
            status=status,
            option_keys=tuple(option.key for option in self.asked.shown if option.letter in chosen),
            number=typed.number if typed else None,
            unit=typed.unit if typed else "",
            span=self._span(),
        )

    def _typed(self) -> Reading:
        return read_typed_number(self.cleaned_data["number"])

    def _span(self) -> tuple[int, int] | None:
        """Return where the passage stands; the last place, as it is an answer's end that counts."""
        quote = self.cleaned_data.get("quote", "")
        # Browsers send line ends of their own.
        for passage in (quote, quote.replace("\r\n", "\n")):
            start = self.text.rfind(passage)
            if passage and start >= 0:
                return start, start + len(passage)
        return None


class RescoreForm(forms.Form):
    """Under which rule and by which reader answers are judged again."""

    rule = forms.ChoiceField()
    reader = forms.ChoiceField(
        help_text=f"{PUBLISHED_READER} is what reports stored, {SURVEY_READER} what the published survey did; "
        "each goes with the rule of its name."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["rule"].choices = [(name, name) for name in rule_names()]  # type: ignore[attr-defined]
        names = (*reversed(reader_names()), PUBLISHED_READER, SURVEY_READER)
        self.fields["reader"].choices = [(name, name) for name in names]  # type: ignore[attr-defined]
