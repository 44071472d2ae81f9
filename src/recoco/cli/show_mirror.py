"""Write or check a mirror, and say what it contains."""

from recoco.core.steps import Steps


def show_mirror(folder: str, check: bool = False) -> int:
    """Write a mirror of all fetched data, or check one."""
    return _check(folder) if check else _write(folder)


def _write(folder: str) -> int:
    from recoco.datasets.mirror_folder import write_mirror

    steps = Steps()
    try:
        done = write_mirror(folder, steps)
    finally:
        steps.end()
    for problem in done.problems:
        print(f"left out: {problem}")
    print(
        f"{folder}: {done.files} files of {done.bytes / 1e6:.1f} MB ({done.copied} copied now) for "
        f"{len(done.datasets)} datasets that were fetched here"
    )
    print(f"others use it with RECOCO_MIRROR={folder}")
    return 1 if done.problems else 0


def _check(folder: str) -> int:
    from recoco.datasets.mirror_folder import check_mirror

    steps = Steps()
    try:
        checked = check_mirror(folder, steps)
    finally:
        steps.end()
    for problem in checked.problems:
        print(problem)
    unlisted = f"; {checked.unlisted} other files are not listed" if checked.unlisted else ""
    print(
        f"{folder}: {checked.files} files of {checked.bytes / 1e6:.1f} MB are as listed, "
        f"{len(checked.problems)} are not{unlisted}; it has {len(checked.datasets)} datasets"
    )
    return 1 if checked.problems else 0
