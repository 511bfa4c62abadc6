"""The errors of the package, and who gets them.

ValueError
+-- SchemaError   for the developer, when a schema is compiled
+-- ToolError     for the model that made the call, when its arguments are read
+-- TextError     for the readers of text: one reading is refused, with words for that model
"""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pydantic_core import ErrorDetails, PydanticKnownError, ValidationError

from schema2model.advice import Advice, form_of, is_advice, phrase_of
from schema2model.json.pointers import pointer, pointer_tokens
from schema2model.json.quoting import example_text, printable, quoted
from schema2model.json.values import NotJSONError
from schema2model.limits import (
    MAX_DEPTH,
    MAX_ISSUES,
    MAX_MESSAGE,
    MAX_SHOWN_LINE,
    MAX_SHOWN_NAME,
    MAX_SHOWN_PATH,
)
from schema2model.regexes import regex

__all__ = [
    "AMBIGUOUS",
    "CUT_OFF",
    "EMPTY",
    "ENCODING",
    "NOTHING_HERE",
    "NOTHING_SENT",
    "NOT_JSON",
    "NO_PROPERTY",
    "OUT_OF_RANGE",
    "TOO_DEEP",
    "TWO_CALLS",
    "Issue",
    "IssueWords",
    "SchemaError",
    "TextError",
    "ToolError",
    "context_of",
    "first_line",
    "has_context",
    "is_of_validator",
    "issue_of",
    "issue_words",
    "marked",
    "quoted_or_type",
    "unexpected",
    "without_frames",
]


class IssueWords(NamedTuple):
    """The words of one error."""

    keyword: str
    """The JSON Schema keyword that corresponds to pydantic's type."""
    wanted: str
    example: Any = None
    advice: str | None = None
    is_missing: bool = False
    """True if nothing was sent at the place."""


NO_PROPERTY: Final = "no property of this name"
"""The expectation at a name that is not declared."""
ONE_OBJECT: Final = "one JSON object"
"""The expectation of a text; what is found says why it is none."""
NOTHING_HERE: Final = "nothing here"
"""The expectation where no value is accepted."""
NOTHING_SENT: Final = "nothing"
"""The value at the place of a missing property."""
_EXPECTED: Final = "Input should be "
"""The beginning of most of pydantic's messages."""
_MAX_LINE: Final = 200
"""Maximum characters of another library's message that are passed on."""
_CUT_OFF: Final = regex(r"EOF while parsing")
_KINDS: Final[tuple[tuple[str, str, Any], ...]] = (
    ("int_", "integer", 10),
    ("float_", "number", 1.5),
    ("finite_number", "number", 1.5),
    ("bool_", "boolean", True),
    ("string_type", "string", "text"),
    ("string_sub_type", "string", "text"),
    ("string_unicode", "string", "text"),
    ("list_type", "array", []),
    ("tuple_type", "array", []),
    ("named_tuple_type", "array", []),
    ("deque_type", "array", []),
    ("iterable_type", "array", []),
    ("set_type", "array of distinct items", []),
    ("frozen_set_type", "array of distinct items", []),
    ("dict_type", "object", {}),
    ("mapping_type", "object", {}),
    ("ordered_dict_type", "object", {}),
    ("frozen_dict_type", "object", {}),
    ("counter_type", "object", {}),
    ("model_", "object", {}),
    ("dataclass_type", "object", {}),
    ("dataclass_exact_type", "object", {}),
    ("none_required", "null", None),
    ("datetime_", "date and time", "2025-01-31T09:30:00Z"),
    ("timezone_", "date and time", "2025-01-31T09:30:00Z"),
    ("date_from_datetime", "date", "2025-01-31"),
    ("date_", "date", "2025-01-31"),
    ("time_delta_", "duration", "PT1H30M"),
    ("time_", "time", "09:30:00"),
    ("uuid_", "UUID", "123e4567-e89b-12d3-a456-426614174000"),
    ("decimal_", "decimal number", "1.50"),
    ("url_", "URL", "https://example.com/"),
    ("bytes_", "string", "text"),
)
"""The expectation and an example, by the beginning of pydantic's type."""

