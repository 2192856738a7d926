"""What is tested: a model behind a provider, an agent, or a baseline."""

from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q

from evaluations.addresses import address_problem
from evaluations.redaction import looks_like_key

# Among a system's facts: the slug of the system it is built on, as an agent on its model.
BASE_MODEL = "base_model"
# And the tools it may use, in words, as `Python, web search`.
TOOLS = "tools"
PRICES = ("input_price", "output_price", "cached_input_price", "reasoning_price")
environment_name = RegexValidator(
    r"^[A-Z][A-Z0-9_]{2,60}$",
    "Give the name of an environment variable in capitals (for example OPENAI_API_KEY), never the key itself.",
)


currency_code = RegexValidator(r"^[A-Z]{3}$", "Give the currency by its three capitals, for example USD or EUR.")


# The rows of people bear these slugs on every board, so no system may.
SLUGS_OF_PEOPLE = ("human-experts", "human-experts-in-part")


def price_field(help_text: str) -> "models.DecimalField[Any, Any]":
    """Return a column for a price; empty is unknown, which is not nothing."""
    return models.DecimalField(
        max_digits=12, decimal_places=6, null=True, blank=True, validators=[MinValueValidator(0)], help_text=help_text
    )


def endpoint_address(value: str) -> None:
    """Accept http and https addresses of any host, private networks included; refuse those of metadata services."""
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address or any(character.isspace() for character in value):
        raise ValidationError("Give an address that starts with http:// or https://, for example https://host/v1.")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValidationError(
            "Leave user name, password, query and fragment out of the address; a key goes into an environment variable."
        )
    if problem := address_problem(value):
        raise ValidationError(problem)
    if looks_like_key(value):
        raise ValidationError(
            "The address seems to hold a key. Leave it out, put it into an environment variable and name that in the "
            "field Api key variable."
        )


class System(models.Model):
    """What is tested: a model behind a provider, an agent, or a baseline."""

    class Kind(models.TextChoices):
        MODEL = "model", "model"
        AGENT = "agent", "agent"
        BASELINE = "baseline", "baseline"

    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=200)
    source_name = models.CharField(max_length=200, blank=True, help_text="Folder name of an imported report.")
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.MODEL)
    provider = models.CharField(
        max_length=40, help_text="Registered name; `imported` for systems known only by their reports."
    )
    model_id = models.CharField(max_length=200, blank=True)
    base_url = models.CharField(
        max_length=500,
        blank=True,
        validators=[endpoint_address],
        help_text="Address of the interface, https://host/v1; empty: the provider's own.",
    )
    api_key_variable = models.CharField(max_length=64, blank=True, validators=[environment_name])
    parameters = models.JSONField(
        default=dict, blank=True, help_text="Sent with every question; temperature 0 by default."
    )
    system_prompt = models.TextField(blank=True, help_text="Said before every question; empty: nothing.")
    folds_system_prompt = models.BooleanField(
        default=False, help_text="Put the system prompt at the head of the question, for models that take none."
    )
    learned = models.JSONField(
        default=dict,
        blank=True,
        help_text="What the endpoint's own messages taught: parameters to leave out, names to replace.",
    )
    concurrency = models.PositiveSmallIntegerField(default=8)
    requests_per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="Most calls a minute over all workers; empty: no limit of ours."
    )
    tokens_per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="Most tokens a minute, in and out together, over all workers."
    )
    input_price = price_field("per million tokens sent")
    output_price = price_field("per million tokens received")
    cached_input_price = price_field("per million tokens sent that the provider had cached; empty: as any sent")
    reasoning_price = price_field("per million tokens of reasoning; empty: as any received")
    price_currency = models.CharField(max_length=3, default="USD", validators=[currency_code])
    price_source = models.CharField(max_length=300, blank=True, help_text="Where the prices stand, and of which day.")
    facts = models.JSONField(default=dict, blank=True, help_text="Published facts, as their source gives them.")
    released_on = models.DateField(null=True, blank=True)
    parameter_count = models.BigIntegerField(null=True, blank=True)
    open_weights = models.BooleanField(null=True, blank=True)
    is_demo = models.BooleanField(default=False)
    is_hidden = models.BooleanField(default=False, help_text="Left out of every public page.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=Q(requests_per_minute__isnull=True) | Q(requests_per_minute__gte=1),
                name="system_requests_from_one",
            ),
            models.CheckConstraint(
                condition=Q(tokens_per_minute__isnull=True) | Q(tokens_per_minute__gte=1),
                name="system_tokens_from_one",
            ),
            models.CheckConstraint(
                condition=~Q(slug__in=SLUGS_OF_PEOPLE),
                name="system_slug_not_of_people",
                violation_error_message="This slug stands for the people on the boards: choose another.",
            ),
            *(
                models.CheckConstraint(
                    condition=Q(**{f"{name}__isnull": True}) | Q(**{f"{name}__gte": 0}),
                    name=f"system_{name}_not_negative",
                )
                for name in PRICES
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def base_model(self) -> str:
        """The slug of the system this one is built on; "" where none is named."""
        return str(self.facts.get(BASE_MODEL) or "")

    @property
    def tools(self) -> str:
        """The tools it may use, in words; "" where none are named."""
        named = self.facts.get(TOOLS)
        return named if isinstance(named, str) else ""
