"""Shape of what people send: consent, profile, answers."""

from typing import Any

from django import forms

from corpus.scoring.confidence_levels import HIGHEST, LOWEST
from corpus.scoring.types import Kind
from survey.models import Participant
from survey.profile_words import SPECIALTIES
from survey.reading_back import NumberChoice, number_choices
from survey.selectors.pages import QuestionPage
from survey.services.responses import NO_TOOLS, Given, refusal_text

TOOLS = (
    (NO_TOOLS, "None"),
    ("calculator", "Calculator or spreadsheet"),
    ("web search", "Web search"),
    ("database", "Chemical database"),
    ("book", "Book, article or table"),
    ("drawing", "Drawing program"),
    ("RDKit", "RDKit or other code"),
)
CONFIDENCE = tuple((str(number), str(number)) for number in range(LOWEST, HIGHEST + 1))
OTHER_TOOL = "other: "
MOST_YEARS = 80
LONGEST_TYPED = 400


class ConsentForm(forms.Form):
    """Agreement to one version of the consent text, from one consent page."""

    page = forms.CharField(widget=forms.HiddenInput)
    agree = forms.BooleanField(
        error_messages={"required": "Tick the box to take part. Without consent nothing is stored."}
    )


class ProfileForm(forms.Form):
    """What a person tells about themselves; every part may be left out."""

    education = forms.ChoiceField(choices=Participant.Education.choices, required=False)
    years_experience = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=MOST_YEARS,
        error_messages={
            "invalid": "Write the years as a whole number, such as 7, or leave the field empty.",
            "min_value": "Write the years as a number from 0, or leave the field empty.",
            "max_value": f"Write at most {MOST_YEARS} years, or leave the field empty.",
        },
    )
    specialties = forms.MultipleChoiceField(choices=[(name, name.capitalize()) for name in SPECIALTIES], required=False)
    other_specialty = forms.CharField(max_length=80, required=False, strip=True)

    def profile(self) -> dict[str, Any]:
        """Return the profile as the service takes it."""
        data = self.cleaned_data
        other = [data["other_specialty"]] if data["other_specialty"] else []
        return {
            "education": data["education"],
            "years_experience": data["years_experience"],
            "specialties": [*data["specialties"], *other],
        }


class NumberForm(forms.Form):
    """A typed number, read back before it counts.

    `read_back` is the number that the person was shown and said yes to. Until it equals one of the numbers that can be
    read from the text, `settled` is None and the page asks.
    """

    typed_text = forms.CharField(required=False, strip=False, max_length=LONGEST_TYPED)
    # A number as it is read has a sign, a point and an exponent more than was typed at most.
    read_back = forms.CharField(required=False, max_length=2 * LONGEST_TYPED)

    meant: tuple[NumberChoice, ...] = ()
    settled: NumberChoice | None = None

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        self.read_number(data)
        return data

    def read_number(self, data: dict[str, Any]) -> None:
        """Read the typed text, or add the error that says how to write it."""
        if "typed_text" in self.errors:
            return
        typed = data.get("typed_text", "")
        self.meant = number_choices(typed)
        if not self.meant:
            self.add_error("typed_text", refusal_text(Kind.NUMBER, typed))
        said = data.get("read_back", "")
        self.settled = next((choice for choice in self.meant if choice.value == said), None)


class AnswerForm(NumberForm):
    """An answer to the question on a page, choice or number, with tools and confidence where they are asked."""

    choice = forms.MultipleChoiceField(
        required=False,
        error_messages={"invalid_choice": "Choose from the options on the page."},
    )
    do_not_know = forms.BooleanField(required=False)
    tools = forms.MultipleChoiceField(choices=TOOLS, required=False)
    tools_other = forms.CharField(required=False, max_length=120)
    confidence = forms.ChoiceField(choices=CONFIDENCE, required=False)

    def __init__(self, *args: Any, page: QuestionPage, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.page = page
        letters = [(choice.letter, choice.letter) for choice in page.choices]
        self.fields["choice"].choices = letters  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        data = forms.Form.clean(self) or {}
        do_not_know = data.get("do_not_know", False)
        if do_not_know and not self.page.offers_do_not_know:
            self.add_error("do_not_know", "This study needs an answer to every question.")
        if not do_not_know:
            self._check_answer(data)
        self._check_tools(data)
        return data

    def _check_answer(self, data: dict[str, Any]) -> None:
        if not self.page.is_choice:
            self.read_number(data)
        elif not data.get("choice") and "choice" not in self.errors:
            self.add_error("choice", refusal_text(Kind.CHOICE, ""))
        if self.page.asks_confidence and not data.get("confidence"):
            self.add_error("confidence", f"Say how sure you are, from {LOWEST} to {HIGHEST}.")

    def _check_tools(self, data: dict[str, Any]) -> None:
        named = self._tools(data)
        if not self.page.tools_allowed:
            if named:
                self.add_error("tools", "This part is answered without tools, so none can be reported here.")
        elif not named:
            self.add_error("tools", "Say which tools you used for this question, or choose “None”.")
        elif NO_TOOLS in named and len(named) > 1:
            self.add_error("tools", "You chose “None” and a tool as well. Keep one or the other.")

    @staticmethod
    def _tools(data: dict[str, Any]) -> tuple[str, ...]:
        other = (data.get("tools_other") or "").strip()
        return (*data.get("tools", []), *([OTHER_TOOL + other] if other else []))

    @property
    def must_ask(self) -> bool:
        """Whether the number has to be read back before it is stored."""
        return not self.page.is_choice and not self.cleaned_data["do_not_know"] and self.settled is None

    def given(self) -> Given:
        """Return the answer as the service takes it; only of a valid form with nothing left to ask."""
        data = self.cleaned_data
        do_not_know = data["do_not_know"]
        confidence = data["confidence"]
        return Given(
            option_keys=() if do_not_know else tuple(self.page.option_keys[letter] for letter in data["choice"]),
            typed_text=self.settled.text if self.settled else "",
            typed_first=data["typed_text"] if self.settled else "",
            do_not_know=do_not_know,
            tools_used=self._tools(data),
            confidence=int(confidence) if confidence else None,
        )
