"""Counts of words, and of pairs of words that share a window of running text.

Words are located in bytes and identified by a 64-bit hash of their spelling, so running text never
becomes a list of strings. The probability that any two of a few million spellings share a hash is
below 1e-5.
"""

import numpy as np
from numba import njit

_EMPTY = -1


_SPACE = 32
_END = 10  # ends a document


@njit(cache=True, nogil=True)
def find_words(text, hashes, begins, ends):
    """Find the words of documents.

    Parameters
    ----------
    text : uint8 array; a space or the end of a document (10) follows every word
    hashes, begins, ends : uint64, int64, int64 arrays, overwritten by the FNV-1a hashes of the
        words and their positions in ``text``

    Returns
    -------
    n : number of words
    """
    n = 0
    inside = False
    hashed = np.uint64(0)
    for at in range(text.size):
        letter = text[at]
        if letter in (_SPACE, _END):
            if inside:
                hashes[n] = max(hashed, np.uint64(1))  # 0 marks a free entry of the table
                ends[n] = at
                n += 1
                inside = False
        else:
            if not inside:
                begins[n] = at
                inside = True
                hashed = np.uint64(0xCBF29CE484222325)
            hashed = (hashed ^ np.uint64(letter)) * np.uint64(0x100000001B3)
    return n


@njit(cache=True, nogil=True)
def find_places(hashes, table, slots, fresh):
    """Look up each word in the table of known spellings; insert those that are missing.

    Parameters
    ----------
    hashes : uint64 array
    table : uint64 array, the hash in each entry of the table, 0 if free; its size is a power of
        two and large enough for all words
    slots : int64 array, set to the entry of each word in the table
    fresh : int64 array, set to the numbers of the inserted words

    Returns
    -------
    n : number of inserted words
    """
    mask = table.size - 1
    n = 0
    for word in range(hashes.size):
        hashed = hashes[word]
        place = np.int64(hashed >> np.uint64(20)) & mask
        while table[place] != hashed and table[place] != 0:
            place = (place + 1) & mask
        if table[place] == 0:
            table[place] = hashed
            fresh[n] = word
            n += 1
        slots[word] = place
    return n


@njit(cache=True, nogil=True)
def empty_table(size):
    """Return the keys and counts of a hash table; ``size`` is a power of two."""
    return np.full(size, _EMPTY, np.int64), np.zeros(size, np.int64)


@njit(cache=True, nogil=True)
def _slot(keys, key):
    """Return the entry of a key in the table, or the free entry where it belongs."""
    mask = keys.size - 1
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio: spreads well
    place = np.int64(mixed >> np.uint64(32)) & mask
    while keys[place] != _EMPTY and keys[place] != key:
        place = (place + 1) & mask
    return place


@njit(cache=True, nogil=True)
def _grown(keys, counts):
    """Return a table of twice the size with the same contents."""
    more_keys, more_counts = empty_table(2 * keys.size)
    for old in range(keys.size):
        if keys[old] != _EMPTY:
            new = _slot(more_keys, keys[old])
            more_keys[new] = keys[old]
            more_counts[new] = counts[old]
    return more_keys, more_counts


@njit(cache=True, nogil=True)
def count_windows(ids, ends, window, single, keys, counts, used):
    """Add the windows of some documents to the counts so far.

    Parameters
    ----------
    ids : int32 array (N, forms), the words of the documents one after the other: which terms of
        the vocabulary each counts for, then -1
    ends : int64 array, where each document ends in ``ids``
    window : length of a window; a shorter document is one window
    single : int64 array (V,), windows with each term; changed in place
    keys, counts : hash table of the pairs; the key of the terms i < j is i * V + j. Two terms
        are a pair in a window only through two words of it
    used : number of pairs in the table

    Returns
    -------
    keys, counts, used : the table, which may have grown
    windows : number of windows in these documents
    """
    V = single.size
    forms = ids.shape[1]
    present = np.empty(forms * window, np.int64)  # terms in the window
    only = np.empty(forms * window, np.int64)  # the only word that gives a term, or -1
    windows = 0
    begin = 0
    for end in ends:
        last = max(begin, end - window)  # where the last window starts
        if end > begin:
            windows += last - begin + 1
            for start in range(begin, last + 1):
                n = 0
                for place in range(start, min(start + window, end)):
                    for column in range(forms):
                        term = ids[place, column]
                        if term < 0:
                            break
                        for k in range(n):
                            if present[k] == term:
                                only[k] = -1
                                break
                        else:
                            present[n] = term
                            only[n] = place
                            n += 1
                for a in range(n):
                    one = present[a]
                    single[one] += 1
                    for b in range(a):
                        if only[a] == only[b] and only[a] >= 0:
                            continue
                        two = present[b]
                        key = min(one, two) * V + max(one, two)
                        place = _slot(keys, key)
                        if keys[place] == _EMPTY:
                            if 2 * (used + 1) > keys.size:
                                keys, counts = _grown(keys, counts)
                                place = _slot(keys, key)
                            keys[place] = key
                            used += 1
                        counts[place] += 1
        begin = end
    return keys, counts, used, windows