_LIMITS: Final = {
    "greater_than": ("exclusiveMinimum", "a {number} greater than {gt}"),
    "greater_than_equal": ("minimum", "a {number} of at least {ge}"),
    "less_than": ("exclusiveMaximum", "a {number} less than {lt}"),
    "less_than_equal": ("maximum", "a {number} of at most {le}"),
    "multiple_of": ("multipleOf", "a multiple of {multiple_of}"),
    "string_too_short": ("minLength", "a string of at least {min_length} characters"),
    "string_too_long": ("maxLength", "a string of at most {max_length} characters"),
    "string_pattern_mismatch": ("pattern", "a string that matches {pattern}"),
    "bytes_too_short": ("minLength", "a string of at least {min_length} bytes"),
    "bytes_too_long": ("maxLength", "a string of at most {max_length} bytes"),
    "date_from_datetime_inexact": ("format", "date without a time"),
    "date_past": ("format", "date in the past"),
    "date_future": ("format", "date in the future"),
    "datetime_past": ("format", "date and time in the past"),
    "datetime_future": ("format", "date and time in the future"),
    "timezone_aware": ("format", "date and time with a time zone"),
    "timezone_naive": ("format", "a date and time without a time zone (YYYY-MM-DDThh:mm:ss)"),
    "decimal_max_digits": ("format", "decimal number of at most {max_digits} digits"),
    "decimal_max_places": (
        "format",
        "decimal number with at most {decimal_places} digits after the point",
    ),
    "decimal_whole_digits": (
        "format",
        "decimal number with at most {whole_digits} digits before the point",
    ),
    "url_scheme": ("format", "URL that begins with {expected_schemes}"),
    "uuid_version": ("format", "UUID of version {expected_version}"),
    "too_short": ("minItems", "at least {min_length} items"),
    "too_long": ("maxItems", "at most {max_length} items"),
    "enum": ("enum", "one of {expected}"),
    "literal_error": ("enum", "one of {expected}"),
    "union_tag_invalid": ("oneOf", "one of {expected_tags} as the discriminator"),
    "union_tag_not_found": ("oneOf", "object with the discriminator {discriminator}"),
}


def issue_words(kind: str, message: str, context: dict[str, Any]) -> IssueWords:
    """Return the words for an error of pydantic's.

    Args:
        kind: its `type`.
        message: its `msg`.
        context: its `ctx`.

    >>> issue_words("int_parsing", "Input should be a valid integer, unable to parse …", {}).wanted
    'integer'

    """
    if kind.startswith("missing") and kind != "missing_sentinel_error":
        return IssueWords("required", "a value", is_missing=True)
    if kind in {"extra_forbidden", "unexpected_keyword_argument"}:
        return IssueWords("additionalProperties", NO_PROPERTY)
    if kind == "json_invalid":
        if _CUT_OFF.search(message):
            return IssueWords("json", "the complete JSON of an object", advice=Advice("cut off"))
        return IssueWords("json", "JSON", advice=Advice("send JSON"))
    if kind in _LIMITS:
        keyword, template = _LIMITS[kind]
        is_text = any(isinstance(bound, str) for bound in context.values())  # as that of a date is
        named = {"number": "value" if is_text else "number", **context}
        try:
            return IssueWords(keyword, template.format(**named))
        except (KeyError, IndexError):  # of another version of pydantic
            pass
    for beginning, wanted, example in _KINDS:
        if kind.startswith(beginning):
            keyword = "format" if isinstance(example, str) and wanted != "string" else "type"
            return IssueWords(keyword, wanted, example)
    text = first_line(message)
    wanted = text.removeprefix(_EXPECTED)
    if wanted == text:  # a sentence, mostly of a validator
        reason = text.removeprefix("Value error, ").removeprefix("Assertion failed, ")
        wanted = f"a valid value ({reason})" if reason else "a valid value"
    return IssueWords("schema", wanted)


def is_of_validator(kind: str, message: str, context: dict[str, Any]) -> bool:
    """Return whether an error is that of a user's own validator, which may have any type.

    The arguments are those of `issue_words`.

    >>> is_of_validator("missing", "Field required", {}), is_of_validator("missing", "Ask.", {})
    (False, True)
    """
    try:
        known = PydanticKnownError(kind, context or None).message()  # type: ignore[arg-type]
    except (KeyError, TypeError):
        return True
    if message.startswith(_EXPECTED):  # for JSON, pydantic has other words
        return False
    return kind in {"value_error", "assertion_error"} or message != known


def first_line(text: str) -> str:
    r"""Return the first line of another library's message, cut to a readable length.

    >>> first_line("Input should be a date\nFor further information visit ...")
    'Input should be a date'
    """
    first = text.split("\n", 1)[0]
    return first if len(first) <= _MAX_LINE else first[: _MAX_LINE - 1] + "…"


