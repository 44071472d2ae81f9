"""Numba kernels: arrays in, arrays out; no files, no global state, no hidden random numbers."""
