"""Half-steps on a block of rows at a time, for a matrix that is read from disk.

The decisions are those of :mod:`recoco.kernels.modularity` and :mod:`recoco.kernels.spherical`;
only the order of the loops differs. Blocks of CoClus begin at multiples of the chunks of rows whose
sums are added in order there, so the sums have the same bits for any block size.
"""

import numpy as np
from numba import njit, prange

from recoco.kernels.modularity import CHUNK, _assign_chunk
from recoco.kernels.spherical import _add_row, _assign, _exact

# ---- CoClus --------------------------------------------------------------------------------


@njit(cache=True, nogil=True, parallel=True)
def _assign_chunks(block, degree, total, slots, mass, found, masses, gain, moves):
    indptr, indices, data = block
    n = found.shape[0]
    for c in prange(masses.shape[0]):
        _assign_chunk(
            c * CHUNK,
            min(n, (c + 1) * CHUNK),
            indptr,
            indices,
            data,
            degree,
            total,
            slots,
            mass,
            found,
            masses[c],
            gain[c],
            moves[c],
        )


@njit(cache=True, nogil=True)
def _add_in_order(parts, total):
    for c in range(parts.shape[0]):
        for k in range(parts.shape[1]):
            total[k] += parts[c, k]


@njit(cache=True, nogil=True, parallel=True)
def _add_columns(block, found, sums):
    """Add the rows to the sums A^Z of the columns: sums[slot of row i, j] += a_ij.

    Slots are processed one by one, because the sums of one slot fit in the cache and those of
    all do not. Each sum still adds its rows in order, so its bits do not depend on this.
    """
    indptr, indices, data = block
    m, B = found.shape
    slots = sums.shape[0]
    for b in prange(B):
        place = np.zeros(slots + 1, np.int64)
        for i in range(m):
            place[found[i, b] + 1] += 1
        for k in range(slots):
            place[k + 1] += place[k]
        order = np.empty(m, np.int64)
        for i in range(m):
            k = found[i, b]
            order[place[k]] = i
            place[k] += 1
        for i in order:
            own = sums[found[i, b]]
            for p in range(indptr[i], indptr[i + 1]):
                own[indices[p]] += data[p]


def assign_block(block, degree, total, slots, mass, found, masses, sums):
    """Assign the rows of a block for all starts, and add them to the sums of the columns.

    Parameters
    ----------
    block : (indptr, indices, data), rows that begin at a multiple of CHUNK
    degree : float64 (m,), sums of these rows
    total, slots, mass : see :func:`recoco.kernels.modularity.assign`
    found : unsigned (m, B), labels of these rows as slots: overwritten
    masses : float64 (g * B,), sums of degrees by slot: continued
    sums : float64 (g * B, d), A^Z by slot: continued
    """
    m, B = found.shape
    chunks = (m + CHUNK - 1) // CHUNK
    parts = np.zeros((chunks, mass.size))
    gain = np.zeros((chunks, B))
    moves = np.zeros((chunks, B), np.int64)
    _assign_chunks(block, degree, total, slots, mass, found, parts, gain, moves)
    _add_in_order(parts, masses)
    _add_columns(block, found, sums)


