"""What the adapters share."""

from __future__ import annotations

from schema2model.adapters.common import recast


def test_a_recast_tool_is_still_of_its_class() -> None:
    """And the original stays as it was."""

    class Theirs:
        name = "theirs"

        def call(self) -> str:
            return self.name

    class Loud:
        def call(self) -> str:
            return super().call().upper()  # type: ignore[misc]

    theirs = Theirs()
    ours = recast(theirs, Loud)
    assert isinstance(ours, Theirs)
    assert (ours.call(), theirs.call()) == ("THEIRS", "theirs")
    assert recast(ours, Loud).call() == "THEIRS"
