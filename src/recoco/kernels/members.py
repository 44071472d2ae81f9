"""Lists of the members of clusters that appear, vanish and change one element at a time.

All lists share one pool with four places per element: list c is ``pool[where[c] : where[c] +
size[c]]`` with capacity ``room[c]``, and element i is at position ``at[i]`` of its list.
"""

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def first_lists(n, pool, where, room, size, at):
    """Initialise the lists of n clusters with one element each."""
    for i in range(n):
        pool[i] = i
        where[i] = i
        room[i] = 1
        size[i] = 1
        at[i] = 0


@njit(cache=True, nogil=True)
def _grow(cluster, clusters, pool, where, room, size, end):
    """Move a full list to the end of the pool with twice the capacity; compact if necessary."""
    n = where.size
    wanted = min(2 * room[cluster] + 2, n)
    if end + wanted > pool.size:
        packed = np.empty_like(pool)
        end = 0
        for c in range(clusters):
            packed[end : end + size[c]] = pool[where[c] : where[c] + size[c]]
            where[c] = end
            room[c] = min(2 * size[c], n)
            end += room[c]
        pool[:] = packed
        if size[cluster] < room[cluster]:
            return end
    pool[end : end + size[cluster]] = pool[where[cluster] : where[cluster] + size[cluster]]
    where[cluster] = end
    room[cluster] = wanted
    return end + wanted


@njit(cache=True, nogil=True)
def move_member(element, b, e, clusters, pool, where, room, size, at, end):
    """Move an element from list b, where the last member takes its place, to the end of list e."""
    size[b] -= 1
    last = pool[where[b] + size[b]]
    pool[where[b] + at[element]] = last
    at[last] = at[element]
    if e == clusters:
        if end + 2 > pool.size:
            room[e] = 0
            size[e] = 0
            where[e] = end
            end = _grow(e, clusters + 1, pool, where, room, size, end)
        else:
            where[e] = end
            room[e] = 2
            size[e] = 0
            end += 2
    elif size[e] == room[e]:
        end = _grow(e, clusters, pool, where, room, size, end)
    pool[where[e] + size[e]] = element
    at[element] = size[e]
    size[e] += 1
    return end


@njit(cache=True, nogil=True)
def rename(last, b, offset, labels, pool, where, room, size):
    """Give list ``last`` the number b of a list that became empty."""
    for p in range(where[last], where[last] + size[last]):
        labels[pool[p]] = offset + b
    where[b] = where[last]
    room[b] = room[last]
    size[b] = size[last]