@njit(cache=True, nogil=True)
def assign_columns(sums, degree, total, mass, slots):
    """Assign every column by its sums, for all starts; ``slots`` are overwritten.

    Returns
    -------
    masses, gain, moves : as :func:`recoco.kernels.modularity.assign`, and by chunks like there
    """
    d, B = slots.shape
    g = mass.size // B
    chunks = (d + CHUNK - 1) // CHUNK
    masses = np.zeros((chunks, mass.size))
    gain = np.zeros((chunks, B))
    moves = np.zeros(B, np.int64)
    for j in range(d):
        a_j = degree[j]
        for b in range(B):
            best = total * sums[b, j] - a_j * mass[b]
            choice = b
            for k in range(1, g):
                score = total * sums[k * B + b, j] - a_j * mass[k * B + b]
                if score > best:  # strictly greater: the lowest cluster wins a tie
                    best = score
                    choice = k * B + b
            gain[j // CHUNK, b] += best
            masses[j // CHUNK, choice] += a_j
            moves[b] += choice != slots[j, b]
            slots[j, b] = choice
    all_masses = np.zeros(mass.size)
    all_gain = np.zeros(B)
    _add_in_order(masses, all_masses)
    _add_in_order(gain, all_gain)
    return all_masses, all_gain, moves


@njit(cache=True, nogil=True)
def settle_block(block, degree, total, mass, sums, labels, fresh, before, columns, other, new_mass):
    """Half-step of rows with stored sums, as ``settle`` of the in-memory kernel does it.

    Parameters
    ----------
    block, degree, total : see :func:`assign_block`
    mass : float64 (g,), of the columns' clusters
    sums : float64 (m, g), A^W of these rows: updated
    labels : int (m,), of these rows: overwritten
    fresh : bool, whether the sums have yet to be computed
    before, columns : int (d,), labels of the columns before and after their last half-step
    other : float64 (d, g), A^Z: updated for rows that move
    new_mass : float64 (g,), of the rows' clusters: continued
    """
    indptr, indices, data = block
    for i in range(labels.size):
        row = sums[i]
        if fresh:
            row[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if fresh:
                row[columns[j]] += data[p]
            elif before[j] != columns[j]:
                row[before[j]] -= data[p]
                row[columns[j]] += data[p]
        a_i = degree[i]
        best = total * row[0] - a_i * mass[0]
        choice = 0
        for k in range(1, mass.size):
            score = total * row[k] - a_i * mass[k]
            if score > best:
                best = score
                choice = k
        new_mass[choice] += a_i
        old = labels[i]
        if choice != old:
            labels[i] = choice
            for p in range(indptr[i], indptr[i + 1]):
                other[indices[p], old] -= data[p]
                other[indices[p], choice] += data[p]


@njit(cache=True, nogil=True)
def settle_columns(sums, degree, total, mass, columns, new_mass):
    """Half-step of the columns with stored sums; labels and masses are overwritten.

    Returns
    -------
    Q : float, the modularity; moves : int
    """
    gain = 0.0
    moves = 0
    new_mass[:] = 0.0
    for j in range(columns.size):
        a_j = degree[j]
        best = total * sums[j, 0] - a_j * mass[0]
        choice = 0
        for k in range(1, mass.size):
            score = total * sums[j, k] - a_j * mass[k]
            if score > best:
                best = score
                choice = k
        gain += best
        new_mass[choice] += a_j
        moves += choice != columns[j]
        columns[j] = choice
    return gain / total**2, moves


@njit(cache=True, nogil=True)
def masses_in_order(degree, labels, mass):
    for j in range(labels.size):
        mass[labels[j]] += degree[j]


@njit(cache=True, nogil=True)
def collect_columns(indices, data, first, last, place, entries):
    """Put the entries of columns first to last at their positions, which advance."""
    for p in range(indices.size):
        j = indices[p]
        if first <= j < last:
            entries[place[j]] = data[p]
            place[j] += 1


# ---- spherical k-means ---------------------------------------------------------------------


@njit(cache=True, nogil=True)
def scale_rows(indptr, data, largest, lengths, unit, single):
    """Scale rows to unit length, in place, rounded to multiples of ``unit``.

    The result is that of ``recoco.methods.spherical.unit_rows``; ``single`` receives the entries
    rounded to single precision.
    """
    for i in range(largest.size):
        for p in range(indptr[i], indptr[i + 1]):
            x = np.rint(data[p] / largest[i] / lengths[i] / unit) * unit
            data[p] = x
            single[p] = x


@njit(cache=True, nogil=True)
def place_block(block, single, state, bounds, labels, fresh, sums, counts):
    """Assign the rows of a block, and update the sums for those that move.

    Parameters
    ----------
    block : (indptr, indices, data) of unit rows; ``single``: their entries in single precision
    state, bounds : see :mod:`recoco.kernels.spherical`; the bounds of these rows only
    labels : int (m,): overwritten
    fresh : bool, whether there are no labels yet, and all rows are added
    sums : (g, d), counts : (g,), of the new clusters: continued; exact in any order

    Returns
    -------
    moves : int
    """
    found = np.empty_like(labels)
    _assign(block, single, state, bounds, labels, found)
    # Clusters one by one: the sums of one fit in the cache, those of all do not.
    for k in range(counts.size):
        own = sums[k]
        for i in range(labels.size):
            moved = labels[i] != found[i]
            if moved and not fresh and labels[i] == k:
                _add_to(block, i, -1.0, own)
                counts[k] -= 1
            if (moved or fresh) and found[i] == k:
                _add_to(block, i, 1.0, own)
                counts[k] += 1
    moves = 0
    for i in range(labels.size):
        moves += labels[i] != found[i]
        labels[i] = found[i]
    return moves


@njit(cache=True, nogil=True)
def _add_to(block, i, sign, own):
    indptr, indices, data = block
    for p in range(indptr[i], indptr[i + 1]):
        own[indices[p]] += sign * data[p]


@njit(cache=True, nogil=True)
def add_rows(block, labels, sums, counts):
    """Add all rows of a block to the sums of their clusters."""
    for i in range(labels.size):
        _add_row(block, i, labels[i], 1.0, sums)
        counts[labels[i]] += 1


@njit(cache=True, nogil=True)
def own_similarities(block, labels, sums, inverse, own):
    """Compute the cosines of the rows of a block with the centroids of their clusters."""
    indptr, indices, data = block
    for i in range(labels.size):
        own[i] = _exact(indptr[i], indptr[i + 1], indices, data, sums, inverse, labels[i])


@njit(cache=True, nogil=True)
def similarities_to(block, row, out):
    """Compute the products of the rows of a block with one dense row."""
    indptr, indices, data = block
    for i in range(out.size):
        s = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            s += row[indices[p]] * data[p]
        out[i] = s


@njit(cache=True, nogil=True)
def least_similar(own, labels, counts, equal):
    """Return the first row least similar to its centroid, in a cluster with other rows."""
    worst = -1
    for i in range(labels.size):
        if counts[labels[i]] > 1 and (worst < 0 or own[i] < own[worst] - equal):
            worst = i
    return worst
