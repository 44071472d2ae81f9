"""The version of the layout of an archive, so that one of another version is not misread."""

from typing import TYPE_CHECKING

from recoco.core.errors import RecocoError

if TYPE_CHECKING:
    from recoco.archive.opening import Opened

# Member of the archive that states the version; the first layout has none.
FORMAT = "recoco-archive.json"
# 1: without a version. 2: states its version, and may be signed.
VERSION = 2


def format_of(opened: "Opened") -> int:
    """Return the version of an archive."""
    if FORMAT not in opened.members:
        return 1
    content = opened.json(FORMAT)
    version = content.get("format") if isinstance(content, dict) else None
    if type(version) is not int or version < 1:
        raise RecocoError(
            f"{FORMAT} in {opened.path.name} states no version: it is not an archive of recoco."
        )
    return version


def check_format(opened: "Opened") -> None:
    """Reject an archive of a later version; those of earlier ones are read as well."""
    version = format_of(opened)
    if version > VERSION:
        raise RecocoError(
            f"{opened.path.name} has format {version}, and this recoco reads up to {VERSION}: "
            f"verify it with a release of recoco that writes format {version}."
        )
    print(f"format: {version} (this recoco writes {VERSION})")
