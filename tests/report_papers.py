"""A paper as the tests of the report configure it."""

CARDS = {
    name: name.lower()
    for name in (
        *("CSTR", "WEBKB4", "WEBACE", "NG2", "CLASSIC3"),
        *("CLASSIC4", "NG20", "RCV1", "SPORTS", "REVIEWS"),
    )
}
COCLUS = {
    "key": "coclus",
    "title": "Co-clustering Document-term Matrices by Direct Maximization of Graph Modularity",
    "authors": "Melissa Ailem, François Role, Mohamed Nadif",
    "venue": "CIKM",
    "year": 2015,
    "doi": "10.1145/2806416.2806639",
    "runs": 100,
    "items": {
        "example-5x4": {"kind": "example", "title": "Worked example, Section 3"},
        "table1": {"kind": "characteristics", "title": "Table 1, datasets", "datasets": CARDS},
        "figure2": {
            "kind": "figure",
            "title": "Figure 2, document sizes",
            "draw": "document_sizes",
            "datasets": CARDS,
        },
        "table2": {
            "kind": "scores",
            "title": "Table 2, SpecCo against Coclus",
            "caption": "Made-up numbers: mean & deviation over 100 random starts, 5% test.",
            "published": "table2",
            "datasets": CARDS,
            "weightings": {"binary": "binary", "count": "count", "tfidf-l2": "tfidf-l2"},
            "methods": {"SpecCo": "specco", "Coclus": "coclus"},
            "metrics": ["acc", "nmi"],
            "choices": {
                "selection": {
                    "text": "What is one of the results that are averaged?",
                    "options": {
                        "single": {"text": "one random start", "printed": True},
                        "best-of-n": {"text": "the best of n starts by the criterion"},
                        "oracle": {"text": "only the best of all starts by the score itself"},
                    },
                },
                "rows": {
                    "text": "By which norm are the rows of SPORTS and REVIEWS divided?",
                    "options": {
                        "l2": {"text": "Euclidean norm", "printed": True},
                        "l1": {"text": "sum"},
                    },
                },
            },
        },
        "figure3": {
            "kind": "figure",
            "title": "Figure 3, NMI of Spec, SpecCo and Coclus",
            "draw": "nmi_bars",
            "of": "table2",
        },
        "selection": {
            "kind": "figure",
            "title": "What a mean over 100 starts can hide",
            "draw": "selection_rules",
            "of": "table2",
        },
    },
}
