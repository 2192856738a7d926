"""What a maintainer may enter about systems and runs."""

from decimal import Decimal
from typing import Any

from django import forms

from corpus.models import QuestionSet
from evaluations.errors import CannotBeAskedError
from evaluations.json_fields import StorableJSONField
from evaluations.key_names import key_name_problem
from evaluations.models import BASE_MODEL, PRICES, TOOLS, System, environment_name
from evaluations.prompts import DEFAULT_PROMPT_STYLE, prompt_styles
from evaluations.providers import (
    IMPORTED,
    SUBMITTED,
    WITHOUT_MODEL,
    parameter_problems,
    provider_entry,
    provider_names,
)
from evaluations.repeats import MOST_REPEATS
from evaluations.services.costs import plain_number
from evaluations.services.sweeps import check_size, parse_dimensions

LONGEST_TOOLS = 300
# Nobody means fewer: a smaller number is one of millions or billions.
FEWEST_PARAMETERS = 1000
LARGEST_SEED = 2**63 - 1
SMALLEST_BUDGET = Decimal("0.0001")


class SystemForm(forms.ModelForm):
    """A system: registered provider, address, the name of its key's variable, parameters that can be sent."""

    provider = forms.ChoiceField(
        help_text="How it is asked. `imported`: known by its published reports; `submitted`: by completions sent in."
    )
    base_model = forms.ModelChoiceField(
        queryset=System.objects.all(),
        to_field_name="slug",
        required=False,
        empty_label="none, or not known",
        help_text="The system this one is built on, as an agent on its model: the two are shown side by side.",
    )

    tools = forms.CharField(
        required=False,
        max_length=LONGEST_TOOLS,
        help_text="The tools it may use, such as `Python, web search`. Empty: none, or not known. A run keeps them.",
    )

    class Meta:
        model = System
        help_texts = {
            "api_key_variable": "The name of the environment variable that holds the key, such as OPENAI_API_KEY; "
            "never the key itself. It ends in _API_KEY and is set where the worker runs. Empty: asked without a key."
        }
        field_classes = {"parameters": StorableJSONField, "facts": StorableJSONField}
        fields = [
            "name",
            "slug",
            "kind",
            "provider",
            "model_id",
            "base_url",
            "api_key_variable",
            "parameters",
            "system_prompt",
            "folds_system_prompt",
            "concurrency",
            "requests_per_minute",
            "tokens_per_minute",
            *PRICES,
            "price_currency",
            "price_source",
            "released_on",
            "parameter_count",
            "open_weights",
            "facts",
            "source_name",
            "is_demo",
            "is_hidden",
        ]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "price_currency" in self.fields:
            self.fields["price_currency"].required = False
        # Six decimal places are for the column, not for the eye.
        self.initial.update({name: plain_number(getattr(self.instance, name)) for name in PRICES if self.instance.pk})
        if "provider" in self.fields:
            names = [(name, f"{provider_entry(name).label} ({name})") for name in provider_names()]
            made_elsewhere = [(IMPORTED, "imported reports"), (SUBMITTED, "completions made elsewhere")]
            self.fields["provider"].choices = [*names, *made_elsewhere]  # type: ignore[attr-defined]
        self._split_base_model()
        self._split_tools()

    def _split_base_model(self) -> None:
        """Show the base model among the facts in its own field; words that name no system stay where they are."""
        others = System.objects.exclude(pk=self.instance.pk).order_by("name", "slug")
        if "base_model" in self.fields:
            self.fields["base_model"].queryset = others  # type: ignore[attr-defined]
            if others.filter(slug=self.instance.base_model).exists():
                facts = {name: value for name, value in self.instance.facts.items() if name != BASE_MODEL}
                self.initial.update(base_model=self.instance.base_model, facts=facts)

    def _split_tools(self) -> None:
        """Show tools named among the facts in their own field; anything else stays where it is."""
        if "tools" in self.fields and 0 < len(self.instance.tools) <= LONGEST_TOOLS:
            facts = self.initial.get("facts", self.instance.facts)
            self.initial.update(
                tools=self.instance.tools, facts={name: value for name, value in facts.items() if name != TOOLS}
            )

    def clean_api_key_variable(self) -> str:
        """Refuse variables that hold the site's own secrets: what is named here is sent to the endpoint."""
        name: str = self.cleaned_data["api_key_variable"]
        if name:
            environment_name(name)
        if name and (problem := key_name_problem(name)):
            raise forms.ValidationError(problem)
        return name

    def clean_parameters(self) -> dict[str, Any]:
        """Refuse what is no JSON object and what the provider's adapter sets itself."""
        parameters = self.cleaned_data["parameters"] or {}
        if not isinstance(parameters, dict):
            raise forms.ValidationError('Give one JSON object, for example {"temperature": 0}.')
        problems = parameter_problems(parameters)
        if problems:
            raise forms.ValidationError(problems)
        return parameters

    def clean_facts(self) -> dict[str, Any]:
        """Refuse what is no JSON object."""
        facts = self.cleaned_data["facts"] or {}
        if not isinstance(facts, dict):
            raise forms.ValidationError('Give one JSON object, for example {"paper": "https://..."}.')
        return facts

    def clean_parameter_count(self) -> int | None:
        """Refuse a number of millions or billions; empty is unknown."""
        count: int | None = self.cleaned_data["parameter_count"]
        if count is not None and count < FEWEST_PARAMETERS:
            raise forms.ValidationError("Give the whole number, 7000000000 for 7 billion; leave it empty if unknown.")
        return count

    def clean_price_currency(self) -> str:
        """Take the currency in small letters too, and the usual one for none."""
        return str(self.cleaned_data["price_currency"]).upper() or "USD"

    def clean(self) -> dict[str, Any]:
        """Ask for a model id where the provider needs one."""
        cleaned = super().clean() or self.cleaned_data
        provider = cleaned.get("provider")
        if provider in provider_names() and provider_entry(provider).needs_model and not cleaned.get("model_id"):
            self.add_error("model_id", "Name the model as the provider calls it.")
        if provider in provider_names():
            self._check_for_provider(provider, cleaned)
        if cleaned.get("base_model") and "facts" in cleaned:
            cleaned["facts"] = {**cleaned["facts"], BASE_MODEL: cleaned["base_model"].slug}
        if cleaned.get("tools") and "facts" in cleaned:
            cleaned["facts"] = {**cleaned["facts"], TOOLS: cleaned["tools"]}
        return cleaned

    def _check_for_provider(self, provider: str, cleaned: dict[str, Any]) -> None:
        """Refuse what only this provider cannot do with."""
        entry = provider_entry(provider)
        if entry.needs_address and not cleaned.get("base_url") and "base_url" not in self.errors:
            self.add_error("base_url", "Give the address that takes the prompt.")
        if problems := entry.problems(cleaned.get("parameters") or {}):
            self.add_error("parameters", problems)


