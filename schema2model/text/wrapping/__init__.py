"""What surrounds the JSON of a call: code fences, prose, labels, another encoding.

    fences       Markdown's code fences, and the JSON in them
    prose        what tells prose from JSON, and where a value begins
    embedded     JSON values in prose, and which of several is the call
    trailing     what may follow the value of a call
    labels       names that make a value one property of a call, or show another one
    encodings    escaped text and HTML entities, decoded

`text.grammars` makes readings of what these modules find.
"""
