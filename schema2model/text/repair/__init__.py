"""Text that is nearly JSON becomes JSON by counted edits; nothing is lost, nothing invented.

    mender       the search: readings of a text, the cheapest first
    values       steps of the grammar: what may stand where a value is expected
    keys         the same where a key or its colon is expected
    separators   the same behind a value: commas and closers
    strings      where a string may end; `bodies` has the readings that come of its quotes
    spelling     how numbers, words and what is within quotes are spelled otherwise than in JSON
    plain        parts in no doubt, which are passed over as a whole
    literals     texts that need no search: Python's and JavaScript's literals; `unclosed` has
                 those that lack closers alone
    edits        what edits there are, what they cost, and how they are told
    elsewhere    what brackets leave in doubt; `swallowed` has what strings do
    context      the text, and what every step asks of it; `paths` has the readings under way

`text.grammars` begins a search, and the schema judges what it gives.
"""
