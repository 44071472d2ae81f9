"""``recoco cocluster``: co-clusters of the documents and words in a folder of text files."""

from recoco.apps.cocluster.folder import cocluster_folder

__all__ = ["cocluster_folder"]