MORE = "- and more"
FIX = "\n\nFix the errors and try again."
"""The end of a message: models follow it better than longer ones."""
AGAIN = "The last call had the same problem; change what is named here, do not send it again."


class SchemaError(ValueError):
    """A schema cannot be compiled: it is invalid, unresolvable, unknown or too large.

    `pointer` is the JSON Pointer (RFC 6901) of the place in the schema, `""` for its root.

    >>> from schema2model import compile_schema
    >>> compile_schema({"properties": {"limit": {"type": "int"}}})
    Traceback (most recent call last):
        ...
    schema2model.errors.SchemaError: /properties/limit/type: unknown type "int"; did you mean ...
    """

    def __init__(self, message: str, *, pointer: str = "") -> None:
        super().__init__(printable(message))
        self.pointer = pointer


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem with the arguments of a call.

    `path` is the JSON Pointer of the place in the arguments (`""` for the whole), down to a
    property that is missing; `message` is the problem in words, `expected` the schema of the
    place; `keyword` the JSON Schema keyword that rejects the value (or
    `"json"` where the value is not JSON at all, `"contained"` where a call in text may hold
    another one, which was not run). `wanted` says in words what the place takes, `found` what was
    there: its JSON text, at most 80 characters of it. `example` is a value that the place would
    accept, None if none is known: it is for programs, as a model copies what a message shows.
    `advice` says what to do: an `Advice` has the facts of its words, too.

    >>> issue = Issue("/limit", "type", "integer", '"ten"')
    >>> str(issue)
    '/limit: must be an integer, without quotes, not "ten"'
    >>> issue.path, issue.message
    ('/limit', 'must be an integer, without quotes, not "ten"')
    >>> str(Issue("/city", "required", "string", "nothing"))
    '/city is missing: add it as a string, with its value from the request'
    """

    path: str
    keyword: str
    wanted: str
    found: str
    _schema: Any = field(default=True, repr=False, compare=False)
    example: Any = field(default=None, compare=False)
    advice: str | None = None

    @property
    def expected(self) -> Any:
        """A copy of the schema of the place: of what would be accepted there."""
        return copy.deepcopy(self._schema)

    @property
    def place(self) -> str:
        """The path as a message shows it, in one line and shortened if it is long."""
        whole = "the tool's name" if self.keyword == "name" else "the arguments"
        return _shown_path(self.path) or whole

    @property
    def message(self) -> str:
        """The problem in words, and the advice."""
        if self._is_of_names:
            return self.advice or Advice("leave out", pointer_tokens(self.path)[-1])
        if self._is_of_text:
            return self.found
        return self._message_of_value

    @property
    def _message_of_value(self) -> str:
        """The message where neither the advice nor what was found says all."""
        is_text = self.found[:1] in {"", '"'}  # which nothing is, where input is hidden
        form, advice = form_of(self.wanted) if is_text else phrase_of(self.wanted), self.advice
        if self.found == NOTHING_SENT:
            return f"is missing: {advice or Advice('add', self.wanted)}"
        if is_advice(self.advice, "choose"):
            return f"{self.found} is not accepted; {advice} It must be {form}"
        not_found = f", not {self.found}" if self.found else ""
        return f"must be {form}{not_found}{f'; {advice}' if advice else ''}"

    @property
    def _is_of_names(self) -> bool:
        """True if the advice says all, for the object that the name at the path is in."""
        if self.found == NOTHING_SENT:
            return self.advice is not None and not is_advice(self.advice, "add")
        return self.wanted in {NO_PROPERTY, NOTHING_HERE} and self.path != ""

    @property
    def _is_of_text(self) -> bool:
        """True if what was found is a sentence that says all."""
        return self.wanted == ONE_OBJECT or self.keyword == "call"

    def __str__(self) -> str:
        if self._is_of_text:
            return self.found
        if self._is_of_names:
            owner = _shown_path(self.path.rpartition("/")[0])
            return f"{owner}: {self.message}" if owner else self.message
        separator = " " if self.found == NOTHING_SENT else ": "
        return f"{self.place}{separator}{self._message_of_value}"

    def _is_repeated(self, earlier: list[str]) -> bool:
        """Return whether one of the lines of an earlier message is about the same problem."""
        whole, start = f"- {self}", f"- {self.place}: "
        if self.found == NOTHING_SENT or self._is_of_names:  # no other value is the same problem
            return any(line.startswith(whole) for line in earlier)
        form = re.escape(phrase_of(self.wanted))
        expected = re.compile(rf"must be {form}(?:, without quotes)?(?:, not |;|$)")
        return any(
            line.startswith(whole) or (line.startswith(start) and expected.search(line))
            for line in earlier
        )


def _shown_path(path: str) -> str:
    path = printable(path)
    if len(path) > MAX_SHOWN_PATH:
        return f"{path[: MAX_SHOWN_PATH // 2]}…{path[-MAX_SHOWN_PATH // 2 :]}"
    return path


class ToolError(ValueError):
    """A call cannot be carried out as it was made; `str(error)` is the message for the model.

    `issues` holds the single problems, `retryable` says whether the model can mend the call.
    A tool's own code may raise it too, with any message for the model, and with `retryable=False`
    if the call must not be made again, such as a payment that was declined.

    >>> str(ToolError("no city of that name"))
    'no city of that name'
    """

    issues: tuple[Issue, ...]
    retryable: bool

    def __init__(
        self, message: str, *, issues: tuple[Issue, ...] = (), retryable: bool = True
    ) -> None:
        super().__init__(message)
        self.issues = issues
        self.retryable = retryable

    @classmethod
    def for_arguments(
        cls, name: str, issues: tuple[Issue, ...], corrected: Any = None
    ) -> ToolError:
        """Return the error for arguments of the tool `name` that no reading makes valid.

        With `corrected` arguments, the message ends in the whole call, if that is not too long.
        """
        message = _lines(_header(name), [*dict.fromkeys(map(str, issues))])
        if corrected is not None:
            call = example_text({"name": name, "arguments": corrected}, MAX_MESSAGE)
            message += f"\nThe corrected call is: {call}" if call else ""
        return cls(message, issues=issues)

    @classmethod
    def for_value(cls, name: str, error: NotJSONError) -> ToolError:
        """Return the error for a Python value that has no JSON text."""
        issue = Issue(pointer(error.path), "json", "a JSON value", str(error))
        return cls.for_arguments(name, (issue,))

    @classmethod
    def from_validation_error(cls, error: ValidationError, name: str | None = None) -> ToolError:
        """Return the error for the model that made a call, from the error of a pydantic model.

        For applications that validate with pydantic themselves. The errors of compiled models have
        the same words as those of `validate`. Those of other models name the place, and what is
        expected there.

        Args:
            error: what `model_validate` or `model_validate_json` raised.
            name: the tool's name; that of the model if it is not given.

        >>> from pydantic import BaseModel, ValidationError
        >>> class Search(BaseModel):
        ...     limit: int
        >>> try:
        ...     Search.model_validate({"limit": "many"})
        ... except ValidationError as error:
        ...     print(ToolError.from_validation_error(error, "search"))
        Error parsing arguments for `search`:
        - /limit: must be an integer, without quotes, not "many"
        <BLANKLINE>
        Fix the errors and try again.

        """
        issues = tuple(issue_of(each) for each in error.errors(include_url=False))
        return cls.for_arguments(name or error.title, issues)

    @classmethod
    def for_text(  # noqa: PLR0913 - one for each fact
        cls,
        name: str,
        reason: str,
        text: str | None = None,
        offset: int = 0,
        *,
        language: str = "valid JSON",
        keyword: str = "json",
        advice: Advice | None = None,
    ) -> ToolError:
        """Return the error for argument text that is not JSON and cannot be repaired.

        With the text and the index of the character at fault, it shows the line with a mark. It
        asks for the whole call again, as `language` if that is not empty. The issue has the
        `keyword`, and `advice` is for programs.

        >>> text = '{"city": "Oslo" "days": 3}'
        >>> print(ToolError.for_text("forecast", "a comma is missing", text, 16))
        Error parsing arguments for `forecast`:
        - a comma is missing at character 16:
          {"city": "Oslo" "days": 3}
                          ^
        Write the whole call of `forecast` again, as valid JSON.
        """
        issue = Issue("", keyword, ONE_OBJECT, reason, advice=advice)
        shown = reason if text is None else f"{reason} {marked(text, offset)}"
        again = f"Write the whole call of {_shown_name(name)} again"
        again += f", as {language}." if language else "."
        return cls(f"{_header(name)}\n- {shown}\n{again}", issues=(issue,))

    def after(self, previous: ToolError | str) -> ToolError:
        """Return the error as the answer to a second attempt, where `previous` answered the first.

        A repeated mistake is marked as such, with the schema of its location if that is short.
        Without one, the same error is returned.

        >>> issue = Issue("/limit", "type", "integer", '"ten"', {"type": "integer"})
        >>> first = ToolError.for_arguments("search", (issue,))
        >>> print(first.after(str(first)))
        Error parsing arguments for `search`:
        The last call had the same problem; change what is named here, do not send it again.
        - /limit: must be an integer, without quotes, not "ten"; its schema is {"type": "integer"}
        <BLANKLINE>
        Fix the errors and try again.
        """
        header, *rest = str(self).split("\n")
        earlier = str(previous).split("\n")
        same = [issue._is_repeated(earlier) for issue in self.issues]
        if not self.issues or not (any(same) or rest == earlier[1:]):
            return self
        if self.issues[0].keyword in {"json", "contained"}:
            message = "\n".join((header, AGAIN, *rest))
        else:
            lines = [
                f"{issue}; its schema is {schema}"
                if again and (schema := _short_schema(issue)) is not None
                else str(issue)
                for issue, again in zip(self.issues, same, strict=True)
            ]
            message = _lines(f"{header}\n{AGAIN}", lines)
        return type(self)(message, issues=self.issues, retryable=self.retryable)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {"issues": self.issues, "retryable": self.retryable}
        return type(self), (str(self),), state


# the values of `TextError.reason`
CUT_OFF: Final = "cut off"
TWO_CALLS: Final = "two calls"
NOT_JSON: Final = "not JSON"
ENCODING: Final = "encoding"
TOO_DEEP: Final = "too deep"
EMPTY: Final = "empty"
AMBIGUOUS: Final = "ambiguous"
OUT_OF_RANGE: Final = "out of range"


class TextError(ValueError):
    """A text that is refused; `str(error)` is for the model that wrote it.

    `reason` is "cut off", "two calls", "not JSON", "encoding", "too deep", "empty", "ambiguous" or
    "out of range". `position` is a text and the offset of the fault, if it is known.

    >>> str(TextError(CUT_OFF, " inside a string"))
    'the arguments were cut off inside a string; send the whole call again'
    """

    def __init__(
        self, reason: str, detail: str = "", position: tuple[str, int] | None = None
    ) -> None:
        super().__init__(reason, detail)
        self.position = position

    @property
    def reason(self) -> str:
        """The kind of error: one of eight fixed words."""
        return str(self.args[0])

    def __str__(self) -> str:
        reason, detail = self.args
        return _SENTENCES[reason].format(detail)


_SENTENCES: Final = {
    CUT_OFF: "the arguments were cut off{}; send the whole call again",
    TWO_CALLS: "the text holds two different calls; send one at a time",
    NOT_JSON: "the arguments are not JSON{}; send one JSON object and nothing else",
    ENCODING: "the arguments are not valid {}; send them as JSON in UTF-8",
    TOO_DEEP: f"the arguments are nested deeper than {MAX_DEPTH} levels; send a flatter value",
    EMPTY: "the arguments are empty; send one JSON object",
    AMBIGUOUS: "the arguments can be read in two ways{}; write what you mean and send them again",
    OUT_OF_RANGE: "a number in the arguments is out of range{}; send a smaller one",
}


def issue_of(error: ErrorDetails) -> Issue:
    """Return pydantic's error as an issue; one of a compiled model has the words of `validate`."""
    place, context = pointer(error["loc"]), error.get("ctx", {})
    if has_context(error):
        if "levels" in context:  # the place of the cause, from where the data of a model begins
            outer = len(error["loc"]) - context["levels"]
            place = pointer(error["loc"][:outer]) + context["path"]
        advice = context["advice"] or None
        wanted, found = str(context["expected"]), str(context["found"])
        return Issue(place, context["keyword"], wanted, found, advice=advice)
    # whatever type a validator gives its error, the words are the user's
    is_own = is_of_validator(error["type"], error["msg"], context)
    words = issue_words("" if is_own else error["type"], error["msg"], context)
    if words.keyword == "json" and place:  # a field that is JSON text
        words = IssueWords("json", "the JSON text of a value")
    if error["loc"][-1:] == (_KEY,) and not is_own:
        words = _words_of_name(words)
    found, advice = quoted_or_type(error["input"]), words.advice
    if words.is_missing:
        found = NOTHING_SENT
    return Issue(place, words.keyword, words.wanted, found, example=words.example, advice=advice)


