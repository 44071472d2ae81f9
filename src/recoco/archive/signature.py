"""Sign an archive with an SSH key, and find out who has signed one.

What is signed is the manifest, which has the checksum of every other file. The signature is a file
next to the archive, ``ARCHIVE.sig``, in the format of ``ssh-keygen -Y sign``, so it can be checked
without recoco, too:

    unzip -p ARCHIVE manifest-sha256.txt |
      ssh-keygen -Y verify -f SIGNERS -I NAME -n recoco-archive -s ARCHIVE.sig
"""

import base64
import binascii
import getpass
import hashlib
import re
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

from recoco.archive.opening import Opened, open_archive
from recoco.archive.pack import MANIFEST
from recoco.core.errors import RecocoError
from recoco.core.files import write_text

NAMESPACE = b"recoco-archive"
_MAGIC = b"SSHSIG"
_KIND = b"ssh-ed25519"
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}
_ARMOUR = re.compile(
    r"-----BEGIN SSH SIGNATURE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END SSH SIGNATURE-----\s*"
)
_LARGEST = 1 << 16


class BadSignature(RecocoError):
    """The signature is not what it should be."""


@dataclass(frozen=True)
class Signature:
    """A signature as it is stored: who, for what use, with which hash."""

    key: bytes
    hash_name: bytes
    value: bytes


def signature_path(archive: Path) -> Path:
    return archive.with_name(f"{archive.name}.sig")


# ---- signing -------------------------------------------------------------------------------


def sign(archive: Path, key_file: Path) -> Path:
    """Write the signature of an archive next to it; return its path."""
    key = _private_key(key_file)
    public = _text(_KIND) + _text(key.public_key().public_bytes_raw())
    with open_archive(archive) as opened:
        message = _signed_text(b"sha512", opened.read(MANIFEST))
    blob = b"".join(
        [
            _MAGIC + struct.pack(">I", 1),
            *map(_text, (public, NAMESPACE, b"", b"sha512")),
            _text(_text(_KIND) + _text(key.sign(message))),
        ]
    )
    encoded = base64.b64encode(blob).decode()
    lines = [encoded[at : at + 70] for at in range(0, len(encoded), 70)]
    path = signature_path(archive)
    ends = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")
    write_text(path, "\n".join([ends[0], *lines, ends[1], ""]))
    return path


def _private_key(path: Path):
    _need_cryptography()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_ssh_private_key

    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecocoError(f"Cannot read the key {path}: {error.strerror}.") from None
    try:
        try:
            key = load_ssh_private_key(content, None)
        except (TypeError, ValueError) as error:
            if "password" not in str(error).lower() or not sys.stdin.isatty():
                raise
            key = load_ssh_private_key(content, getpass.getpass(f"Passphrase of {path}: ").encode())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise RecocoError(
            f"{path} is not an SSH key that can be used here: make one with "
            "`ssh-keygen -t ed25519` and give its passphrase on a terminal."
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise RecocoError(f"{path} is not an Ed25519 key: make one with `ssh-keygen -t ed25519`.")
    return key


def _need_cryptography() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise RecocoError(
            "Signatures need the package cryptography: install recoco with the extra `sign`."
        ) from None


# ---- checking ------------------------------------------------------------------------------


def check_signature(opened: Opened, signers: Path | None) -> str:
    """Return a line about the signature of an archive.

    Parameters
    ----------
    signers : public keys of those who may have signed it, one per line, as in ``~/.ssh/*.pub``
        or in the format of ``ssh-keygen``'s allowed signers; None if anybody may

    Raises
    ------
    BadSignature
        If there is a signature that does not fit, or none of one of the signers.
    """
    path = signature_path(opened.path)
    if not path.is_file():
        if signers:
            raise BadSignature(f"There is no signature {path.name} next to the archive: get it.")
        return "signature: none"
    _need_cryptography()
    signature = _read(path)
    _verify(signature, opened.read(MANIFEST), path)
    fingerprint = base64.b64encode(hashlib.sha256(signature.key).digest()).decode().rstrip("=")
    if signers is None:
        return f"signature: by the key SHA256:{fingerprint}; --signer says whose keys you trust"
    names = _signers(signers)
    if signature.key not in names:
        raise BadSignature(
            f"{path.name} is by the key SHA256:{fingerprint}, which is not in {signers}: "
            "the archive is not signed by anybody there."
        )
    return f"signature: by {names[signature.key]}, SHA256:{fingerprint}"


def _read(path: Path) -> Signature:
    if path.stat().st_size > _LARGEST:
        raise BadSignature(f"{path.name} is too large for a signature: get it again.")
    match = _ARMOUR.fullmatch(path.read_text(encoding="utf-8", errors="replace"))
    try:
        if match is None:
            raise ValueError
        rest = base64.b64decode("".join(match[1].split()), validate=True)
        if rest[:10] != _MAGIC + struct.pack(">I", 1):
            raise ValueError
        fields, rest = [], rest[10:]
        while rest:
            field, rest = _take(rest)
            fields.append(field)
        key, namespace, _, hash_name, value = fields
        kind, value = _take(value)
        raw, none = _take(value)
    except (ValueError, binascii.Error, struct.error):
        raise BadSignature(f"{path.name} is not an SSH signature: get it again.") from None
    if namespace != NAMESPACE or hash_name not in _HASHES or kind != _KIND or none:
        raise BadSignature(
            f"{path.name} is not an Ed25519 signature of an archive of recoco: sign it with "
            "`recoco archive --sign`."
        )
    return Signature(key, hash_name, raw)


def _verify(signature: Signature, manifest: bytes, path: Path) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        kind, rest = _take(signature.key)
        public, none = _take(rest)
        if kind != _KIND or none:
            raise ValueError
        message = _signed_text(signature.hash_name, manifest)
        Ed25519PublicKey.from_public_bytes(public).verify(signature.value, message)
    except (InvalidSignature, ValueError, struct.error):
        raise BadSignature(
            f"{path.name} is not a signature of this archive: one of them was changed."
        ) from None


def _signers(path: Path) -> dict[bytes, str]:
    """Return who has each public key in a file."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise RecocoError(f"{path} is not a readable file of public keys.") from None
    names = {}
    for line in lines:
        words = line.split()
        if _KIND.decode() not in words or line.startswith("#"):
            continue
        at = words.index(_KIND.decode())
        with_name = " ".join(words[:1] if at else words[2:]) or "an unnamed key"
        try:
            names[base64.b64decode(words[at + 1], validate=True)] = with_name
        except (IndexError, binascii.Error):
            raise RecocoError(
                f"{path} has a line that is not a public key: {line[:60]!r}."
            ) from None
    if not names:
        raise RecocoError(f"{path} has no Ed25519 public key: name a file such as id_ed25519.pub.")
    return names


# ---- the wire format of SSH ------------------------------------------------------------------


def _signed_text(hash_name: bytes, content: bytes) -> bytes:
    digest = _HASHES[hash_name](content).digest()
    return _MAGIC + b"".join(map(_text, (NAMESPACE, b"", hash_name, digest)))


def _text(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _take(content: bytes) -> tuple[bytes, bytes]:
    """Split off the first string of some bytes."""
    (size,) = struct.unpack(">I", content[:4])
    if size > len(content) - 4:
        raise ValueError
    return content[4 : 4 + size], content[4 + size :]
