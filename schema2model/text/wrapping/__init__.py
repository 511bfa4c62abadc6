"""The surroundings of a call's JSON: code fences, prose, labels, another encoding.

    fences       Markdown's code fences, and the JSON in them
    prose        the difference between prose and JSON, and the start of a value
    embedded     JSON values in prose, and which of several is the call
    trailing     superfluous text after the value of a call
    thinking     the thinking before an answer
    labels       names that make a value one property of a call, or show another one
    encoded_text escaped text and HTML entities, decoded

`text.grammars` makes readings of what these modules find.
"""