_KEY: Final = "[key]"
"""The end of pydantic's location of the key of a mapping."""


def _words_of_name(words: IssueWords) -> IssueWords:
    """Return the words for the name of a property, from those for the type of a mapping's keys.

    >>> _words_of_name(IssueWords("type", "integer", 10)).wanted
    'a property whose name is an integer, such as "10"'
    """
    example = words.example if isinstance(words.example, str) else None
    if isinstance(words.example, (int, float)):
        example = example_text(words.example)
    form = phrase_of(words.wanted)
    such = f", such as {quoted(example)}" if example and "(" not in form else ""
    return IssueWords("propertyNames", f"a property whose name is {form}{such}", example)


def context_of(issue: Issue) -> dict[str, Any]:
    """Return an issue as the context of an error of pydantic's: the reverse of `issue_of`."""
    return {
        "message": issue.message,
        "expected": issue.wanted,
        "found": issue.found,
        "advice": issue.advice or "",
        "keyword": issue.keyword,
    }


def has_context(error: ErrorDetails) -> bool:
    """Return whether an error of pydantic's has the context of an issue."""
    return {"expected", "found", "advice", "keyword"} <= error.get("ctx", {}).keys()


def quoted_or_type(value: Any) -> str:
    """Quote a value; return the name of its type if it is not JSON.

    >>> quoted_or_type([1]), quoted_or_type([{("a", "b"): 1}])
    ('[1]', 'a list')
    """
    try:
        return quoted(value)
    except (TypeError, ValueError):  # a Python object
        return f"a {type(value).__name__}"


