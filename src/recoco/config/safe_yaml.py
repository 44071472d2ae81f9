"""YAML as data: a file can neither run code nor exhaust time, memory or the stack.

PyYAML's safe loader only promises the first. It composes nested collections by recursion in
compiled code, which crashes at some depth; a few lines of aliases can stand for billions of
values; and a wrong date or a number of a million digits ends in an error of Python. So the events
of the parser, which neither recurse nor expand anything, are counted before anything is built.
"""

import functools

MOST_BYTES = 4 << 20  # of a file; the largest in config/ has 22 kB
_DEEPEST = 50  # levels; config/ and the schemas need 12
_MOST_VALUES = 200_000  # with every alias replaced by what it stands for
_LONGEST = 64  # characters of a number or a date, and of what a message repeats

_TAG = "tag:yaml.org,2002:"
# What JSON has, and dates. Sets, pairs and binary data have no use here.
_KINDS = ("null", "str", "seq", "map")
_CHECKED = {"bool": "truth value", "int": "number", "float": "number", "timestamp": "date"}


class NotData(Exception):
    """One clause about what is wrong, and the line, counted from 1."""

    def __init__(self, problem: str, line: int | None = None):
        super().__init__(problem)
        self.problem, self.line = problem, line


def parse(text: str):
    """Return the content of a YAML document, or raise NotData."""
    import yaml

    try:
        _scan(text)
        return yaml.load(text, Loader=_loader())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        built = isinstance(error, yaml.constructor.ConstructorError)
        problem = error.problem[:200] if built else ""
        raise NotData(problem, mark.line + 1 if mark else None) from None


@functools.cache
def _loader():
    """Return a safe YAML loader that builds plain data only, and reports a value it cannot build.

    PyYAML lets errors of Python pass, such as that of the month 13.
    """
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass

    def checked(kind: str, construct):
        def build(loader, node):
            text = node.value if isinstance(node.value, str) else "a collection"
            problem = f"a {kind} of more than {_LONGEST} characters"
            if len(text) <= _LONGEST:
                try:
                    return construct(loader, node)
                except Exception:
                    problem = f"{_shown(text)} is not a {kind}"
            raise yaml.constructor.ConstructorError(problem=problem, problem_mark=node.start_mark)

        return build

    known = {None: Loader.yaml_constructors[None]}
    known |= {_TAG + kind: Loader.yaml_constructors[_TAG + kind] for kind in _KINDS}
    for tag, kind in _CHECKED.items():
        known[_TAG + tag] = checked(kind, Loader.yaml_constructors[_TAG + tag])
    Loader.yaml_constructors = known
    return Loader


class _Open:
    """A collection whose end has not been read yet."""

    __slots__ = ("anchor", "before", "height", "is_key", "keys")

    def __init__(self, anchor: str | None, before: int, keys: set | None):
        self.anchor, self.before, self.keys = anchor, before, keys
        self.height = 1  # levels of collections, including this one
        self.is_key = True  # whether the next child of a mapping is a key


def _scan(text: str) -> None:
    """Raise NotData if the document is too deep, too large, endless, or has a key twice."""
    import yaml

    scalar, alias, mapping = yaml.ScalarEvent, yaml.AliasEvent, yaml.MappingStartEvent
    starts = (mapping, yaml.SequenceStartEvent)
    ends = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
    values = 0  # with every alias replaced by what it stands for
    parent = _Open(None, 0, None)
    stack = [parent]
    sizes: dict[str, tuple[int, int]] = {}  # values and levels behind an anchor
    for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        kind, added, height = type(event), 1, 0
        within = parent
        if kind is scalar:
            if event.anchor is not None:
                sizes[event.anchor] = (1, 0)
            if within.is_key and within.keys is not None:
                _add_key(within.keys, event)
        elif kind in starts:
            parent = _Open(event.anchor, values, set() if kind is mapping else None)
            stack.append(parent)
        elif kind in ends:
            stack.pop()
            parent = stack[-1]
            if within.anchor is not None:
                sizes[within.anchor] = (values - within.before, within.height)
            parent.height = max(parent.height, within.height + 1)
            continue
        elif kind is alias:
            if any(opened.anchor == event.anchor for opened in stack):
                raise NotData(f"the alias {_shown(event.anchor)} contains itself", _line(event))
            added, height = sizes.get(event.anchor, (0, 0))  # an unknown one is reported later
            within.height = max(within.height, height + 1)
        elif kind is yaml.DocumentEndEvent:
            return  # a second document is refused before it is built
        else:
            continue
        within.is_key = not within.is_key
        values += added
        if values > _MOST_VALUES:
            raise NotData(f"the file stands for more than {_MOST_VALUES} values", _line(event))
        if len(stack) + height > _DEEPEST:
            raise NotData(f"more than {_DEEPEST} levels are nested", _line(event))


def _add_key(keys: set, event) -> None:
    if event.value in keys:
        raise NotData(f"the key {_shown(event.value)} is given twice", _line(event))
    if event.value != "<<":  # which merges another mapping, and may do so again
        keys.add(event.value)


def _shown(text: str) -> str:
    return repr(text) if len(text) <= _LONGEST else f"{text[:_LONGEST]!r}..."


def _line(event) -> int:
    return event.start_mark.line + 1
