"""Dataset cards that somebody wrote to do harm, or to see what breaks.

Each case has a name, the card, and a word of the sentence in which it must end. ``TEXTS`` are the
bytes of a card, ``CARDS`` change keys of a good one, ``SOURCES`` and ``PARSERS`` its source and its
parser. Cards that need files around them are in `hostile_files`.
"""

from support.datasets_fixture import card, sha

PASSWORD = "hunter2"  # no message may repeat it
NAN, INFINITE = float("nan"), float("inf")
_HASH = {"sha256": sha(b"x"), "bytes": 1}


# ---- YAML --------------------------------------------------------------------------------------


def _expanding(line: str) -> str:
    """Return a bomb: every line names the one before nine times."""
    lines = ["a0: &a0 {k: v}"]
    for n in range(1, 30):
        lines.append(line.format(n=n, before=", ".join([f"*a{n - 1}"] * 9)))
    return "\n".join(lines)


_CHAIN = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 3000))])
_LEVELS = 100_000

TEXTS: dict[str, tuple[str | bytes, str]] = {
    "aliases of aliases": (_expanding("a{n}: &a{n} [{before}]"), "values"),
    "merges of merges": (_expanding("a{n}: &a{n} {{<<: [{before}]}}"), "values"),
    "chain of aliases": (_CHAIN, "levels"),
    "alias of itself": ("title: &a [*a]", "contains itself"),
    "merge of itself": ("title: &a {<<: *a}", "contains itself"),
    "unknown alias": ("title: *nothing", "line 1"),
    "merge of a number": ("<<: 3", "merging"),
    "merge of numbers": ("<<: [3, 4]", "merging"),
    "nested lists": ("title: " + "[" * _LEVELS, "levels"),
    "nested mappings": ("title: " + "{a: " * _LEVELS, "levels"),
    "nested dashes": ("- " * _LEVELS, "levels"),
    "nested keys": ("? " * _LEVELS, "levels"),
    "many values": ("title: [" + "x," * 1_000_000 + "]", "values"),
    "many keys": ("".join(f"k{n}: v\n" for n in range(150_000)), "values"),
    "many documents": ("---\na: b\n" * 50_000, "line 3"),
    "large file": ("title: " + "x" * (5 << 20), "bytes"),
    "endless whole number": ("title: " + "9" * 5000, "number"),
    "endless hexadecimal number": ("title: 0x" + "f" * 1_000_000, "number"),
    "endless sexagesimal number": ("title: 1" + ":59" * 300_000, "number"),
    "endless fraction": ("title: 1" + ":59" * 300_000 + ".5", "number"),
    "month 13": ("title: 2024-13-45", "date"),
    "hour 25": ("title: 2001-12-14t25:61:61Z", "date"),
    "a date that is none": ("title: !!timestamp tomorrow", "date"),
    "a truth that is none": ("title: !!bool perhaps", "truth"),
    "a number that is none": ('title: !!int ""', "number"),
    "a number that is a list": ("title: !!int [1]", "number"),
    "a mapping that is a list": ("title: !!map [1]", "mapping"),
    "a text that is a mapping": ("title: !!str {a: b}", "scalar"),
    "binary data": ("title: !!binary aGk=", "binary"),
    "a set": ("title: !!set {a, b}", "set"),
    "ordered pairs": ("title: !!omap [a: b]", "omap"),
    "pairs": ("title: !!pairs [a: b]", "pairs"),
    "python object": ("title: !!python/object/apply:os.system [touch ran]", "python"),
    "python name": ("title: !!python/name:os.system", "python"),
    "own tag": ("title: !evil x", "evil"),
    "own tag directive": (
        "%TAG ! tag:yaml.org,2002:python/\n---\ntitle: !name:os.system x",
        "python",
    ),
    "key twice": ("title: a\ntitle: b", "twice"),
    "key twice behind an alias": ("a: &a title\n*a : x\ntitle: b\ntitle: c", "twice"),
    "list as key": ("? [a, b]\n: c", "unhashable"),
    "lone surrogate": ('title: "\\ud800"', "line 1"),
    "control character": ("title: a\x07b", "YAML"),
    "zero byte": (b"title: a\0b", "YAML"),
    "not UTF-8": (b"title: \xff\xfe\xfa", "UTF-8"),
    "UTF-16": ("title: x".encode("utf-16"), "UTF-8"),
    "empty file": ("", "is empty"),
    "only a number": ("1", "keys and values"),
    "unfinished quote": ('title: "' + "x" * 100_000, "YAML"),
    "template": ("{{ ''.__class__.__mro__ }}", "YAML"),
}


