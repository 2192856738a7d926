"""What is written down about a run when it is made, so that its numbers still mean something later."""

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from django.conf import settings

from corpus.models import QuestionSetRevision
from evaluations.asked import PROMPT_KEY
from evaluations.models import TOOLS, System
from evaluations.prompts import prompt_style
from evaluations.services.costs import PRICES_KEY, price_facts
from evaluations.services.key_frozen import KEY_VARIABLE

READER = "standard@1"
_PACKAGES = ("django", "openai", "anthropic", "rdkit")


# What is put to a system, and what that system is; the rest is how its replies are judged, and by which code.
GIVEN_OUT = (
    "provider",
    "model_id",
    "base_url",
    KEY_VARIABLE,
    "prompt_style",
    "prompt_template",
    PROMPT_KEY,
    "system_prompt",
    "folds_system_prompt",
    TOOLS,
    PRICES_KEY,
    "set",
    "set_hash",
)


def frozen_facts(*, system: System, set_revision: QuestionSetRevision, style_name: str) -> dict[str, Any]:
    """Return provider, model, endpoint, key's variable, prompts, prices, reader, rule, and the versions of the code."""
    style = prompt_style(style_name)
    return {
        "provider": system.provider,
        "model_id": system.model_id,
        "base_url": system.base_url,
        KEY_VARIABLE: system.api_key_variable,
        "prompt_style": style.name,
        "prompt_template": style.template,
        PROMPT_KEY: style.as_frozen(),
        "system_prompt": system.system_prompt,
        "folds_system_prompt": system.folds_system_prompt,
        TOOLS: system.tools,
        "reader": READER,
        "rule": set_revision.question_set.benchmark.default_rule,
        PRICES_KEY: price_facts(system),
        "set": str(set_revision),
        "set_hash": set_revision.content_hash,
        "code_commit": code_commit(),
        "python": platform.python_version(),
        "packages": {name: _package_version(name) for name in _PACKAGES},
    }


def code_commit() -> str:
    """Return the commit of the running code: from CODE_COMMIT, else from git; "" where there is neither."""
    stated = os.environ.get("CODE_COMMIT", "")
    git = shutil.which("git")
    if stated or git is None or not (settings.BASE_DIR / ".git").exists():
        return stated[:40]
    result = subprocess.run(  # noqa: S603 -- a fixed command without any input from outside
        [git, "rev-parse", "HEAD"], cwd=settings.BASE_DIR, capture_output=True, text=True, timeout=10, check=False
    )
    return result.stdout.strip()


def _package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
