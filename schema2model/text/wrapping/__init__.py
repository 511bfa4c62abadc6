"""The surroundings of a call's JSON: code fences, prose, labels, another encoding.

    embedded     JSON in code fences and prose, and which of several values is the call
    prose        the difference between prose and JSON, and the start and end of a value
    thinking     the thinking before an answer
    labels       names that make a value one property of a call, or show another one
    encoded_text escaped text, HTML entities and doubled marks, decoded

`text.grammars` yields the readings.
"""
