"""Results of tools, read by the `outputSchema` that the server declares for them.

A result that does not match is the server's mistake, not the model's: `ResultError` is no
`ToolError`, and is not sent to a model. The text of a function's own result for a model is
`result_text` in `result_writing`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple, get_args

from schema2model.coerce.search.readings import Change
from schema2model.coercions import Coercion, Preset, coercion_named
from schema2model.compiled import CompiledSchema, compile_schema
from schema2model.errors import Issue, SchemaError
from schema2model.json.canonical import canonical_json
from schema2model.json.equality import type_exact_equal
from schema2model.json.parsing import NOTHING, exact_json
from schema2model.json.quoting import abridged_repr, printable
from schema2model.logs import logger_named

__all__ = [
    "RESULT_MODES",
    "ReadResult",
    "ResultError",
    "ResultMode",
    "check_result",
    "read_tool_result",
    "replace_structured",
    "result_mode",
]

ResultMode = Literal["off", "check", "correct", "refuse"]

RESULT_MODES: Final[tuple[ResultMode, ...]] = get_args(ResultMode)
"""Policies for a result that does not match: nothing; it is logged; it is corrected, if there is
a valid reading; or it is corrected, and refused if there is none."""

LOGGER = logger_named("schema2model.tools")


class ResultError(ValueError):
    """A server's result does not match the schema that the server declares.

    `issues` holds the single problems.
    """

    def __init__(self, name: str, issues: tuple[Issue, ...], reason: str = "") -> None:
        problems = [f"{each.place}: expected {each.wanted}, found {each.found}" for each in issues]
        words = "\n".join(f"- {each}" for each in (problems or [reason]))
        super().__init__(f"The result of `{printable(name)}` does not match its schema:\n{words}")
        self.name = name
        self.issues = issues

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (str(self), self.name, self.issues)


def _again(message: str, name: str, issues: tuple[Issue, ...]) -> ResultError:
    error = ResultError(name, issues)
    error.args = (message,)
    return error


class ReadResult(NamedTuple):
    """The structured content of a result, as the schema asks for it."""

    structured: Any
    changes: tuple[Change, ...] = ()
    is_changed: bool = False
    """True if it is not what the server sent as structured content."""

    @property
    def words(self) -> str:
        """Describe what is changed in one line, without values."""
        rules = ", ".join(f"{change.path or 'all'} ({change.rule})" for change in self.changes)
        return rules or "the structured content is in the text"


def read_tool_result(
    name: str, schema: Any, result: Any, *, coercion: Preset | Coercion = "default"
) -> ReadResult:
    """Return the structured content of a result.

    JSON in the only text block of a result is its structured content where the schema asks for it
    and the server has sent none. The result of a tool that has failed (`isError`) is not checked.

    Args:
        name: the tool's name, for messages.
        schema: the tool's `outputSchema`; None if it has none.
        result: of MCP's `tools/call`, as a mapping or an object of the SDK.
        coercion: how it is read.

    Raises:
        ResultError: if no reading of the content is valid.
        SchemaError: if the schema cannot be compiled.

    >>> schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    >>> sent = {"content": [{"type": "text", "text": '{"n": "3"}'}]}
    >>> read_tool_result("count", schema, sent).structured
    {'n': 3}

    """
    sent = _as_mapping(result)
    structured = sent.get("structuredContent")
    if schema is None or sent.get("isError"):
        return ReadResult(structured)
    value = structured
    if value is None:
        value = _json_in_text(sent.get("content"))
        if value is NOTHING:
            raise ResultError(name, (), "the structured content is missing")
    compiled: CompiledSchema = compile_schema(schema, coercion=coercion_named(coercion), name=name)
    explained = compiled.explain(value)
    if explained.error is not None:
        raise ResultError(name, explained.error.issues)
    is_changed = not type_exact_equal(structured, explained.result)
    return ReadResult(explained.result, tuple(explained.changes), is_changed)


def check_result(
    name: str, schema: Any, result: Mapping[str, Any], mode: ResultMode, coercion: Preset | Coercion
) -> Mapping[str, Any]:
    """Return the result to hand on; the same object if nothing changes.

    Args:
        name: the tool's name.
        schema: the tool's `outputSchema`, or None.
        result: of MCP's `tools/call`.
        mode: what becomes of a result that does not match.
        coercion: how it is read.

    Raises:
        ResultError: if no reading of the content is valid, and such results are refused.

    """
    if mode == "off":
        return result
    try:
        read = read_tool_result(name, schema, result, coercion=coercion)
    except (ResultError, SchemaError) as error:
        LOGGER.warning("%s", error)
        if mode == "refuse" and isinstance(error, ResultError):
            raise
        return result
    if not read.is_changed:
        return result
    if mode == "check":
        LOGGER.warning("the result of `%s` does not match its schema as it was sent", name)
        return result
    return replace_structured(result, read.structured)


def replace_structured(result: Mapping[str, Any], structured: Any) -> dict[str, Any]:
    """Replace structured content, also in the text block that repeats it."""
    own = {**result, "structuredContent": structured}
    sent, content = result.get("structuredContent"), result.get("content")
    is_repeated = sent is not None and _json_in_text(content) == sent
    if is_repeated and content is not None and len(content) == 1:
        own["content"] = [{**content[0], "text": canonical_json(structured)}]
    return own


def result_mode(mode: str) -> ResultMode:
    """Return a mode as it was given.

    Raises:
        ValueError: for an unknown mode.

    """
    for known in RESULT_MODES:
        if mode == known:
            return known
    message = f"results has to be one of {', '.join(RESULT_MODES)}, not {abridged_repr(mode)}"
    raise ValueError(message)


def _as_mapping(result: Any) -> Mapping[str, Any]:
    """Return a result as a mapping with the protocol's own names."""
    if isinstance(result, Mapping):
        return result
    if hasattr(result, "model_dump"):
        dumped: Mapping[str, Any] = result.model_dump(by_alias=True, mode="json")
        return dumped
    message = f"a result is a mapping or an object of the SDK, not {type(result).__name__}"
    raise TypeError(message)


def _json_in_text(content: Any) -> Any:
    """Return the JSON document in the only text block, or `NOTHING`."""
    blocks = content if isinstance(content, list) else []
    texts = [each["text"] for each in blocks if isinstance(each, Mapping) and "text" in each]
    return exact_json(texts[0]) if len(texts) == 1 and isinstance(texts[0], str) else NOTHING
