"""Any folder of text files to co-clusters of documents and words, and a small report."""

from recoco.cocluster.folder import cocluster_folder

__all__ = ["cocluster_folder"]
