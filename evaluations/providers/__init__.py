"""Who can be asked: one adapter per kind of interface, found by name."""

from evaluations.providers.base import (
    Ask,
    Endpoint,
    FinishReason,
    NeverRetryError,
    Provider,
    ProviderError,
    RefusedError,
    Reply,
    RetryLaterError,
    Scope,
)
from evaluations.providers.registry import (
    BASELINES,
    IMPORTED,
    OUR_PARAMETERS,
    SUBMITTED,
    WITHOUT_MODEL,
    ProviderEntry,
    open_provider,
    parameter_problems,
    provider_entry,
    provider_names,
)

__all__ = [
    "BASELINES",
    "IMPORTED",
    "OUR_PARAMETERS",
    "SUBMITTED",
    "WITHOUT_MODEL",
    "Ask",
    "Endpoint",
    "FinishReason",
    "NeverRetryError",
    "Provider",
    "ProviderEntry",
    "ProviderError",
    "RefusedError",
    "Reply",
    "RetryLaterError",
    "Scope",
    "open_provider",
    "parameter_problems",
    "provider_entry",
    "provider_names",
]
