"""Check every name that a paper's folder uses, before anything runs."""

import importlib
import itertools
import string
from collections.abc import Iterable

from recoco.config.papers import CAUSES, CLAIMS, EXAMPLES, PAPER, PRINTED, Paper
from recoco.config.schema import nearest
from recoco.core.errors import RecocoError

# Where each name is registered. The modules are imported when needed, so reading the configuration
# alone does not depend on the code of drawings and tests.
_REGISTRIES = {
    "metric": "recoco.metrics:METRICS",
    "test": "recoco.compare.measures:TESTS",
    "drawing": "recoco.report.figures.drawing:drawings",
    "example": "recoco.items.example:EXAMPLES",
    "function": "recoco.compare.claims:FUNCTIONS",
    "form": "recoco.compare.claims:FORMS",
}
# Columns of a score table and facts of a dataset that a printed metric may mean.
_COUNTS = ("n_clusters", "classes")


def check_paper(paper: Paper, methods: dict) -> None:
    """Reject a paper that names something that does not exist, in one sentence.

    Parameters
    ----------
    methods : content of methods.yaml
    """
    from recoco.datasets import list_cards

    items, cards = paper.config["items"], list_cards()
    for name, item in items.items():
        where = f"{paper.where(PAPER)}, items.{name}"
        _check_data(item, methods, cards, where)
        _check_choices(item, items, methods, cards, where)
        _check_metrics(item, where)
        if item["draw"]:
            _known(item["draw"], registry("drawing"), "drawing", where)
        if "example" in item:
            _known(item["example"], paper.examples, f"example of {EXAMPLES}", where)
            compute = paper.examples[item["example"]].get("compute")
            _known(
                compute,
                registry("example"),
                "value of compute",
                f"{paper.where(EXAMPLES)}, {item['example']}",
            )
        _check_test(item, where)
        if item["kind"] == "scores" and item["published"]:
            _check_printed(paper, item)
            _check_printed_datasets(paper, item)
    _check_shared(items, paper.where(PAPER))
    _check_claims(paper)
    _check_published(paper)
    _check_cells(paper)


def registry(what: str):
    """Return what is registered under each name."""
    module, _, name = _REGISTRIES[what].partition(":")
    entries = getattr(importlib.import_module(module), name)
    return entries() if callable(entries) else entries


def _known(name, known: Iterable[str], what: str, where: str) -> None:
    if name not in known:
        raise RecocoError(f"Unknown {what} {name!r} in {where}: {nearest(name, known)}")


# ---- items --------------------------------------------------------------------------------


def _check_data(item: dict, methods: dict, cards: list[str], where: str) -> None:
    for card in [*item.get("datasets", {}).values(), *item.get("corpora", [])]:
        _known(card, cards, "dataset", where)
    of_methods = item.get("method_weightings", {})
    for weighting in [*item.get("weightings", {}).values(), *of_methods.values()]:
        _check_weighting(weighting, where)
    groups = ("methods", "extra_methods", "together")
    named = [method for group in groups for method in item.get(group, {}).values()]
    if "method" in item:
        named.append(item["method"])
    limited = [*item.get("limits", {}), *item.get("starts", {})]
    for method in [*named, *item.get("nulls", []), *of_methods, *limited]:
        _known(method, methods, "method", where)


def _check_scope(scope: dict, item: dict, items: dict, where: str) -> None:
    methods = [*item["methods"], *item["extra_methods"]]
    known = {"methods": methods, "datasets": list(item["datasets"]), "tables": list(items)}
    for key, names in scope.items():
        for name in names:
            what = key.removesuffix("s") if key == "tables" else f"printed {key.removesuffix('s')}"
            _known(name, known[key], what, where)


