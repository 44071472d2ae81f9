"""Labels of lines by their base clusters, computed for equal lines and several bases at once.

A line is a row or a column of the consensus matrix. Its score for cluster k is the sum of
``table[h, k]`` over its base clusters h. Lines in the same base clusters have the same scores: they
form a group, whose scores are summed once. Bases are tied into bundles: the clusters of a bundle
are the combinations of base clusters that occur, so a group needs a few additions instead of one
per base.

Scores are rounded to multiples of a fixed step. Their sums are exact in any order, and differ from
the true scores by at most half a step per bundle. A label is derived from them only if such an
error cannot change it; otherwise, which is rare, :func:`choose` decides by the exact scores.
"""

import numpy as np
from numba import njit

from recoco.kernels.dcc import draw, uniform

LANES = 8  # clusters are processed in vectors of this length
STEPS = float(2**30)  # upper bound of the sums of rounded scores


@njit(cache=True, nogil=True)
def choose(clusters, i, table, shift, stochastic, share, scores):
    """Return the label of line i: the largest score, or one drawn in proportion to the scores.

    ``scores`` (g,) is overwritten by the sums of the line's rows of ``table``, minus ``shift``.
    """
    g = scores.size
    for k in range(g):
        scores[k] = -shift[k]
    for q in range(clusters.shape[1]):
        row = table[clusters[i, q]]
        for k in range(g):
            scores[k] += row[k]
    if stochastic:
        return draw(scores, share)  # eq. stochastic columns
    choice = 0
    for k in range(1, g):
        # eq. 9 and 10
        if scores[k] > scores[choice]:  # strictly greater: the lowest cluster wins a tie
            choice = k
    return choice


@njit(cache=True, nogil=True)
def tie(clusters, most):
    """Find equal lines, and tie bases, in their order, into bundles.

    Parameters
    ----------
    clusters : int (n, s), numbers of the base clusters each line is in
    most : int, maximum number of clusters of a bundle; a single base may have more

    Returns
    -------
    order : int32 (n,), lines group by group; ends : int64 (G + 1,), where groups begin and end
    codes : int32 (G, t), numbers of the bundles' clusters each group is in
    members : int32 (C, width), the base clusters each is made of, then -1
    """
    n, s = clusters.shape
    group = np.zeros(n, np.int64)
    groups = 1
    for q in range(s):
        group, groups = _combine(clusters[:, q], group, groups)
    ends = np.zeros(groups + 1, np.int64)
    for i in range(n):
        ends[group[i] + 1] += 1
    ends = np.cumsum(ends)
    order = np.empty(n, np.int32)
    free = ends[:-1].copy()
    for i in range(n):
        order[free[group[i]]] = i
        free[group[i]] += 1
    distinct = clusters[order[ends[:-1]]]

    found = np.empty((groups, s), np.int32)
    bases = np.zeros(s + 1, np.int64)  # bundle b has the bases bases[b] to bases[b + 1] - 1
    code = np.zeros(groups, np.int64)
    size, total, t = 1, 0, 0
    for q in range(s):
        longer, count = _combine(distinct[:, q], code, size)
        if q > bases[t] and count > most:
            found[:, t] = total + code
            total += size
            t += 1
            bases[t] = q
            longer, count = _combine(distinct[:, q], np.zeros(groups, np.int64), 1)
        code, size = longer, count
    found[:, t] = total + code
    total += size
    t += 1
    bases[t] = s
    codes = found[:, :t].copy()
    members = np.full((total, np.diff(bases[: t + 1]).max()), -1, np.int32)
    for i in range(groups):
        for b in range(t):
            for q in range(bases[b], bases[b + 1]):
                members[codes[i, b], q - bases[b]] = distinct[i, q]
    return order, ends, codes, members


@njit(cache=True, nogil=True)
def _combine(clusters, code, size):
    """Number the pairs of ``code`` (below ``size``) and ``clusters`` that occur.

    Returns
    -------
    int64 (n,), the number of each line's pair; int, how many there are
    """
    lowest = clusters.min()
    room = np.int64(clusters.max() - lowest + 1)
    number = np.full(size * room, -1, np.int32)
    pair = code * room + (clusters - lowest)
    for i in range(pair.size):
        number[pair[i]] = 0
    count = 0
    for c in range(number.size):
        if number[c] == 0:
            number[c] = count
            count += 1
    for i in range(pair.size):
        pair[i] = number[pair[i]]
    return pair, count


@njit(cache=True, nogil=True)
def new_cells(members, g):
    """Allocate the rounded scores of the bundles' clusters, followed by their counts.

    Returns
    -------
    int32 (C, 2 w), where w is g rounded up to a multiple of ``LANES``
    """
    width = (g + LANES - 1) // LANES * LANES
    return np.zeros((members.shape[0], 2 * width), np.int32)


@njit(cache=True, nogil=True)
def _fill_cells(table, members, bundles, running, cells):
    """Sum the table over the members of each cluster, as rounded scores.

    With ``running`` the scores are cumulative over k, as drawing requires.
    """
    g = table.shape[1]
    width = cells.shape[1] // 2
    sums = np.zeros((members.shape[0], width))
    largest = 0.0
    for c in range(members.shape[0]):
        for q in range(members.shape[1]):
            h = members[c, q]
            if h < 0:
                break
            for k in range(g):
                sums[c, k] += table[h, k]
        total = 0.0
        for k in range(width):
            total += sums[c, k]
            if running:
                sums[c, k] = total
        largest = max(largest, total)
    scale = STEPS / (bundles * largest) if largest > 0.0 else 0.0
    for c in range(members.shape[0]):
        for k in range(width):
            cells[c, k] = np.int32(sums[c, k] * scale + 0.5)


