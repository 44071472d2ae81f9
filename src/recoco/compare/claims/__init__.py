"""The claims that papers make in words, checked on the measured numbers."""

from recoco.compare.claims import (  # noqa: F401  they register forms and functions
    costar,
    ebco,
    rank_forms,
    row_forms,
    score_forms,
    tsplbm,
    wcnmtf,
)
from recoco.compare.claims.registry import FORMS, FUNCTIONS, Check

__all__ = ["FORMS", "FUNCTIONS", "check_of", "claim_rows", "try_claim"]


def claim_rows(claims: dict[str, dict], tables: dict) -> list[dict]:
    """Return a row for each claim of a paper.

    Parameters
    ----------
    claims : content of claims.yaml
    tables : tables of scores by item; a claim is about the first unless it names another
    """
    first = next(iter(tables.values()), None)
    rows = []
    for identifier, claim in claims.items():
        check = claim.get("check")
        table = tables.get(check["item"]) if check and "item" in check else first
        outcome, evidence = "open", "not tried here"
        if check and table:
            outcome, evidence = try_claim(check, table)
        texts = {"claim": claim["claim"], "outcome": outcome, "evidence": evidence}
        rows.append({"id": identifier, **texts, "scope": claim["scope"]})
    return rows


def check_of(options: dict) -> Check:
    """Return the check that the options of a claim name."""
    return FORMS[options["form"]] if "form" in options else FUNCTIONS[options["function"]]


def try_claim(options: dict, table) -> tuple[str, str]:
    """Check a claim in the printed reading, then under the table's best combination.

    A claim that fails as printed and holds under the best combination holds partly.
    """
    check = check_of(options)
    outcome, numbers = check.run(table, table.as_printed, options)
    if check.once or outcome == "open" or not table.as_printed.options:
        return outcome, f"Measured: {numbers}."
    evidence = f"As printed ({table.as_printed.options[0][1]}): {numbers}."
    if table.best is not table.as_printed:
        other, numbers = check.run(table, table.best, options)
        evidence += f" Under the table's best combination ({table.best.name}): {other}; {numbers}."
        if outcome == "fails" and other == "holds":
            outcome = "partly"
    return outcome, evidence
