"""Who takes part: one function per contender, from a case to what is called with arguments.

Every function imports its library itself, so that a missing one leaves the others alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from benchmarks.references import LIMITS, MODELS, LooseSearch, coerced_by_schema, typed_dicts
from benchmarks.schemas import Case
from schema2model import compile_schema

__all__ = ["CONTENDERS", "Call", "Contender", "generated_model", "installed"]

Call = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Contender:
    """A way to deal with arguments."""

    name: str
    prepare: Callable[[Case], Call]
    reads_text: bool = False
    """Whether it takes stringified arguments."""
    checks_only: bool = False
    """Whether it answers with true or false instead of the arguments."""
    only: tuple[str, ...] = ()
    """The cases it can do, if it cannot do all."""

    def __str__(self) -> str:
        return self.name


def installed(module: str) -> Any:
    """The module, or a skip that names what is missing."""
    return pytest.importorskip(module, reason=f"{module} is not installed")


def generated_model(schema: dict[str, Any]) -> Any:
    """The root model that datamodel-code-generator makes at run time.

    Its code is left unformatted, as nobody reads it, and enumerations stay plain strings.
    """
    generator = installed("datamodel_code_generator")
    config = generator.GenerateConfig(
        input_file_type=generator.InputFileType.JsonSchema,
        output_model_type=generator.DataModelType.PydanticV2BaseModel,
        enum_field_as_literal=generator.LiteralType.All,
        formatters=[],
    )
    root = {**schema, "title": "Root"}
    return generator.generate_dynamic_models(root, config=config, cache_size=0)["Root"]


def _dumping(model: Any) -> Call:
    validate = model.model_validate
    return lambda value: validate(value).model_dump(exclude_unset=True)


def _validate(case: Case) -> Call:
    return compile_schema(case.schema).validate


def _model(case: Case) -> Call:
    validate = compile_schema(case.schema).model.model_validate
    return lambda value: validate(value).model_dump()


def _is_valid(case: Case) -> Call:
    return compile_schema(case.schema).is_valid


def _by_hand(case: Case) -> Call:
    schema = case.schema
    return lambda value: coerced_by_schema(value, schema)


def _limit(case: Case) -> Call:
    return LIMITS[case.name].validate_python


def _base_model(case: Case) -> Call:
    return _dumping(MODELS[case.name])


def _loose_base_model(case: Case) -> Call:  # noqa: ARG001 - there is one such model
    return _dumping(LooseSearch)


def _jsonschema_rs(case: Case) -> Call:
    return installed("jsonschema_rs").validator_for(case.schema).is_valid


def _fastjsonschema(case: Case) -> Call:
    return installed("fastjsonschema").compile(case.schema, use_default=False)


def _python_jsonschema(case: Case) -> Call:
    return installed("jsonschema").Draft202012Validator(case.schema).is_valid


def _msgspec(case: Case) -> Call:
    msgspec = installed("msgspec")
    kind = typed_dicts(msgspec.Meta)[case.name]
    return lambda value: msgspec.convert(value, kind)


def _json_schema_to_pydantic(case: Case) -> Call:
    return _dumping(installed("json_schema_to_pydantic").create_model(case.schema))


def _datamodel_code_generator(case: Case) -> Call:
    return _dumping(generated_model(case.schema))


CONTENDERS = (
    Contender("schema2model validate", _validate, reads_text=True),
    Contender("schema2model model_validate + model_dump", _model, reads_text=True),
    Contender("hand-written coercion", _by_hand, reads_text=True),
    Contender(
        "hand-written BaseModel, before-validators",
        _loose_base_model,
        reads_text=True,
        only=("ordinary",),
    ),
    Contender("hand-written BaseModel", _base_model),
    Contender("limit: pydantic-core alone", _limit),
    Contender(
        "msgspec convert", _msgspec, only=("ordinary", "40 properties", "100 objects", "nested")
    ),
    Contender("json-schema-to-pydantic", _json_schema_to_pydantic),
    Contender("datamodel-code-generator", _datamodel_code_generator),
    Contender("schema2model is_valid", _is_valid, checks_only=True),
    Contender("jsonschema-rs is_valid", _jsonschema_rs, checks_only=True),
    Contender("fastjsonschema", _fastjsonschema),
    Contender("jsonschema is_valid", _python_jsonschema, checks_only=True),
)
