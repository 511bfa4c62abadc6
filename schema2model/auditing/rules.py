"""All rules: one function each, what it is called, and what to do about what it finds."""

from __future__ import annotations

from schema2model.auditing.ambiguity import (
    free_form_object,
    nullable_string,
    overlapping_one_of,
    string_or_container,
    string_or_scalar,
    untyped_items,
    untyped_value,
)
from schema2model.auditing.keywords import (
    foreign_keyword,
    foreign_pattern,
    ignored_beside_ref,
    undeclared_required,
    unknown_format,
    unknown_keyword,
)
from schema2model.auditing.naming import (
    duplicate_name,
    hidden_text,
    long_description,
    property_description,
    property_name,
    similar_name,
    similar_properties,
    tool_description,
    tool_name,
)
from schema2model.auditing.records import Rule
from schema2model.auditing.sizes import (
    deep_schema,
    large_schema,
    many_parameters,
    recursive_schema,
    root_not_object,
    root_union,
    unusable,
)
from schema2model.auditing.values import (
    invalid_choice,
    invalid_default,
    invalid_example,
    misplaced_enum,
    null_default,
)

__all__ = ["RULES"]

RULES = (
    # ------------------------------------------------------- a request or a call is bound to fail
    Rule(
        "unusable",
        "error",
        "The definition cannot be read, or its schema cannot be compiled.",
        "Mend what the message names; clients may leave the tool out or refuse the whole list.",
        unusable,
    ),
    Rule(
        "root-not-object",
        "error",
        "The schema is not one of objects.",
        'Put "type": "object" at the top: MCP and all providers ask for it.',
        root_not_object,
    ),
    Rule(
        "root-union",
        "error",
        "Alternatives stand at the top of the schema.",
        "OpenAI and Anthropic refuse them there: make one object of the properties of all, or "
        "several tools.",
        root_union,
    ),
    Rule(
        "tool-name",
        "error",
        "Providers refuse the tool's name.",
        "Use letters, digits, _ and - only, and 64 characters at most.",
        tool_name,
    ),
    Rule(
        "property-name",
        "error",
        "Providers refuse a property's name.",
        "Use letters, digits, _, . and - only, and 64 characters at most.",
        property_name,
    ),
    Rule(
        "duplicate-name",
        "error",
        "Tools have the same name.",
        "Rename one; providers refuse the list, and a call cannot say which is meant.",
        duplicate_name,
    ),
    Rule(
        "misplaced-enum",
        "error",
        "An enum beside the type array, which no array can satisfy.",
        "Move it into items, where it says what each item may be; as it is, no array is valid.",
        misplaced_enum,
    ),
    # ------------------------------------------------------------- a model is likely to go wrong
    Rule(
        "similar-name",
        "warning",
        "Names of tools differ only by case or separators.",
        "Rename one; models mix them up, and some clients make them the same.",
        similar_name,
    ),
    Rule(
        "similar-properties",
        "warning",
        "Names of properties differ only by case or separators.",
        "Keep one of them.",
        similar_properties,
    ),
    Rule(
        "hidden-text",
        "warning",
        "Names or descriptions have characters that nobody sees.",
        "Remove them; models read what people overlook, and it may be meant so.",
        hidden_text,
    ),
    Rule(
        "tool-description",
        "warning",
        "The tool has no description.",
        "Say what it does, and when it is the one to call.",
        tool_description,
    ),
    Rule(
        "long-description",
        "warning",
        "The tool's description is too long.",
        "OpenAI takes 1,024 characters; move details to the properties that they are about.",
        long_description,
    ),
    Rule(
        "string-or-container",
        "warning",
        "A string or a container: text that is JSON can be meant as either.",
        "Take the container alone; one string is an array of one.",
        string_or_container,
    ),
    Rule(
        "string-or-scalar",
        "warning",
        'A string or a number or boolean: text like "10" can be meant as either.',
        "Take one of them alone, and convert in the tool.",
        string_or_scalar,
    ),
    Rule(
        "free-form-object",
        "warning",
        "Nothing is said about an object's properties.",
        "Declare properties, or the values' schema under additionalProperties.",
        free_form_object,
    ),
    Rule(
        "untyped-items",
        "warning",
        "Nothing is said about an array's items.",
        "Declare items; OpenAI and Gemini refuse an array without.",
        untyped_items,
    ),
    Rule(
        "untyped-value",
        "warning",
        "A value may be anything.",
        "Give it a type: without one, nothing can be checked or corrected.",
        untyped_value,
    ),
    Rule(
        "overlapping-one-of",
        "warning",
        "Branches of oneOf are not told apart.",
        "Use anyOf, or require a property in each branch that is a const of its own.",
        overlapping_one_of,
    ),
    Rule(
        "invalid-default",
        "warning",
        "A default is not valid under its own schema.",
        "Correct the default or the schema; models send what they see there.",
        invalid_default,
    ),
    Rule(
        "invalid-choice",
        "warning",
        "A value of enum or const is not valid under the rest of its schema.",
        "Correct the value or the type; a model that chooses it is refused.",
        invalid_choice,
    ),
    Rule(
        "invalid-example",
        "warning",
        "An example is not valid under its own schema.",
        "Correct the example; models copy it.",
        invalid_example,
    ),
    Rule(
        "unknown-keyword",
        "warning",
        "A keyword is misspelt, or a property stands outside of properties.",
        "Correct it; as it is, validators pass it over.",
        unknown_keyword,
    ),
    Rule(
        "foreign-keyword",
        "warning",
        "A keyword belongs to another dialect.",
        "Use this dialect's own keyword, or name the other dialect under $schema.",
        foreign_keyword,
    ),
    Rule(
        "ignored-beside-ref",
        "warning",
        "Keywords beside $ref do nothing in drafts 4 to 7.",
        "Put $ref into an allOf of its own, or use 2019-09 or later.",
        ignored_beside_ref,
    ),
    Rule(
        "foreign-pattern",
        "warning",
        "A pattern is not a regular expression of ECMA-262.",
        "Write it so that all read it alike, without (?i), (?P<name>), \\A, \\Z or [[:class:]].",
        foreign_pattern,
    ),
    Rule(
        "undeclared-required",
        "warning",
        "A required property is not declared.",
        "Declare it under properties, or correct its name.",
        undeclared_required,
    ),
    Rule(
        "recursive-schema",
        "warning",
        "The schema contains itself.",
        "Spell out as many levels as are needed: Gemini and strict modes refuse recursion.",
        recursive_schema,
    ),
    Rule(
        "large-schema",
        "warning",
        "The schema is very large.",
        "Split the tool, or shorten its descriptions: every request carries all of it.",
        large_schema,
    ),
    Rule(
        "deep-schema",
        "warning",
        "Values are nested deeply.",
        "Flatten it; models lose count of brackets, and providers bound the depth.",
        deep_schema,
    ),
    # -------------------------------------------------------------------------- worth knowing
    Rule(
        "nullable-string",
        "note",
        'A string or null: the text "null" can be meant as either.',
        "Leave the property out of required, and null out of its type.",
        nullable_string,
    ),
    Rule(
        "null-default",
        "note",
        "The default is null where null is not valid.",
        "Leave the default out: a property that is not required needs none.",
        null_default,
    ),
    Rule(
        "unknown-format",
        "note",
        "A format is misspelt.",
        "Use the name that JSON Schema has for it.",
        unknown_format,
    ),
    Rule(
        "property-description",
        "note",
        "Properties have no description.",
        "Say what each is, in which form, and give an example.",
        property_description,
    ),
    Rule(
        "many-parameters",
        "note",
        "The tool has many parameters.",
        "Split the tool by what it is used for.",
        many_parameters,
    ),
)
"""In the order in which findings are reported."""
