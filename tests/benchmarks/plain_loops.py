"""The innermost loops of the factorisations as plain numba: what the vector code is compared with.

Each function computes the numbers of its namesake in :mod:`recoco.kernels.factors_vectors`, with
the additions in the same order.
"""

from numba import njit

TILE = 4
PANEL = 16


@njit(nogil=True)
def add_row(values, local, first, last, F, base, out, i):
    row = out[i]
    for p in range(first, last):
        value, other = values[p], F[base + local[p]]
        for c in range(row.size):
            row[c] += value * other[c]


@njit(nogil=True)
def add_tile(x, a, y, b, sums):
    for i in range(a, a + 4):
        for j in range(b, b + 4):
            xs, ys, total = x[i], y[j], sums[i, j]
            for q in range(0, xs.size, 8):
                for e in range(8):
                    total[e] += xs[q + e] * ys[q + e]


@njit(nogil=True)
def add_four_rows(x, a, y, b, rows, sums):
    xs, ys = x[a // 16], y[b // 16]
    c = a % 16
    for r in range(0, rows, 4):
        for i in range(4):
            total = sums[a + i]
            p, q, u, v = xs[r, c + i], xs[r + 1, c + i], xs[r + 2, c + i], xs[r + 3, c + i]
            for j in range(16):
                total[b + j] += (p * ys[r, j] + q * ys[r + 1, j]) + (
                    u * ys[r + 2, j] + v * ys[r + 3, j]
                )


@njit(nogil=True)
def combine_tile(side, small, b, result):
    for j in range(b, b + 4):
        total = result[j]
        total[:] = 0.0
        for a in range(small.shape[0]):
            factor, value = small[a, j], side[a]
            for q in range(total.size):
                total[q] += factor * value[q]


@njit(nogil=True)
def turn_tile(F, i, t, c, side, r):
    for b in range(4):
        for a in range(4):
            side[c + b, r + a] = F[i + a, t, c + b]


@njit(nogil=True)
def return_tile(side, r, F, i, t, c):
    for a in range(4):
        for b in range(4):
            F[i + a, t, c + b] = side[c + b, r + a]
