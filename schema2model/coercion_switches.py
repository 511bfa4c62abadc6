"""`CoercionSwitches`: the rules of `Coercion`, for type checkers."""

from __future__ import annotations

from typing_extensions import TypedDict

__all__ = ["CoercionSwitches"]


class CoercionSwitches(TypedDict, total=False):
    """Switches of rules, as `Coercion.replace` takes them."""

    json_text: bool
    loose_json_text: bool
    number_text: bool
    allow_inf_nan: bool
    boolean_words: bool
    null_words: bool
    integral_floats: bool
    scalar_to_text: bool
    drop_null: bool
    drop_null_words: bool
    quoted_choices: bool
    empty_arguments: bool
    listed_arguments: bool
    sole_envelope: bool
    repair_text: bool
    text_over_string: bool
    null_words_over_string: bool
    container_to_text: bool
    scalar_to_list: bool
    comma_text: bool
    digit_groups: bool
    choice_spelling: bool
    key_spelling: bool
    drop_unknown: bool
    envelope: bool
    flattened_object: bool
    item_envelope: bool
    xml_items: bool
    single_item: bool
    nested_list: bool
    drop_placeholders: bool
    flattened_keys: bool
    sole_key: bool
    listed_pairs: bool
    html_entities: bool
    cut_off_text: bool