def _check_shared(items: dict, where: str) -> None:
    """Reject two tables of the same runs that ask the same question with other answers."""
    from recoco.items.scores.fits import same_runs

    tables = [n for n, item in items.items() if item["kind"] == "scores" and item["published"]]
    for first, second in itertools.combinations(tables, 2):
        one, other = (items[name]["choices"] for name in (first, second))
        differing = [choice for choice in one if choice in other and one[choice] != other[choice]]
        if differing and same_runs(items[first], items[second]):
            raise RecocoError(
                f"{where}: {first} and {second} come from the same runs, but their choices "
                f"{differing[0]!r} differ: give both the same options, or one another name."
            )


def _check_choices(item: dict, items: dict, methods: dict, cards: list[str], where: str) -> None:
    for choice, question in item.get("choices", {}).items():
        printed = [option for option in question["options"].values() if option["printed"]]
        if len(printed) != 1:
            raise RecocoError(
                f"{where}: choice {choice!r} marks {len(printed)} options as printed: mark one."
            )
        _check_scope(question.get("scope", {}), item, items, f"{where}, choices.{choice}.scope")
        for option in question["options"].values():
            for method in [*option["params"], *option["select_by_method"]]:
                _known(method, [*methods, "*"], "method", where)
            for dataset, card in option["datasets"].items():
                _known(dataset, list(item["datasets"]), "printed dataset", where)
                _known(card, cards, "dataset", where)
            for key, changed in option["weightings"].items():
                card, _, method = key.partition("/")
                _known(card, [*cards, "*"], "dataset", where)
                if method:
                    _known(method, methods, "method", where)
                for weighting in changed.values():
                    _check_weighting(weighting, where)


# ---- metrics, tests and printed numbers -----------------------------------------------------


def _options(item: dict) -> list[dict]:
    """Return the options of all choices of an item; most kinds have none."""
    choices = item.get("choices", {}).values()
    return [option for question in choices for option in question["options"].values()]


def _check_metrics(item: dict, where: str) -> None:
    """Check the metrics of an item and the columns that its choices substitute for them."""
    meant = [option["metrics"] for option in _options(item)]
    known = [*registry("metric"), *_COUNTS]
    for column in [column for columns in meant for column in columns.values()]:
        # METRIC@NAME is the score of another partition of the run, NAME=VALUE a detail of it.
        metric, _, of = column.rpartition("@")
        if metric or "=" not in of:
            _known(metric or of, known, "metric", where)
    replaced = {metric for columns in meant for metric in columns}
    for metric in item.get("metrics", []):
        inside = item.get("inside")  # prefix of the details of a run
        if not (metric in replaced or (inside and metric.startswith(f"{inside}_"))):
            _known(metric, known, "metric", where)


def _check_test(item: dict, where: str) -> None:
    if "test" in item:
        _known(item["test"]["kind"], registry("test"), "test", where)
        for method in item["test"]["methods"]:
            _known(method, item["methods"], "printed method", f"{where}.test")


def _check_printed(paper: Paper, item: dict) -> None:
    """Check the names in the printed rows of a table of scores."""
    metrics = {*item["metrics"], *(m for option in _options(item) for m in option["metrics"])}
    for number, row in enumerate(paper.printed, 2):
        if row["item"] != item["published"]:
            continue
        where = f"{paper.where(PRINTED)}, line {number}"
        tested = row["metric"].startswith("pvalue_")
        _known(row["metric"].removeprefix("pvalue_"), metrics, "metric", where)
        _known(row["weighting"], item["weightings"], "printed weighting", where)
        if not tested:
            _known(row["method"], item["methods"], "printed method", where)
        elif "test" not in item:
            raise RecocoError(f"{where} prints a p-value, but the table has no test: add one.")
        for column in ("value", "sd", "best"):
            if row[column] and not _is_number(row[column]):
                raise RecocoError(f"{where}: {column} is {row[column]!r}: write a number.")


