"""What a system of the plain-HTTP provider says about its interface: where the prompt goes, where the answer stands."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_PATHS = (
    "text_path",
    "reasoning_path",
    "finish_path",
    "model_path",
    "tokens_in_path",
    "tokens_out_path",
    "trace_path",
)
_OWN = frozenset({"prompt_field", "template", "key_header", *_PATHS})
_PLACEHOLDER = re.compile(r"\{([A-Za-z_]+)\}")
_ALLOWED = ("prompt", "model", "system_prompt")
_PATH = re.compile(r"[^.\[\]]+(?:\.[^.\[\]]+|\[\d+\])*\Z")
_STEP = re.compile(r"[^.\[\]]+")
_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,59}\Z")
_HEADERS_OF_HTTP = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "cookie", "expect", "host", "te"}
    | {"trailer", "transfer-encoding", "upgrade", "user-agent"}
)


@dataclass(frozen=True, slots=True)
class PlainHttpSettings:
    """How to ask and how to read. An empty path says that the interface does not tell; no `text_path`: the body is it.

    Without a `template` the request's body is `extra` with the prompt under `prompt_field`.
    """

    prompt_field: str
    template: Any
    key_header: str
    paths: Mapping[str, str]
    extra: Mapping[str, Any]

    @property
    def takes_system_prompt(self) -> bool:
        """Say whether the template has a place for the system prompt."""
        return "{system_prompt}" in "".join(_texts(self.template))

    def body(self, *, prompt: str, model: str, system_prompt: str = "") -> Any:
        """Return the JSON to send. Placeholders are filled once: what the prompt itself holds stays as it is."""
        if self.template is None:
            return {**self.extra, self.prompt_field: prompt}
        filled = _filled(self.template, {"prompt": prompt, "model": model, "system_prompt": system_prompt})
        return {**self.extra, **filled} if isinstance(filled, dict) else filled


def plain_http_settings(parameters: Mapping[str, Any]) -> PlainHttpSettings:
    """Return the settings among a system's parameters; every other parameter goes into the body as it is."""
    return PlainHttpSettings(
        prompt_field=parameters.get("prompt_field") or "prompt",
        template=parameters.get("template"),
        key_header=parameters.get("key_header") or "Authorization",
        paths={name.removesuffix("_path"): parameters.get(name) or "" for name in _PATHS},
        extra={name: value for name, value in parameters.items() if name not in _OWN and value is not None},
    )


def plain_http_problems(parameters: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with a system's parameters for this provider, one sentence each."""
    not_text = sorted(name for name in _OWN - {"template"} if not isinstance(parameters.get(name) or "", str))
    if not_text:
        return [f"{', '.join(not_text)} must be text."]
    settings = plain_http_settings(parameters)
    problems = [
        f"{name}_path must be names and numbers with dots between, for example choices.0.text, not {path!r}."
        for name, path in settings.paths.items()
        if path and not _PATH.match(path)
    ]
    if not _HEADER.match(settings.key_header) or settings.key_header.lower() in _HEADERS_OF_HTTP:
        problems.append("key_header must be the name of a header made for a key, for example X-API-Key.")
    if settings.template is None and settings.prompt_field in settings.extra:
        problems.append(f"The parameter {settings.prompt_field!r} is where the prompt goes; leave it out.")
    return problems + _template_problems(settings.template)


def value_at(body: Any, path: str) -> tuple[bool, Any]:
    """Return whether a JSON body has a value at `path` (names and indices: a.0.b or a[0].b), and the value."""
    for step in _STEP.findall(path):
        if isinstance(body, Mapping) and step in body:
            body = body[step]
        elif isinstance(body, list) and step.isdecimal() and len(step) < 10 and int(step) < len(body):
            body = body[int(step)]
        else:
            return False, None
    return True, body


def _template_problems(template: Any) -> list[str]:
    if template is None:
        return []
    if not isinstance(template, dict | list):
        return ['template must be a JSON object, for example {"inputs": "{prompt}"}.']
    texts = list(_texts(template))
    found = {name for text in texts for name in _PLACEHOLDER.findall(text)}
    problems = [] if "prompt" in found else ["template must hold {prompt} where the question goes."]
    if unknown := sorted(found.difference(_ALLOWED)):
        problems.append(
            f"template may hold {{prompt}}, {{model}} and {{system_prompt}} only, not {{{'}, {'.join(unknown)}}}."
        )
    return problems


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inside for text in _texts(each)]


def _filled(value: Any, fillings: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda found: fillings.get(found[1], found[0]), value)
    if isinstance(value, dict):
        return {name: _filled(each, fillings) for name, each in value.items()}
    return [_filled(each, fillings) for each in value] if isinstance(value, list) else value