# ---- keys of a card ----------------------------------------------------------------------------

CARDS: dict[str, tuple[dict, str]] = {
    "title is a number": ({"title": 5}, "title"),
    "title is nothing": ({"title": None}, "title"),
    "title is a date": ({"title": "2024-01-01\x1b[2J"}, "control character"),
    "title is a long list": ({"title": ["x" * 100] * 100}, "..."),
    "description is a list": ({"description": []}, "description"),
    "citation is a mapping": ({"citation": {"a": "b"}}, "citation"),
    "instructions clear the screen": ({"by_hand": "\x1b[2J\x1b[H done"}, "control character"),
    "licence rings": ({"licence": "free\x07"}, "control character"),
    "content is unknown": ({"content": "pickle"}, "content"),
    "content is a list": ({"content": ["counts"]}, "content"),
    "redistributable is a word": ({"redistributable": "yes"}, "redistributable"),
    "unknown key": ({"__class__": "os.system"}, "__class__"),
    "key without end": ({"x" * 100_000: 1}, "unknown key"),
    "key is a number": ({7: "x"}, "unknown key 7"),
    "printed as a path": ({"printed_as": {"../x": "y"}}, "printed_as"),
    "printed as a line break": ({"printed_as": {"coclus\n": "y"}}, "printed_as"),
    "printed as a list": ({"printed_as": []}, "printed_as"),
    "variant is a word": ({"variant": "all"}, "variant"),
    "classes are lists": ({"class_names": {"a": ["b"]}}, "class_names"),
    "class rings": ({"class_names": {"a": "b\x07"}}, "control character"),
    "class of two lines": ({"class_names": {"a\nb": 5}}, "class_names"),
    "based on itself": ({"based_on": "tiny"}, "itself"),
    "based on a circle": ({"based_on": "circle"}, "itself based on"),
    "based on a list": ({"based_on": ["tiny"]}, "based_on"),
    "based on a mapping": ({"based_on": {"tiny": 1}}, "based_on"),
    "based on a path": ({"based_on": "../../etc/passwd"}, "based_on"),
    "based on nothing that exists": ({"based_on": "x" * 100_000}, "based_on"),
    "rows below zero": ({"expected": {"rows": -1, "columns": [3], "classes": 2}}, "rows"),
    "rows are a word": ({"expected": {"rows": "4", "columns": [3], "classes": 2}}, "rows"),
    "rows without end": ({"expected": {"rows": INFINITE, "columns": [3], "classes": 2}}, "rows"),
    "rows of forty digits": ({"expected": {"rows": 10**39, "columns": [3], "classes": 2}}, "rows"),
    "columns are a number": ({"expected": {"rows": 4, "columns": 3, "classes": 2}}, "columns"),
    "keep with a bound below zero": ({"keep": {"min_df": -1}}, "min_df"),
    "keep with a bound of forty digits": ({"keep": {"min_df": 10**39}}, "no column is left"),
    "keep a share that is no number": ({"keep": {"max_df_share": NAN}}, "finite"),
    "keep an infinite share": ({"keep": {"max_df_share": INFINITE}}, "max_df_share"),
    "keep something unknown": ({"keep": {"where": "1=1"}}, "where"),
    "no parser": ({"parser": None}, "parser"),
    "sources are a mapping": ({"sources": {}}, "sources"),
    "sources are numbers": ({"sources": [5]}, "sources[0]"),
    "sources of sources": ({"sources": [[[[]]]]}, "sources[0]"),
}


# ---- sources -------------------------------------------------------------------------------------


def _mirror(at: str, **more) -> dict:
    return {"kind": "mirror", "files": [{"at": at, **more}]}


def _url(at: str, **more) -> dict:
    return {"kind": "url", "files": [{"at": at, **_HASH, **more}]}


def _package(files: list[dict] | None = None, **more) -> dict:
    archive = {"registry": "pypi", "package": "p", "version": "1", "file": "p.whl", **_HASH}
    return {"kind": "package", "archive": archive | more} | ({"files": files} if files else {})


def _sklearn(loader, **options) -> dict:
    return {"kind": "sklearn", "loader": loader} | ({"options": options} if options else {})