class BudgetForm(forms.Form):
    """A higher budget for a run."""

    budget = forms.DecimalField(
        label="Budget",
        min_value=SMALLEST_BUDGET,
        max_digits=12,
        decimal_places=4,
        error_messages={"required": "Give the new budget as a number."},
    )


class QueueRunForm(forms.Form):
    """What a new run asks, and how."""

    question_set = forms.ModelChoiceField(queryset=QuestionSet.objects.none(), label="Question set")
    prompt_style = forms.ChoiceField(label="Prompt style")
    fallback = forms.ModelChoiceField(
        queryset=System.objects.none(),
        required=False,
        label="Fallback reader",
        empty_label="none: what our reader cannot read stays unparsed",
        help_text="A system that finds the answer in replies our reader cannot read. Counted and shown with the run.",
    )
    repeats = forms.IntegerField(
        min_value=1, max_value=MOST_REPEATS, initial=1, help_text="Times each question is asked."
    )
    seed = forms.IntegerField(
        min_value=0,
        max_value=LARGEST_SEED,
        initial=0,
        help_text="Orders of options and the random baseline follow from it; the same seed gives the same run.",
    )

    permutes_options = forms.BooleanField(
        required=False,
        label="Permute options",
        help_text="Show the options in another order at every repeat but the first, drawn from the seed.",
    )
    asks_confidence = forms.BooleanField(
        required=False,
        label="Ask confidence",
        help_text="Ask after the answers how sure the system is of each, 1 to 5: as many calls again.",
    )
    sweep = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text="A line for each thing to vary: prompt_style, seed or a parameter of the provider, such as "
        "temperature=0,0.5,1. A run is queued for every combination; they take turns. Empty: one run.",
    )
    budget = forms.DecimalField(
        required=False,
        min_value=SMALLEST_BUDGET,
        max_digits=12,
        decimal_places=4,
        help_text="In the currency of the system's prices. A run pauses when it has cost so much; empty: no limit.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sets = QuestionSet.objects.filter(current_revision__isnull=False).select_related(
            "current_revision__question_set__benchmark"
        )
        self.fields["question_set"].queryset = sets  # type: ignore[attr-defined]
        if sets.count() == 1:
            self.fields["question_set"].initial = sets.get()
        readers = System.objects.exclude(provider__in=WITHOUT_MODEL)
        self.fields["fallback"].queryset = readers  # type: ignore[attr-defined]
        styles = [(style.name, f"{style.name}: {style.summary}") for style in prompt_styles()]
        self.fields["prompt_style"].choices = styles  # type: ignore[attr-defined]
        self.fields["prompt_style"].initial = DEFAULT_PROMPT_STYLE

    def clean_sweep(self) -> dict[str, tuple[Any, ...]]:
        """Return what is varied, nothing for one run."""
        try:
            dimensions = parse_dimensions(self.cleaned_data["sweep"].splitlines())
            if dimensions:
                check_size(dimensions)
        except CannotBeAskedError as error:
            raise forms.ValidationError(str(error)) from error
        return dimensions
