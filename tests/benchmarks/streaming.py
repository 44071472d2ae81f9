"""Reading memory as fast as it goes: the yardstick of the benchmark."""

from numba import njit


@njit(cache=True, nogil=True)
def read_all(array):
    """Sum of an integer array; whole numbers may be added in any order, so it is vectorised."""
    total = 0
    for i in range(array.size):
        total += array[i]
    return total