def _planted(**more) -> dict:
    planted = {"rows": 20, "columns": 10, "clusters": 2, "density": 0.1, "noise": 0.1, "seed": 0}
    return {"kind": "synthetic", "planted": planted | more}


def _two(first: str, second: str, kind: str = "mirror") -> dict:
    return {"kind": kind, "files": [{"at": first}, {"at": second}]}


SOURCES: dict[str, tuple[dict, str]] = {
    "no kind": ({}, "kind"),
    "kind is unknown": ({"kind": "shell"}, "shell"),
    "kind is a list": ({"kind": ["mirror"]}, "kind"),
    "no files": ({"kind": "mirror", "files": []}, "files"),
    "no addresses": ({"kind": "url", "files": []}, "files"),
    "files are a mapping": ({"kind": "mirror", "files": {"at": "x"}}, "files"),
    # paths and names
    "path up": (_mirror("../x"), "../x"),
    "path up from within": (_mirror("a/../../x"), "at"),
    "path up at the end": (_mirror("a/.."), "at"),
    "path is absolute": (_mirror("/etc/passwd"), "at"),
    "path with backslashes": (_mirror("a\\..\\x"), "at"),
    "path of two lines": (_mirror("a\nb"), "at"),
    "path with a zero byte": (_mirror("a\0b"), "at"),
    "path of a home": (_mirror("~/x"), "no ~/x"),
    "path of forty thousand letters": (_mirror("x" * 40_000), "at"),
    "name up": (_mirror("tiny/tiny.mat", name="../x"), "name"),
    "name is absolute": (_mirror("tiny/tiny.mat", name="/tmp/x"), "name"),
    "name is hidden": (_mirror("tiny/tiny.mat", name=".bashrc"), "name"),
    "name ends with a line break": (_mirror("tiny/tiny.mat", name="x\n"), "name"),
    "name of 300 letters": (_mirror("tiny/tiny.mat", name="x" * 300), "name"),
    "name is a number": (_mirror("tiny/tiny.mat", name=5), "name"),
    "name of the receipt": (_mirror("tiny/tiny.mat", name="receipt.json"), "receipt"),
    "name of the receipt in capitals": (_mirror("x/RECEIPT.JSON"), "receipt"),
    "last part is hidden": (_mirror("tiny/.netrc"), "visible"),
    "last part is empty": (_mirror("tiny/"), "visible"),
    "last part is turned around": (_mirror("tiny/\u202egpj.exe"), "invisible"),
    "last part has no width": (_mirror("tiny/a\u200bb"), "invisible"),
    "name twice": (_two("a/x.mat", "b/x.mat"), "same name"),
    "name twice in capitals": (_two("a/x.mat", "b/X.MAT"), "same name"),
    "name twice in unicode": (_two("a/\u00e9", "b/e\u0301"), "same name"),
    "name twice by eszett": (_two("a/stra\u00dfe", "b/STRASSE"), "same name"),
    "local name twice": (_two("config/config.yaml", "mirror/config.yaml", "local"), "same name"),
    # sizes and hashes
    "zero bytes": (_mirror("tiny/tiny.mat", bytes=0), "bytes"),
    "fewer than zero bytes": (_mirror("tiny/tiny.mat", bytes=-5), "bytes"),
    "half a byte": (_mirror("tiny/tiny.mat", bytes=1.5), "bytes"),
    "bytes are true": (_mirror("tiny/tiny.mat", bytes=True), "bytes"),
    "bytes are no number": (_mirror("tiny/tiny.mat", bytes=NAN), "bytes"),
    "bytes without end": (_mirror("tiny/tiny.mat", bytes=10**30), "bytes"),
    "hash in capitals": (_mirror("tiny/tiny.mat", sha256="A" * 64), "sha256"),
    "hash of two letters": (_mirror("tiny/tiny.mat", sha256="ab"), "sha256"),
    "hash with a path": (_mirror("tiny/tiny.mat", sha256="../" + "0" * 61), "sha256"),
    "hash is a list": (_mirror("tiny/tiny.mat", sha256=[]), "sha256"),
    # addresses
    "address of a file": (_url("file:///etc/passwd"), "at"),
    "address of ftp": (_url("ftp://example.org/x"), "at"),
    "address is data": (_url("data:text/plain,x"), "at"),
    "address is a program": (_url("javascript:alert(1)"), "at"),
    "address without host": (_url("https:///x"), "at"),
    "address without a last part": (_url("https://example.org/"), "visible"),
    "address with a second line": (_url("https://example.org/x\r\nHost: other"), "at"),
    "address with a blank": (_url("https://example.org/a b"), "at"),
    "address with a backslash": (_url("https://example.org\\@localhost/x"), "at"),
    "address with a password": (_url(f"https://me:{PASSWORD}@example.org/x"), "at"),
    "address with a user": (_url(f"https://{PASSWORD}@example.org/x"), "at"),
    "password in the wrong place": (
        {"kind": "url", "files": {"at": f"https://me:{PASSWORD}@example.org/x"}},
        "files",
    ),
    "password in a mirror": (_mirror(f"https://me:{PASSWORD}@example.org/../x"), "at"),
    "address is a list": (_url(["https://example.org/x"]), "at"),
    "address of three thousand letters": (_url("https://example.org/" + "x" * 3000), "at"),
    "address without hash": ({"kind": "url", "files": [{"at": "https://example.org/x"}]}, "sha256"),
    "address of this machine": (_url("http://localhost/x"), "RECOCO_HOSTS"),
    "address of this machine, with a dot": (_url("http://LOCALHOST.:80/x"), "RECOCO_HOSTS"),
    "address of this machine, as a number": (_url("http://2130706433/x"), "RECOCO_HOSTS"),
    "address of this machine, shortened": (_url("http://127.1/x"), "RECOCO_HOSTS"),
    "address of this machine, version 6": (_url("http://[::1]:8080/x"), "RECOCO_HOSTS"),
    "address of this machine, mapped": (_url("http://[::ffff:127.0.0.1]/x"), "RECOCO_HOSTS"),
    "address of nothing": (_url("http://0.0.0.0/x"), "RECOCO_HOSTS"),
    "address of a cloud's secrets": (_url("http://169.254.169.254/latest/x"), "RECOCO_HOSTS"),
    "address of a router": (_url("https://192.168.0.1/reboot"), "RECOCO_HOSTS"),
    "address in broken brackets": (_url("http://[::1/x"), "address"),
    # packages
    "package is an option": (_package(package="--index-url=https://example.org/"), "package"),
    "package is a short option": (_package(package="-r/etc/passwd"), "package"),
    "package at an address": (_package(package="p @ https://example.org/p.whl#"), "package"),
    "package of a repository": (_package(package="git+https://example.org/p"), "package"),
    "package is a folder": (_package(package="../p"), "package"),
    "package of a user": (_package(registry="npm", package="user/repo"), "package"),
    "package with a command": (_package(package="p;touch ran"), "package"),
    "version with an option": (_package(version="1 --pre"), "version"),
    "version is a file": (_package(registry="npm", version="file:x.tgz"), "version"),
    "version ends with a line break": (_package(version="1\n"), "version"),
    "version is a number": (_package(version=1.0), "version"),
    "registry is unknown": (_package(registry="git"), "registry"),
    "archive up": (_package(file="../p.whl"), "file"),
    "member up": (_package([{"at": "../x"}]), "at"),
    "member is hidden": (_package([{"at": "p/.x"}]), "visible"),
    # scikit-learn
    "loader that writes": (
        _sklearn("fetch_file", url="https://example.org/", folder="/"),
        "loader",
    ),
    "loader of pickles": (_sklearn("fetch_20newsgroups", data_home="/tmp"), "loader"),
    "loader of anything": (_sklearn("fetch_openml", name="iris"), "loader"),
    "loader of a folder": (_sklearn("load_files", container_path="/etc"), "loader"),
    "loader of a path": (_sklearn("load_svmlight_file", f="/etc/passwd"), "loader"),
    "loader that deletes": (_sklearn("clear_data_home", data_home="/"), "loader"),
    "loader is a module": (_sklearn("os"), "loader"),
    "loader with a line break": (_sklearn("load_iris\n"), "loader"),
    "loader is a list": (_sklearn(["load_iris"]), "loader"),
    "loader with a home": (_sklearn("load_iris", data_home="/tmp"), "data_home"),
    "loader with another loader's option": (_sklearn("load_iris", n_class=3), "options"),
    "loader that returns no bunch": (_sklearn("load_wine", return_X_y=True), "return_X_y"),
    "option of forty digits": (_sklearn("load_digits", n_class=10**39), "n_class"),
    "option is true": (_sklearn("load_digits", n_class=True), "n_class"),
    "option is a word": (_sklearn("load_digits", n_class="os"), "n_class"),
    "options are a list": ({**_sklearn("load_digits"), "options": ["n_class"]}, "options"),
    # planted models
    "model of many rows": (_planted(rows=10**12), "rows"),
    "model of many cells": (_planted(rows=10**7, columns=10**7), "non-zeros"),
    "model of many views": (_planted(views=10**9), "views"),
    "model of many clusters": (_planted(clusters=10**9), "clusters"),
    "model with more clusters than rows": (_planted(clusters=50), "clusters"),
    "model without density": (_planted(density=0), "density"),
    "model with a density that is no number": (_planted(density=NAN), "finite"),
    "model with noise below zero": (_planted(noise=-0.5), "noise"),
    "model with a size that is no number": (_planted(sizes=[1, NAN]), "finite"),
    "model with a size without end": (_planted(sizes=[1, INFINITE]), "finite"),
    "model with too few sizes": (_planted(sizes=[1]), "sizes"),
    "model with a seed below zero": (_planted(seed=-1), "seed"),
    "model with a name": (_planted(name="../x"), "name"),
    "model is a list": ({"kind": "synthetic", "planted": []}, "planted"),
}


