"""Text that is nearly JSON becomes JSON by counted edits: nothing is lost, nothing invented.

    search             best-first search over paths: the readings of a text, the cheapest first
    path               a path: offset, parser state, open brackets, tokens, cost
    edits              the edits, their costs, and their descriptions
    context            the text, and what all parser states ask of it
    value_states       the parser states before a value
    key_states         the parser states before a key and its colon
    separator_states   the parser states after a value: commas and closers
    string_ends        where a string may end, and the quotes that it keeps
    scalar_spelling    numbers, constants and escapes that JSON spells otherwise
    skip               unambiguous parts, which are passed in one step
    doubts             other places where a bracket may be missing, and what strings may hide

`text.grammars` starts a search, and the schema judges the values.
"""