def _check_printed_datasets(paper: Paper, item: dict) -> None:
    """Reject misspelt datasets in the printed rows of a table of scores.

    An item may list fewer datasets than are printed, so an unlisted one is an error only if it
    differs from a listed one by case alone, or if no printed dataset is listed at all.
    """
    listed = item["datasets"]
    folded = {name.casefold() for name in listed}
    rows = [(n, row) for n, row in enumerate(paper.printed, 2) if row["item"] == item["published"]]
    none_listed = not any(row["dataset"] in listed for _, row in rows)
    for number, row in rows:
        if none_listed or row["dataset"].casefold() in folded:
            where = f"{paper.where(PRINTED)}, line {number}"
            _known(row["dataset"], listed, "printed dataset", where)


def _check_published(paper: Paper) -> None:
    """Check that the printed numbers and the items refer to each other."""
    printed = {row["item"] for row in paper.printed}
    answered = {item["published"] for item in paper.config["items"].values()} - {""}
    for name, item in paper.config["items"].items():
        if item["published"] and printed:
            where = f"{paper.where(PAPER)}, items.{name}.published"
            _known(item["published"], printed, "item of the printed numbers", where)
    for number, row in enumerate(paper.printed, 2):
        where = f"{paper.where(PRINTED)}, line {number}"
        _known(row["item"], answered, "item (see published in paper.yaml)", where)


def _check_cells(paper: Paper) -> None:
    """Check that errata and causes are about printed cells."""
    if not paper.causes and not any(row["cells"] for row in paper.errata):
        return
    from recoco.compare.causes import check_causes
    from recoco.compare.errata import misprinted
    from recoco.compare.published import printed_cells

    cells = list(printed_cells([paper])["cell"])
    misprinted(paper.errata, cells)
    check_causes(paper.causes, cells, paper.where(CAUSES))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# ---- claims -------------------------------------------------------------------------------


def _check_claims(paper: Paper) -> None:
    for identifier, claim in paper.claims.items():
        check = claim.get("check", {})
        where = f"{paper.where(CLAIMS)}, {identifier}"
        if "item" in check:
            tables = [n for n, item in paper.config["items"].items() if item["kind"] == "scores"]
            _known(check["item"], tables, "table of scores", where)
        if "function" in check:
            _known(check["function"], registry("function"), "function", where)
        if "form" in check:
            if "test" in check:
                _known(check["test"], registry("test"), "test", where)
            _check_names(paper, check, where)
            _check_templates(check, registry("form")[check["form"]].fields(check), where)


def _check_names(paper: Paper, check: dict, where: str) -> None:
    """Check the methods and metrics of a claim about tables of scores."""
    if registry("form")[check["form"]].once:
        return  # it reads other results, with names of their own
    tables = [item for item in paper.config["items"].values() if item["kind"] == "scores"]
    methods = {name for item in tables for name in (*item["methods"], *item["extra_methods"])}
    metrics = {name for item in tables for name in item["metrics"]}
    named = [check[key] for key in ("method", "over") if key in check]
    named += [name for key in ("order", "also_above") for name in check.get(key, [])]
    for name in named:
        _known(name, methods, "printed method", where)
    for name in [*check.get("metrics", []), *([check["metric"]] if "metric" in check else [])]:
        _known(name, metrics, "metric of a table", where)


def _check_templates(check: dict, fields: dict[str, set[str]], where: str) -> None:
    """Reject a template with a field in braces that its form does not provide."""
    for path, known in fields.items():
        template = check
        for key in path.split("."):
            template = template[key]
        try:
            named = {name for _, name, _, _ in string.Formatter().parse(template)} - {None}
        except ValueError as error:
            raise RecocoError(f"{where}: {path} cannot be filled in ({error}).") from None
        for name in named:
            _known(name, known, f"field of {path}", where)


def _check_weighting(name: str, where: str) -> None:
    from recoco.datasets.weighting import WEIGHTINGS

    if name not in WEIGHTINGS:
        # Imported only if it may be a graph, because that takes a second, and each job of a cluster
        # reads the configuration twice.
        from recoco.datasets.graph_weightings import check_weighting

        check_weighting(name, where)