# ---- parsers -------------------------------------------------------------------------------------

_PATHS = {
    "up": "../../etc/passwd",
    "absolute": "/etc/passwd",
    "below": "a/b",
    "backwards": "a\\b",
    "hidden": ".netrc",
    "with a line break": "x\n",
    "with a zero byte": "x\0",
    "too long": "x" * 5000,
    "a list": ["x"],
}

PARSERS: dict[str, tuple[dict, str]] = {
    **{f"file is {how}": ({"name": "arff", "file": path}, "file") for how, path in _PATHS.items()},
    "archive is absolute": ({"name": "text", "archive": "/etc/passwd"}, "archive"),
    "folder leads up": ({"name": "text", "archive": "x.zip", "folder": "../.."}, "folder"),
    "labels lead up": ({"name": "matrix-file", "matrix": "x.npy", "labels": "../y"}, "labels"),
    "pickles are asked for": (
        {"name": "matrix-file", "matrix": "x.npy", "allow_pickle": True},
        "allow_pickle",
    ),
    "parser is a module": ({"name": "os"}, "os"),
    "parser is a path": ({"name": "../../evil"}, "evil"),
    "parser without a name": ({}, "name"),
    "name of the parser is a list": ({"name": ["csv"]}, "parser"),
    "separator is an expression": (
        {"name": "csv", "file": "x", "separator": "(a+)+$"},
        "separator",
    ),
    "separator is empty": ({"name": "csv", "file": "x", "separator": ""}, "separator"),
    "encoding runs code": ({"name": "csv", "file": "x", "encoding": "idna"}, "encoding"),
    "many segments": ({"name": "segments", "archive": "x.zip", "views": 10**9}, "views"),
    "seed below zero": ({"name": "segments", "archive": "x.zip", "views": 2, "seed": -1}, "seed"),
    "no files": ({"name": "matlab", "files": [], "matrix": "x", "labels": "y"}, "files"),
    "fields are a number": ({"name": "text", "archive": "x", "keep_fields": 5}, "keep_fields"),
    "one year": ({"name": "aminer", "file": "x", "venues": {}, "years": [1]}, "years"),
    "part of any kind": (
        {
            "name": "merge",
            "parts": [{"parser": {"name": "text", "archive": "x"}, "classes": ["a"]}],
        },
        "parts",
    ),
    "part leads up": (
        {
            "name": "merge",
            "parts": [{"parser": {"name": "arff", "file": "../x"}, "classes": ["a"]}],
        },
        "file",
    ),
}


def all_cards() -> dict[str, tuple[dict | str | bytes, str]]:
    """Return all of them by name, each a whole card."""
    cards: dict[str, tuple[dict | str | bytes, str]] = {
        f"text: {name}": case for name, case in TEXTS.items()
    }
    groups = {
        "card": (CARDS, lambda changes: changes),
        "source": (SOURCES, lambda source: {"sources": [source]}),
        "parser": (PARSERS, lambda parser: {"parser": parser}),
    }
    for group, (cases, change) in groups.items():
        for name, (part, word) in cases.items():
            content = card(printed_as={}) | change(part)
            if group == "source" and part.get("kind") == "synthetic":
                del content["parser"]  # a planted model has its own
            cards[f"{group}: {name}"] = (content, word)
    return cards
