"""How many verdicts of the official JSON Schema test suite each validator gives as it should.

`python -m benchmarks.exactness` prints the table and writes it into `docs/comparison.md`, between
the markers `<!-- exactness:start -->` and `<!-- exactness:end -->`. Required cases of two drafts
count, but for those with remote documents, which not everybody can be given. A schema that a
library refuses to take has no verdict, which is none as it should be.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.contenders import generated_model
from benchmarks.documents import between_markers, table

__all__ = ["main", "measured"]

ROOT = Path(__file__).parent.parent
DOCUMENT = ROOT / "docs" / "comparison.md"
DRAFTS = {"draft7": "draft 7", "draft2020-12": "2020-12"}
URIS = {
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}
Judge = Callable[[Any], bool]


def _accepting(validate: Callable[[Any], Any]) -> Judge:
    def judge(value: Any) -> bool:
        try:
            validate(value)
        except Exception:  # noqa: BLE001 - peers raise what they like
            return False
        return True

    return judge


def _schema2model(schema: Any, draft: str) -> Judge:
    from schema2model import compile_schema  # noqa: PLC0415

    return _accepting(compile_schema(schema, coercion="off", dialect=URIS[draft]).validate)


def _jsonschema_rs(schema: Any, draft: str) -> Judge:
    import jsonschema_rs  # noqa: PLC0415

    versions = {"draft7": jsonschema_rs.Draft7Validator}
    return versions.get(draft, jsonschema_rs.Draft202012Validator)(schema).is_valid


def _jsonschema(schema: Any, draft: str) -> Judge:
    import jsonschema  # noqa: PLC0415

    versions = {"draft7": jsonschema.Draft7Validator}
    return versions.get(draft, jsonschema.Draft202012Validator)(schema).is_valid


def _fastjsonschema(schema: Any, draft: str) -> Judge:
    import fastjsonschema  # noqa: PLC0415

    return _accepting(fastjsonschema.compile(_stating(schema, draft), use_default=False))


def _json_schema_to_pydantic(schema: Any, draft: str) -> Judge:  # noqa: ARG001
    from json_schema_to_pydantic import create_model  # noqa: PLC0415

    model: Any = create_model({"title": "Root", **schema}, allow_undefined_type=True)
    return _accepting(model.model_validate)


def _datamodel_code_generator(schema: Any, draft: str) -> Judge:
    return _accepting(generated_model(_stating(schema, draft)).model_validate)


def _stating(schema: Any, draft: str) -> Any:
    return {"$schema": URIS[draft], **schema} if isinstance(schema, dict) else schema


LIBRARIES: dict[str, Callable[[Any, str], Judge]] = {
    "schema2model": _schema2model,
    "jsonschema-rs": _jsonschema_rs,
    "jsonschema": _jsonschema,
    "fastjsonschema": _fastjsonschema,
    "datamodel-code-generator": _datamodel_code_generator,
    "json-schema-to-pydantic": _json_schema_to_pydantic,
    "accepting everything": lambda schema, draft: lambda value: True,  # noqa: ARG005
}


def _right(prepare: Callable[[Any, str], Judge], schema: Any, cases: Any, draft: str) -> int:
    """The verdicts on the cases of one schema that are as they should be."""
    try:
        judge = prepare(schema, draft)
    except ImportError:
        raise
    except BaseException:  # noqa: BLE001 - peers raise what they like, also from Rust
        return 0
    return sum(_judged(judge, case["data"]) == case["valid"] for case in cases)


def _judged(judge: Judge, value: Any) -> bool | None:
    try:
        return judge(value)
    except BaseException:  # noqa: BLE001 - no verdict
        return None


def measured() -> dict[str, list[str]]:
    """Percentages by library, and the number of cases."""
    sys.path.insert(0, str(ROOT / "tests" / "support"))
    from official_suite import groups, suite  # type: ignore[import-not-found]  # noqa: PLC0415

    required = [
        group
        for group in groups(suite())
        if not group.file.startswith("optional/") and "localhost:1234" not in repr(group.schema)
    ]
    rows: dict[str, list[str]] = {"cases": []}
    for draft in DRAFTS:
        chosen = [group for group in required if group.draft == draft]
        total = sum(len(group.cases) for group in chosen)
        rows["cases"].append(f"{total:,}")
        for library, prepare in LIBRARIES.items():
            right = sum(_right(prepare, g.schema, g.cases, draft) for g in chosen)
            rows.setdefault(library, []).append(f"{100 * right / total:.1f} %")
    return rows


def main() -> None:
    """Print the table, and write it into the documentation if it has a place for it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rows = measured()
    text = table(["", *DRAFTS.values()], [[name, *cells] for name, cells in rows.items()])
    print(text)
    between_markers(DOCUMENT, "exactness", text)


if __name__ == "__main__":
    main()
