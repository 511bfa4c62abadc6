"""Where in a text the calls are: markers, thinking, and what is prose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from schema2model.calls.bodies import Bodies
from schema2model.calls.call import Written
from schema2model.calls.formats.format import Format, Opening
from schema2model.calls.names import Names
from schema2model.calls.source import CONTEXT, HEADER, Source, Steps

__all__ = ["DRAFTS", "Finder", "Markers"]

DRAFTS: Final = object()
"""Says that what was found so far was thinking, whose beginning was not written."""

_THINKING: Final = {
    "<think>": "</think>",
    "<thinking>": "</thinking>",
    "<seed:think>": "</seed:think>",
    "<longcat_think>": "</longcat_think>",
    "[THINK]": r"\[/THINK\]",
    "<|START_THINKING|>": r"<\|END_THINKING\|>",
    "<|channel>thought": r"<channel\|>",
    "<|channel|>analysis<|message|>": r"<\|end\|>|(?=<\|start\|>)|(?=<\|channel\|>)",
}
"""What begins thinking, and what ends it."""
_ENDS: Final = "</think>", "</thinking>", "</seed:think>", "</longcat_think>", "[/THINK]", "<|END_THINKING|>", "<channel|>"
_TURNS: Final = frozenset({"<|im_start|>", "<|start_header_id|>", "<|user|>", "<start_of_turn>"})
"""What begins a turn: behind a call, one that the model made up."""
_SILENT: Final = (
    *("<|im_end|>", "<|im_start|>", "<|eot_id|>", "<|eom_id|>", "<|eot|>", "<|eom|>", "</s>", "<s>"),
    *("<｜end▁of▁sentence｜>", "<|observation|>", "<|endoftext|>", "<|end_of_text|>", "<|end|>"),
    *("<|END_OF_TURN_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<end_of_turn>", "<eos>"),
    *("<|assistant_end|>", "<seed:eos>", "<|eos|>", "<SPECIAL_12>", "[e~[", "<turn|>", *_TURNS),
    *("<|start_header_id|>", "<|end_header_id|>", "<|begin_of_text|>", "<|start|>", "<|return|>"),
)
"""What ends a turn, and means nothing in the text."""
_NOTHING: Final = " \n\r\t`,;+[]()'\""
_TRIGGER: Final = re.compile(r"[<\[{(]")


class Markers:
    """What the markers of some formats mean. Made once for each choice of formats."""

    def __init__(self, formats: Sequence[Format]) -> None:
        self.formats: dict[str, list[Format]] = {}
        silent = {*_SILENT, *_ENDS}
        for format_ in formats:
            silent |= {*format_.around}
            for marker in format_.markers:
                self.formats.setdefault(marker, []).append(format_)
        self.all = sorted({*silent, *_THINKING, *self.formats}, key=len, reverse=True)
        self.longest = max(map(len, self.all))
        self.pattern = re.compile("|".join(map(re.escape, self.all)))

    def begun(self, text: str) -> bool:
        """Whether a text may become a longer marker than it has in it."""
        return len(text) < self.longest and any(each.startswith(text) for each in self.all if each != text)


class Finder:
    """Finds the calls in a source, and collects the prose between them."""

    def __init__(self, source: Source, names: Names, markers: Markers, show: Callable[[str], Any]) -> None:
        self.source = source
        self.bodies = Bodies(source, names)
        self.names = names
        self.markers = markers
        self.show = show
        self.shown = source.offset
        """Where the prose begins that was not shown."""
        self.begins = source.offset
        """Where the line or prose begins in which reading stands."""
        self.alone = True
        self.called = False
        self.thought: tuple[int, str] | None = None

    def run(self) -> Iterator[Any]:
        """Yield (format, call), DRAFTS, or None where more text is needed."""
        source = self.source
        while found := (yield from source.find(_TRIGGER, 1)):
            start = source.place - 1
            source.at -= 1
            marker = yield from self.marker()
            handled = False
            if marker in _TURNS and self.called:
                self.prose(start)
                source.at = len(source.text)
                return
            if marker:
                handled = yield from self.marked(marker, start)
            if not handled:
                source.at = start - source.offset + 1
        self.prose(source.place)

    def marker(self) -> Steps[str]:
        """The marker that stands here; none if there is none."""
        source = self.source
        while not source.ended and self.markers.begun(source.text[source.at :  source.at + self.markers.longest]):
            yield
        found = self.markers.pattern.match(source.text, source.at)
        return found[0] if found else ""

    def prose(self, end: int) -> None:
        """Show the prose up to here."""
        text = self.source.slice(self.shown, end) if end > self.shown else ""
        if text:
            self.alone = self.alone and not text.strip(_NOTHING)
            self.show(text)
        self.shown = end

    def marked(self, marker: str, start: int) -> Steps[bool]:
        """What a marker begins; False if it means nothing here."""
        source = self.source
        formats = self.markers.formats.get(marker, ())
        before = self.before(start) if len(marker) == 1 else ""
        candidates = []
        for format_ in formats:
            name = format_.before.search(before) if format_.before else None
            if format_.before and not name:
                continue
            candidates.append((format_, name))
        bare = len(marker) == 1
        while candidates:
            at = start - source.offset + len(marker)
            text = source.text
            if source.ended and len(text) - at < HEADER:
                text = text + "\0"
            undecided = False
            for format_, name in candidates:
                opened = format_.opening.match(text, at)
                if opened:
                    source.at = min(opened.end(), len(source.text))
                    done = yield from self.read(format_, name, opened, start, bare=bare)
                    if done:
                        return True
                    source.again(start)
                    continue
                undecided |= bool(format_.begun.match(source.text, at))
            if source.ended or not undecided or len(source.text) - at >= HEADER:
                break
            yield
        if bare:
            return False
        source.at = start - source.offset + len(marker)
        self.prose(start)
        if marker in _THINKING:
            yield from self.thinking(_THINKING[marker])
        elif marker in _ENDS:
            yield DRAFTS
        self.shown = self.begins = source.place
        return True

    def before(self, start: int) -> str:
        """What stands before a place, in the prose it is in; a line break where that begins."""
        first = max(self.begins, start - CONTEXT, self.source.offset)
        text = self.source.slice(first, start)
        return ("\n" if first == self.begins else "") + text

    def thinking(self, end: str) -> Steps[None]:
        """Pass what is thought."""
        source = self.source
        begins = source.place
        source.keep(begins)
        ending = yield from source.find(re.compile(end), 40)
        stop = source.place - len(ending[0]) if ending else source.place
        self.thought = begins, source.slice(begins, stop)
        source.release()

    def read(self, format_: Format, name: re.Match[str] | None, opened: re.Match[str], start: int, *, bare: bool) -> Steps[bool]:
        """Read the calls of a format from here; False if there are none after all."""
        source = self.source
        spelled = ""
        first = start
        if name is not None and "name" in name.re.groupindex:
            spelled = name["name"]
            first = start - (len(name.string) - name.start("name"))
        elif "name" in opened.re.groupindex:
            spelled = opened["name"]
        if format_.bare and spelled and self.names.find(spelled) is None:
            return False
        if bare:
            source.at = start - source.offset
        source.keep(first)
        self.prose_until(first)
        done = True
        reading = format_.read(self.bodies, Opening(first, spelled, self.alone and not source.slice(self.shown, first).strip(_NOTHING)))
        some = False
        while True:
            try:
                item = next(reading)
            except StopIteration as end:
                done = end.value is not False
                break
            if isinstance(item, Written):
                if not some:
                    self.prose(first)
                some = self.called = True
                yield format_, item
            else:
                yield item
        if done or some:
            self.shown = self.begins = source.place
            source.release()
            return True
        return False

    def prose_until(self, first: int) -> None:
        pass