def without_frames(error: ToolError) -> ToolError:
    """Return an error that is to be kept, without the frames that it was raised through.

    Those hold the arguments and all that was tried with them.
    """
    error.__traceback__ = error.__context__ = None
    return error


def unexpected(error: BaseException) -> str:
    """Return the name of an error's type, where one call of many must not cost the others.

    What the error says may hold values, which may be secret. A panic of a library in Rust is no
    `Exception`, and is meant as well.

    Raises:
        BaseException: the error itself, if it is to end the program.

    >>> unexpected(KeyError("s3cret"))
    'KeyError'

    """
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)):
        raise error
    return type(error).__name__


def _header(name: str) -> str:
    return f"Error parsing arguments for {_shown_name(name)}:"


def _shown_name(name: str) -> str:
    return f"`{printable(name[:MAX_SHOWN_NAME])}`"


def _short_schema(issue: Issue) -> str | None:
    """Return the JSON text of the schema of a place; None if it says nothing, or is long."""
    schema = issue.expected
    return example_text(schema) if isinstance(schema, dict) and schema else None


def _lines(header: str, lines: list[str]) -> str:
    """Join as many lines as fit below a header, and `MORE` if others are left out; then `FIX`."""
    message = "\n- ".join((header, *lines))
    if len(lines) <= MAX_ISSUES and len(message) + len(FIX) <= MAX_MESSAGE:
        return message + FIX
    message, room = header, MAX_MESSAGE - len(header) - len(MORE) - len(FIX) - 2
    for number, line in enumerate(lines):
        item = f"\n- {line}"
        size = len(item)
        if number >= MAX_ISSUES or (number and size > room):
            return f"{message}\n{MORE}{FIX}"
        message += item if size <= room else f"{item[: room - 1]}…"
        room -= size
    return message + FIX


def marked(text: str, offset: int) -> str:
    """Return the position of a character in a text, from 0, and the line with a mark below it.

    >>> print(marked("{'a': 1}", 1))
    at character 1:
      {'a': 1}
       ^
    """
    offset = min(max(offset, 0), len(text))
    start = text.rfind("\n", 0, offset) + 1
    end = text.find("\n", offset)
    end = len(text) if end < 0 else end
    line = f" in line {text.count(chr(10), 0, start) + 1}" if "\n" in text.strip() else ""
    start = max(start, offset - MAX_SHOWN_LINE // 2)
    shown = "".join(
        c if c.isprintable() else "·" for c in text[start : min(end, start + MAX_SHOWN_LINE)]
    )
    return f"at character {offset}{line}:\n  {shown}\n  {' ' * (offset - start)}^"
