"""Files from the future are dated back, in their order."""

import os
import time

from recoco.engine import integrity
from recoco.engine.integrity import repair_mtimes

DAY = 86_400 * 10**9


def make(root, stamps: dict[str, int]):
    for name, stamp in stamps.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, ns=(stamp, stamp))


def stamp(root, name) -> int:
    return (root / name).stat().st_mtime_ns


def test_their_order_is_kept_and_nothing_stays_ahead(tmp_path):
    now = time.time_ns()
    ahead = {f"results/{i}": now + DAY + i // 2 * 10**9 for i in range(6)}  # two of each
    make(tmp_path, {"config/old": now - DAY, "results/old": now - 10**9, **ahead})
    assert len(repair_mtimes(tmp_path)) == 6
    times = [stamp(tmp_path, name) for name in ahead]
    assert times == sorted(times) and times[0] == times[1] < times[2] == times[3] < times[4]
    assert stamp(tmp_path, "results/old") < times[0] and times[-1] <= time.time_ns()
    assert stamp(tmp_path, "config/old") == now - DAY
    assert repair_mtimes(tmp_path) == []


def test_a_known_time_comes_back_where_the_content_is_the_same(tmp_path):
    now = time.time_ns()
    names = ["results/same", "results/other"]
    make(tmp_path, dict.fromkeys(names, now - DAY))
    integrity.record(tmp_path, names)
    (tmp_path / "results/other").write_text("changed")
    for name in names:
        os.utime(tmp_path / name, ns=(now + DAY, now + DAY))
    repair_mtimes(tmp_path)
    assert stamp(tmp_path, "results/same") == now - DAY
    assert stamp(tmp_path, "results/other") > now - DAY
    assert [entry.path for (entry,) in integrity.damaged(tmp_path)] == ["results/other"]
