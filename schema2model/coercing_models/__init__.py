"""Models that a user writes or generates, which coerce the data that they refuse.

- `models`: `CoercingModel`, a base class, and `coercing`, a decorator of models and dataclasses.
- `type_adapters`: `coercing_adapter`, for types that are not classes of one's own.
- `tool_models`: `ToolModel`, the base of the classes that `schema2model codegen` generates. A
  schema validates and coerces its data; the annotations only hold the result.

All coerce by a second attempt (`retry`), except `ToolModel`. Classes that are made of a schema at
run time are in `schema2model.model`.
"""
