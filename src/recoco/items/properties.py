"""Keys that several kinds of items have: their JSON Schema, written once."""

from recoco.compare.causes import CAUSES
from recoco.metrics import METRICS as SCORES

COMMON = {
    "kind": {"description": "What sort of item this is.", "type": "string"},
    "title": {"description": "Heading in the report.", "type": "string"},
    "caption": {
        "description": "One or two sentences under the heading.",
        "type": "string",
        "default": "",
    },
    "later": {
        "description": "True for an item that takes long and waits for the second pass.",
        "type": "boolean",
        "default": False,
    },
    "runs": {
        "description": "Runs per setting, where not the paper's own number.",
        "type": "integer",
        "minimum": 1,
    },
    "draw": {
        "description": "Name of the drawing of this item's figure, if not that of its kind.",
        "type": "string",
    },
    "published": {
        "description": "Name of the item in the paper's published.csv; empty if none is printed.",
        "type": "string",
        "default": "",
    },
}

_NAMES = {"type": "object", "additionalProperties": {"type": "string"}}
_INTEGER = {"type": "integer", "minimum": 1}

DATASETS = {**_NAMES, "description": "Printed name of each dataset and the card that answers it."}
WEIGHTINGS = {
    **_NAMES,
    "description": "Printed weighting and the weighting of recoco that it means.",
}
METHODS = {**_NAMES, "description": "Printed method and the method of recoco that it means."}
METHOD = {"description": "The method of recoco that the item is about.", "type": "string"}
METRICS = {
    "description": (
        f"Metrics, named as the columns of the score tables ({', '.join(SCORES)}, n_clusters); an "
        "option of a choice may give a meaning to other names."
    ),
    "type": "array",
    "items": {"type": "string"},
}
METHOD_WEIGHTINGS = {
    **_NAMES,
    "description": (
        "Weighting of single methods of recoco, whatever the others have and any choice says: for "
        "those that take features, or weighted edges, where the others take binary graphs."
    ),
    "default": {},
}
PARAMS = {"description": "Other parameters of the method.", "type": "object", "default": {}}
PARAMS_BY_METHOD = {
    "description": "Other parameters, by method of recoco.",
    "type": "object",
    "default": {},
    "additionalProperties": {"type": "object"},
}
NULLS = {
    "description": "Null models shown under the table.",
    "type": "array",
    "default": [],
    "items": {"type": "string"},
}
OF = {"description": "The item of this paper that it builds on.", "type": "string"}
OVER = {"description": "The printed method whose gain over the others is shown.", "type": "string"}
CORPORA = {
    "description": (
        "Cards in whose raw texts the co-occurrence of words is counted. The texts that a dataset "
        "was made from are left out for it."
    ),
    "type": "array",
    "items": {"type": "string"},
}
VARIANTS = {
    "description": (
        "Parameters of the method by name of the variant; the first is the reading of the text."
    ),
    "type": "object",
    "minProperties": 1,
    "default": {"": {}},
    "additionalProperties": {"type": "object"},
}
VALUES = {
    "description": "Values of the parameter; null keeps the method's own value.",
    "type": "array",
    "minItems": 1,
    "items": {"type": ["number", "null"]},
}
LEVEL = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "default": 0.05}
ALPHA = {**LEVEL, "description": "Level of the tests between pairs of methods."}
DRAWN = {
    "description": "The combination of choices that is drawn, where not the printed one.",
    "type": "string",
}


def top(description: str, default: int) -> dict:
    """Return the key ``top`` of a kind: how many of something are looked at."""
    return {"description": description, "type": "integer", "minimum": 2, "default": default}


_SIZE = {
    "description": "One number or several.",
    "oneOf": [
        {"type": "integer", "minimum": 2},
        {"type": "array", "minItems": 1, "items": _INTEGER},
    ],
}
SIZES = {
    "description": "Objects, features of a view and views of random data, each one or several.",
    "type": "object",
    "additionalProperties": False,
    "required": ["objects", "features", "views"],
    "properties": {"objects": _SIZE, "features": _SIZE, "views": _SIZE},
}

_RULES = ["mean", "best", "criterion", "best-of"]
_OPTION = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text"],
    "properties": {
        "text": {"description": "The answer in words.", "type": "string"},
        "printed": {
            "description": "True for the reading of the text.",
            "type": "boolean",
            "default": False,
        },
        "select": {"description": "How one number is made of the runs.", "enum": _RULES},
        "runs": {
            "description": "At most so many runs, for a reading that is only tried.",
            "type": "integer",
            "minimum": 2,
        },
        "select_by_method": {
            "description": "The same for some methods of recoco, where they differ.",
            "type": "object",
            "default": {},
            "additionalProperties": {"enum": _RULES},
        },
        "params": {
            "description": 'Parameters that change, by method of recoco ("*" for all).',
            "type": "object",
            "default": {},
            "additionalProperties": {"type": "object"},
        },
        "datasets": {
            **_NAMES,
            "description": "Cards that change, by printed name of the dataset.",
            "default": {},
        },
        "weightings": {
            "description": 'Weightings that change, by card ("*" for all) or card/method.',
            "type": "object",
            "default": {},
            "additionalProperties": _NAMES,
        },
        "metrics": {
            **_NAMES,
            "description": "Columns of the score table that answer a printed metric.",
            "default": {},
        },
    },
}
_SOME = {"type": "array", "minItems": 1, "items": {"type": "string"}}
_SCOPE = {
    "description": (
        "What the choice is about; without it, every number that its options change. Choices that "
        "change no number in common are fitted apart."
    ),
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "methods": {**_SOME, "description": "Printed methods."},
        "datasets": {**_SOME, "description": "Printed datasets."},
        "tables": {
            **_SOME,
            "description": (
                "Items of the paper that share the choice; without it, all that have it and come "
                "from the same runs."
            ),
        },
    },
}
CHOICES = {
    "description": (
        "What the paper leaves open or may have done silently. Every combination of choices about "
        "the same numbers is computed; the option marked printed is the reading of the text."
    ),
    "type": "object",
    "default": {},
    "additionalProperties": {
        "type": "object",
        "additionalProperties": False,
        "required": ["text", "options"],
        "properties": {
            "text": {"description": "The question that the paper leaves open.", "type": "string"},
            "scope": _SCOPE,
            "cause": {
                "description": "Why a number differs that another option gives.",
                "enum": list(CAUSES),
                "default": "unstated parameter",
            },
            "options": {
                "description": "The answers that are tried.",
                "type": "object",
                "minProperties": 1,
                "additionalProperties": _OPTION,
            },
        },
    },
}
PRINTED_RUNS = {
    "description": (
        "Runs behind a printed number where not the paper's own number, by printed method "
        '("*" for all); null if the paper does not say.'
    ),
    "type": "object",
    "additionalProperties": {"type": ["integer", "null"], "minimum": 1},
}
TOLERANCES = {
    "description": (
        "By how much a number may differ, by printed metric. Without it, a score may differ by the "
        "larger of 0.02 and what its printed deviation and rounding allow, any other number by its "
        "rounding."
    ),
    "type": "object",
    "additionalProperties": {"type": "number", "minimum": 0},
}
TEST = {
    "description": "The statistical test printed beside the means.",
    "type": "object",
    "additionalProperties": False,
    "required": ["kind", "methods"],
    "properties": {
        "kind": {
            "description": "Which test, a name in recoco.compare.measures.",
            "type": "string",
        },
        "methods": {
            "description": "The two printed methods that are compared.",
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "items": {"type": "string"},
        },
    },
}
