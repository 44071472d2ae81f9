"""Commands that use datasets and methods, including your own, without a reproduction."""

from recoco.cli.arguments import add_count, add_flag, add_seed, add_weighting, count


def add_commands(command) -> None:
    command(
        "datasets",
        "recoco.cli.show:show_datasets",
        "list the datasets, their shapes and whether they are available",
    )
    command("methods", "recoco.cli.show:show_methods", "list the methods and their papers")
    _fit(command)
    _try(command)
    _card(command)
    _mirror(command)
    _twin(command)
    _cocluster(command)
    _coherence(command)


def _fit(command) -> None:
    parser = command(
        "fit", "recoco.apps.fit:show_fit", "co-cluster a dataset or matrix files with one method"
    )
    parser.add_argument("--method", required=True, help="a name from `recoco methods`")
    data = parser.add_mutually_exclusive_group(required=True)
    data.add_argument("--dataset", help="a name from `recoco datasets`")
    data.add_argument(
        "--matrix",
        dest="matrices",
        nargs="+",
        action="extend",
        metavar="FILE",
        help="a .mtx, .mtx.gz or .npz file, or a matrix.csr folder from an earlier fit; several "
        "are views of the same objects. coclus and skmeans read one file of any size",
    )
    add_flag(
        parser,
        "--transpose",
        "with --matrix: the rows of the files are features, not objects (default: no)",
    )
    parser.add_argument(
        "--out",
        metavar="FOLDER",
        help="with --matrix: output folder for the labels (default: NAME-fit)",
    )
    add_count(
        parser,
        "--clusters",
        "number of clusters; required with --matrix, unless the method chooses it (default: the "
        "number of classes)",
        metavar="K",
    )
    parser.add_argument(
        "--weighting",
        help="how the entries of the matrix are weighted, or graphs are made (default: tfidf-l2; "
        "for methods on graphs cosine-q97, swmv: cosine, or the graph itself)",
    )
    add_seed(parser)
    add_count(parser, "--starts", "keep the best of N starts", default=1)
    add_count(parser, "--words", "with --dataset: top features to print per cluster", default=10)


def _try(command) -> None:
    parser = command(
        "try",
        "recoco.apps.attempt:show_attempt",
        "rank a method of your own among others on small datasets",
    )
    tried = parser.add_mutually_exclusive_group(required=True)
    tried.add_argument("--method", help="module:Class, or a name from config/methods.yaml")
    tried.add_argument(
        "--command", help="a program: 'my-program {matrix} {clusters} {seed} {labels}'"
    )
    parser.add_argument(
        "--dataset",
        action="append",
        dest="datasets",
        metavar="DATASET",
        help="a name from `recoco datasets`; may be repeated (default: three small ones that are "
        "available)",
    )
    add_weighting(parser)
    add_count(parser, "--runs", "runs per dataset", default=3)
    add_count(
        parser,
        "--limit",
        "time limit for all runs of a method on a dataset",
        default=60,
        metavar="SECONDS",
    )


def _card(command) -> None:
    parser = command("card", "recoco.cli.show:show_card", "write a card for your own dataset")
    parser.add_argument(
        "where",
        help="a folder of texts, a .csv, .mtx, .npz, .npy or .mat file, or sklearn:load_NAME",
    )
    parser.add_argument(
        "--name", required=True, help="name of the dataset: lower-case letters, digits and hyphens"
    )
    parser.add_argument(
        "--labels",
        help="the classes: a column, a variable, or a file with one class per line (default: none)",
    )
    parser.add_argument(
        "--text", metavar="COLUMN", help="column of a CSV file with the texts (default: none)"
    )
    parser.add_argument(
        "--matrix",
        metavar="VARIABLE",
        help="variable of a .mat or .npz file with the matrix; required for .mat",
    )
    parser.add_argument(
        "--terms", help="names of the columns: a variable or a file (default: none)"
    )
    add_flag(parser, "--transpose", "the rows of the file are features, not objects (default: no)")
    parser.add_argument(
        "--leave-out",
        action="append",
        metavar="COLUMN",
        help="a column of a CSV file to ignore; may be repeated (default: none)",
    )
    add_count(parser, "--min-df", "ignore words that occur in fewer than N documents (default: 1)")


def _mirror(command) -> None:
    parser = command(
        "mirror",
        "recoco.cli.show_mirror:show_mirror",
        "copy all fetched data into a folder that others can use as their mirror",
    )
    parser.add_argument("folder", help="the mirror, which may already contain files")
    add_flag(
        parser,
        "--check",
        "compare the files of the folder with its list and with the cards; write nothing "
        "(default: no)",
    )


def _twin(command) -> None:
    parser = command(
        "twin",
        "recoco.cli.show_twins:show_twins",
        "draw the twins of datasets and compare them with their targets",
    )
    parser.add_argument(
        "names",
        nargs="*",
        metavar="DATASET",
        help="a name from `recoco datasets` (default: all whose cards describe a twin)",
    )
    add_flag(
        parser,
        "--calibrate",
        "find the separation of the classes by bisection and write it into the card (default: no)",
    )


def _cocluster(command) -> None:
    parser = command(
        "cocluster",
        "recoco.cli.show_fits:show_cocluster",
        "find topics in a folder of text files and write a small report",
    )
    parser.add_argument("folder", help="folder to read, with its subfolders")
    parser.add_argument(
        "--clusters",
        type=lambda text: None if text == "auto" else count(text),
        metavar="K",
        help="number of co-clusters, or auto (default: auto)",
    )
    parser.add_argument(
        "--out", metavar="FOLDER", help="output folder of the report (default: NAME-coclusters)"
    )
    add_seed(parser)
    add_count(parser, "--most-words", "largest number of words to use", default=10_000)
    add_flag(
        parser,
        "--skip-headers",
        "skip everything up to the first blank line of each file (default: no)",
    )
    parser.add_argument(
        "--stop-words",
        metavar="FILE",
        help="text file with words to ignore, in addition to the common ones (default: none)",
    )


def _coherence(command) -> None:
    parser = command(
        "coherence",
        "recoco.cli.show_fits:show_coherence",
        "compute the mean PMI of word clusters in a corpus",
    )
    parser.add_argument("clusters", help="text file with the words of one cluster per line")
    parser.add_argument(
        "--corpus", required=True, help="a folder of .txt files, a text file or a Wikipedia dump"
    )
    add_count(parser, "--window", "words per window", default=5)
    parser.add_argument(
        "--no-stem",
        action="store_false",
        dest="stem",
        help="count words of the corpus only as they are (default: also as their stems)",
    )
