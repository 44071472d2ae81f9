"""Errata of a paper that say why a printed number cannot be right."""

from fnmatch import fnmatchcase

from recoco.core.errors import RecocoError


def matching(pattern: str, cells: list[str], where: str) -> list[str]:
    """Return the cells that a pattern names; it is an error to name none."""
    found = [cell for cell in cells if cell == pattern or fnmatchcase(cell, pattern)]
    if not found:
        raise RecocoError(
            f"{where}: no printed cell is named {pattern!r}: write cells as in cells.csv, with * "
            "for any text."
        )
    return found


def misprinted(errata: list[dict[str, str]], cells: list[str]) -> dict[str, str]:
    """Return what the erratum says of each cell that one names.

    Parameters
    ----------
    errata : rows of errata.csv; ``cells`` has names or patterns of cells, separated by semicolons
    cells : names of all printed cells of the paper
    """
    return {
        cell: f"a misprint by erratum {erratum['id']}: {erratum['evidence'].rstrip('.')}"
        for erratum in errata
        for pattern in filter(None, map(str.strip, erratum["cells"].split(";")))
        for cell in matching(pattern, cells, f"errata.csv, {erratum['id']}")
    }
