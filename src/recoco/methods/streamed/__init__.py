"""CoClus and spherical k-means on matrices that are read from disk, a few rows at a time.

An iteration reads the matrix once for all starts of a batch. The results are those of the
in-memory methods to the last bit, however many rows are read at a time: sums are added in the
same order, or are exact in any order.
"""

from recoco.methods.streamed.coclus import StreamedCoClus
from recoco.methods.streamed.spherical import StreamedSphericalKMeans

# The methods of `recoco fit --matrix`.
STREAMED = {"coclus": StreamedCoClus, "skmeans": StreamedSphericalKMeans}

__all__ = ["STREAMED", "StreamedCoClus", "StreamedSphericalKMeans"]
