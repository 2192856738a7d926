"""The page that describes the API, made from the description that programs read: plain, without script."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.api import api

_PREFIX = "#/components/schemas/"


class Field(NamedTuple):
    """A parameter of an address, or a field of an answer; `schema` names the object it holds, if there is one."""

    name: str
    type: str
    description: str
    schema: str = ""
    default: str = ""


class Answer(NamedTuple):
    """What comes back with a status; `schema` is empty where the body has none."""

    status: str
    description: str
    media_type: str
    schema: str


class Endpoint(NamedTuple):
    """An address that can be read."""

    name: str
    path: str
    summary: str
    description: str
    parameters: tuple[Field, ...]
    answers: tuple[Answer, ...]


class Described(NamedTuple):
    """An object of the answers."""

    name: str
    description: str
    fields: tuple[Field, ...]


def endpoints(schema: Mapping[str, Any]) -> list[Endpoint]:
    """Return the addresses of an OpenAPI description in its order."""
    return [
        Endpoint(
            name=operation["operationId"].rpartition(".")[2].rpartition("_api_")[2],
            path=path,
            summary=operation["summary"],
            description=" ".join(operation.get("description", "").split()),
            parameters=tuple(_parameter(found) for found in operation["parameters"]),
            answers=tuple(_answer(str(status), found) for status, found in sorted(operation["responses"].items())),
        )
        for path, methods in schema["paths"].items()
        for operation in methods.values()
    ]


def objects(schema: Mapping[str, Any]) -> list[Described]:
    """Return the objects the answers are made of, by name."""
    found = schema["components"]["schemas"]
    return [
        Described(name, " ".join(entry.get("description", "").split()), tuple(_fields(entry)))
        for name, entry in sorted(found.items())
    ]


@require_safe
def api_docs(request: HttpRequest) -> HttpResponse:
    """Show what the API serves."""
    schema = api.get_openapi_schema()
    context = {
        "info": schema["info"],
        "endpoints": endpoints(schema),
        "objects": objects(schema),
        "requests_per_minute": settings.API_REQUESTS_PER_MINUTE,
        "page": "api",
    }
    return render(request, "leaderboard/api.html", context)


def _parameter(found: Mapping[str, Any]) -> Field:
    default = str(found["schema"].get("default", ""))
    kind = "part of the address" if found["in"] == "path" else "parameter"
    return Field(found["name"], kind, found.get("description", ""), default=default)


def _answer(status: str, found: Mapping[str, Any]) -> Answer:
    for media_type, body in found.get("content", {}).items():
        return Answer(status, found["description"], media_type, _name(body["schema"]))
    return Answer(status, found["description"], "", "")


def _fields(entry: Mapping[str, Any]) -> Iterator[Field]:
    for name, field in entry.get("properties", {}).items():
        kind, schema = _type(field)
        yield Field(name, kind, field.get("description", ""), schema)


def _type(field: Mapping[str, Any]) -> tuple[str, str]:
    """Return a type in words, and the name of the object in it."""
    if "anyOf" in field:
        parts = [_type(part) for part in field["anyOf"]]
        return " or ".join(kind for kind, _ in parts), next((name for _, name in parts if name), "")
    if name := _name(field):
        return "object", name
    if field.get("type") == "array":
        kind, name = _type(field["items"])
        return f"list of {kind}s", name
    if isinstance(field.get("additionalProperties"), Mapping):
        kind, name = _type(field["additionalProperties"])
        return f"{kind}s by name", name
    return str(field.get("type", "any")), ""


def _name(schema: Mapping[str, Any]) -> str:
    return str(schema.get("$ref", "")).removeprefix(_PREFIX)
