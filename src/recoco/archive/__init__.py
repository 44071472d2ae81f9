"""The archive: one file with all that stands behind a report, to be published and checked."""