@njit(cache=True, nogil=True)
def _drawn(lanes, share, slack):
    """Return the first k whose cumulative sum exceeds a share of the last, or -1 if unsure."""
    limit = int(share * lanes[lanes.size - 1])
    low = np.int32(limit - slack)
    high = np.int32(limit + slack)
    below = 0
    about = 0
    for first in range(0, lanes.size, LANES):
        for k in range(LANES):
            below += lanes[first + k] <= low
            about += lanes[first + k] <= high
    return below if below == about else -1


@njit(cache=True, nogil=True)
def _largest(lanes, g, slack):
    """Return the k of the largest score, or -1 if another one is too close."""
    choice = 0
    first = lanes[0]
    second = -1
    for k in range(1, g):
        score = lanes[k]
        if score > first:
            second = first
            first = score
            choice = k
        elif score > second:
            second = score
    return choice if first - second > 2 * slack else -1


@njit(cache=True, nogil=True)
def _add_up(codes, group, two_cells, two_lanes):
    """Compute the scores of a group, the sums of its rows of cells.

    Two are added at once, as the halves of a 64-bit integer; none overflows into the other.
    """
    for first in range(0, two_lanes.size, LANES // 2):
        s0 = s1 = s2 = s3 = 0
        for b in range(codes.shape[1]):
            c = codes[group, b]
            s0 += two_cells[c, first]
            s1 += two_cells[c, first + 1]
            s2 += two_cells[c, first + 2]
            s3 += two_cells[c, first + 3]
        two_lanes[first] = s0
        two_lanes[first + 1] = s1
        two_lanes[first + 2] = s2
        two_lanes[first + 3] = s3


@njit(cache=True, nogil=True)
def assign(clusters, bundles, table, stochastic, seed, place, labels, sizes, cells):
    """Give every line a new label by the sums of its rows of ``table``.

    Parameters
    ----------
    clusters : int (n, s); bundles : what :func:`tie` makes of it
    table : float64 (K, g), not negative
    stochastic : bool, draw a label in proportion to the scores instead of the largest one
    seed, place : uint64, the stream of random numbers and the position of the first line in it
    labels : int (n,), sizes : int64 (g,): overwritten
    cells : see :func:`new_cells`; its second half receives the number of lines by cluster of a
        bundle and label

    Returns
    -------
    moves : int, number of lines that changed cluster
    """
    order, ends, codes, members = bundles
    width = cells.shape[1] // 2
    slack = codes.shape[1] + 2
    _fill_cells(table, members, codes.shape[1], stochastic, cells)
    cells[:, width:] = 0
    sizes[:] = 0
    shift = np.zeros(sizes.size)
    scores = np.empty(sizes.size)
    lanes = np.empty(width, np.int32)
    two_lanes, two_cells = lanes.view(np.int64), cells.view(np.int64)
    moves = 0
    for group in range(codes.shape[0]):
        _add_up(codes, group, two_cells, two_lanes)
        common = -1
        if not stochastic:
            common = _largest(lanes, sizes.size, slack)
            if common < 0:
                common = choose(clusters, order[ends[group]], table, shift, False, 0.0, scores)
            for b in range(codes.shape[1]):
                cells[codes[group, b], width + common] += ends[group + 1] - ends[group]
        for p in range(ends[group], ends[group + 1]):
            i = order[p]
            choice = common
            if stochastic:
                share = uniform(seed, place + np.uint64(i))
                choice = _drawn(lanes, share, slack)
                if choice < 0:
                    choice = choose(clusters, i, table, shift, True, share, scores)
                for b in range(codes.shape[1]):
                    cells[codes[group, b], width + choice] += 1
            moves += choice != labels[i]
            labels[i] = choice
            sizes[choice] += 1
    return moves


@njit(cache=True, nogil=True)
def move(clusters, i, new, labels, sizes, counts):
    old = labels[i]
    labels[i] = new
    sizes[old] -= 1
    sizes[new] += 1
    for q in range(clusters.shape[1]):
        counts[clusters[i, q], old] -= 1
        counts[clusters[i, q], new] += 1


@njit(cache=True, nogil=True)
def fill_empty(clusters, best, labels, sizes, counts):
    """Move the line with the lowest score, from a cluster with others, to every empty cluster.

    ``best`` (n,) contains the scores of the labels; ``labels``, ``sizes`` and ``counts`` (K, g)
    are updated.

    Returns
    -------
    emptied : int, number of empty clusters
    """
    emptied = 0
    for k in range(sizes.size):
        if sizes[k] > 0:
            continue
        emptied += 1
        chosen = -1
        least = np.inf
        for i in range(labels.size):
            if best[i] < least and sizes[labels[i]] > 1:
                least = best[i]
                chosen = i
        if chosen >= 0:  # being alone in its cluster, it is not moved again
            move(clusters, chosen, k, labels, sizes, counts)
    return emptied


@njit(cache=True, nogil=True)
def refill(clusters, table, labels, sizes, counts):
    """Like :func:`fill_empty`, with scores that are computed only if a cluster is empty."""
    if sizes.min() > 0:
        return 0
    best = np.zeros(labels.size)
    for i in range(labels.size):
        for q in range(clusters.shape[1]):
            best[i] += table[clusters[i, q], labels[i]]
    return fill_empty(clusters, best, labels, sizes, counts)


@njit(cache=True, nogil=True)
def count_members(members, cells, counts):
    """Count lines by base cluster and label, from the counts of the bundles' clusters."""
    width = cells.shape[1] // 2
    counts[:] = 0
    for c in range(members.shape[0]):
        for q in range(members.shape[1]):
            h = members[c, q]
            if h < 0:
                break
            for k in range(counts.shape[1]):
                counts[h, k] += cells[c, width + k]
