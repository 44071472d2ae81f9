"""Methods that are broken in the ways that a workflow must survive; no other module is needed.

Many more are tried without a workflow: `support.hostile_methods` and `support.hostile_results`.
"""

import os
import signal
import time

import numpy as np


class _Result:
    def __init__(self, count, rows):
        self.row_labels = np.arange(count * rows).reshape(count, rows) % 3
        self.column_labels = None
        self.criterion = np.zeros(count)
        self.n_iter = np.ones(count, np.int32)
        self.details = {}


class Sound:
    """Not broken; the others are made of it."""

    views = "one"
    larger_is_better = True

    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit_runs(self, X, seeds):
        return self.spoil(_Result(len(seeds), X.shape[0]), X)

    def spoil(self, result, X):
        return result


class Raising(Sound):
    def spoil(self, result, X):
        raise IndexError("a mistake of its author")


class WrongShape(Sound):
    def spoil(self, result, X):
        result.row_labels = result.row_labels[:, :-1]
        return result


class Nothing(Sound):
    def spoil(self, result, X):
        return None


class Hanging(Sound):
    def spoil(self, result, X):
        time.sleep(600)


class Stubborn(Sound):
    """As a loop in compiled code: no signal is heard."""

    def spoil(self, result, X):
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(600)


class Eating(Sound):
    def spoil(self, result, X):
        return [np.zeros(10**8) for _ in range(10**4)]


class Crashing(Sound):
    def spoil(self, result, X):
        os.abort()


class Leaving(Sound):
    def spoil(self, result, X):
        os._exit(0)


class Exiting(Sound):
    def spoil(self, result, X):
        os._exit(70)


class Killing(Sound):
    def spoil(self, result, X):
        os.kill(os.getpid(), signal.SIGKILL)


class Orphaning(Sound):
    def spoil(self, result, X):
        os.kill(os.getppid(), signal.SIGTERM)
        time.sleep(600)


class Mumbling(Sound):
    def spoil(self, result, X):
        raise ValueError("an error that is no text: \udc80")


class Shouting(Sound):
    def spoil(self, result, X):
        while True:
            os.write(1, b"x" * 65536)


class Roaming(Sound):
    """Sound, but it leaves the folder, and a process that has left its session."""

    def spoil(self, result, X):
        if os.fork() == 0:
            os.setsid()
            time.sleep(600)
            os._exit(0)
        os.chdir("/")
        return result
