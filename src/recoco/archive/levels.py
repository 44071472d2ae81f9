"""What a verification has established, level by level and paper by paper."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from recoco.core.texts import one_line

# Each level, in order, and what it means that a paper has reached it.
CONSISTENT, DERIVES, INPUTS, RERUNS = "consistent", "derives", "same inputs", "reruns"
LEVELS = {
    CONSISTENT: "every file has the checksum that the manifest lists",
    DERIVES: "scores, verdicts and tables follow from the archived runs and data",
    INPUTS: "data, printed numbers, cards and configuration equal the verifier's own",
    RERUNS: "repeated runs give the archived labels",
}
_SHOWN = 40
_LENGTH = 300  # characters of a finding


@dataclass(frozen=True)
class Finding:
    """A difference, or with ``gap`` something that could not be compared."""

    level: str
    text: str
    papers: frozenset[str]
    gap: bool = False


@dataclass
class Findings:
    """All differences and gaps of an archive.

    Attributes
    ----------
    papers : keys of the archived papers
    repeated : number of runs that were repeated with the same labels, and of all repeated runs
    """

    papers: list[str]
    entries: list[Finding] = field(default_factory=list)
    repeated: dict[str, tuple[int, int]] = field(default_factory=dict)

    def differs(self, level: str, text: str, papers: Iterable[str] | None = None) -> None:
        """Add a difference; without ``papers`` it is about all of them."""
        self._add(level, text, papers, gap=False)

    def missing(self, level: str, text: str, papers: Iterable[str] | None = None) -> None:
        """Add something that could not be compared."""
        self._add(level, text, papers, gap=True)

    def _add(self, level: str, text: str, papers: Iterable[str] | None, gap: bool) -> None:
        about = frozenset(self.papers if papers is None else papers)
        self.entries.append(Finding(level, one_line(text, _LENGTH), about, gap))

    @property
    def differences(self) -> list[Finding]:
        return [entry for entry in self.entries if not entry.gap]

    @property
    def gaps(self) -> list[Finding]:
        return [entry for entry in self.entries if entry.gap]

    def print_all(self) -> None:
        """Print every difference and gap, then the levels that each paper has reached."""
        for title, entries in (("differences", self.differences), ("not compared", self.gaps)):
            if entries:
                print(f"{title}:")
            for entry in entries[:_SHOWN]:
                print(f"  {entry.level}: {entry.text}")
            if len(entries) > _SHOWN:
                print(f"  ... and {len(entries) - _SHOWN} more")
        print("levels:")
        width = max(map(len, self.papers), default=0)
        for paper in self.papers:
            print(f"  {paper:{width}}  {', '.join(self._reached(paper))}")

    def _reached(self, paper: str) -> list[str]:
        words = []
        for level in LEVELS:
            same, total = self.repeated.get(paper, (0, 0))
            if level == RERUNS and not total:
                continue
            about = [e for e in self.entries if e.level == level and paper in e.papers]
            different = [entry for entry in about if not entry.gap]
            counted = f" ({same} of {total} runs)" if level == RERUNS else ""
            if different:
                words.append(f"NOT {level}{counted or f' ({len(different)} differences)'}")
            elif about:
                words.append(f"{level} in part")
            else:
                words.append(f"{level}{counted}")
        return words

    def verdict(self) -> str:
        """Return the last line of a verification.

        "identical" is said only if everything was compared with the verifier's own.
        """
        if self.differences:
            return f"NOT identical: {len(self.differences)} differences"
        if self.gaps:
            return "no differences, but not everything could be compared (see above)"
        return "identical"
