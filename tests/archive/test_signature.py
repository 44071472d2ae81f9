"""Who made an archive: signatures that ssh-keygen reads, too."""

import shutil
import subprocess

import pytest

from recoco.archive.opening import open_archive
from recoco.archive.pack import MANIFEST
from recoco.archive.signature import BadSignature, check_signature, sign, signature_path
from recoco.core.errors import RecocoError
from support.archive_fixture import members_of, rewrite, small_archive

pytest.importorskip("cryptography")


@pytest.fixture
def archive(tmp_path):
    return small_archive(tmp_path / "a.zip")


@pytest.fixture
def key(tmp_path):
    return new_key(tmp_path / "me")


def new_key(path, kind="ed25519"):
    """Write a key and its public half, as ssh-keygen does."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    made = {"ed25519": ed25519.Ed25519PrivateKey.generate}.get(
        kind, lambda: ec.generate_private_key(ec.SECP256R1())
    )()
    plain = serialization.NoEncryption()
    openssh = serialization.PrivateFormat.OpenSSH
    path.write_bytes(made.private_bytes(serialization.Encoding.PEM, openssh, plain))
    path.chmod(0o600)
    public = made.public_key().public_bytes(
        serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
    )
    path.with_suffix(".pub").write_bytes(public + f" {path.name}@lab\n".encode())
    return path


def said(archive, signers=None) -> str:
    with open_archive(archive) as opened:
        return check_signature(opened, signers)


def test_the_signer_is_named(archive, key, tmp_path):
    assert said(archive) == "signature: none"
    before = archive.read_bytes()
    assert sign(archive, key) == signature_path(archive)
    first = signature_path(archive).read_bytes()
    sign(archive, key)
    assert signature_path(archive).read_bytes() == first and archive.read_bytes() == before
    assert said(archive).startswith("signature: by the key SHA256:")
    assert said(archive, key.with_suffix(".pub")).startswith("signature: by me@lab, SHA256:")
    allowed = tmp_path / "allowed"
    kind, public, _ = key.with_suffix(".pub").read_text().split()
    allowed.write_text(f'# a comment\nme@lab namespaces="recoco-archive" {kind} {public}\n')
    assert said(archive, allowed).startswith("signature: by me@lab, ")


@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not installed")
def test_ssh_keygen_agrees_both_ways(archive, key, tmp_path):
    sign(archive, key)
    manifest = tmp_path / MANIFEST
    manifest.write_bytes(members_of(archive)[MANIFEST])
    allowed = tmp_path / "allowed"
    allowed.write_text(f"me@lab {key.with_suffix('.pub').read_text()}")
    name = ("-n", "recoco-archive")
    check = ["ssh-keygen", "-Y", "verify", "-f", allowed, "-I", "me@lab", *name]
    command = [*check, "-s", signature_path(archive)]
    done = subprocess.run(command, input=manifest.read_bytes(), capture_output=True)
    assert done.returncode == 0, done.stderr
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, *name, manifest], check=True)
    shutil.move(f"{manifest}.sig", signature_path(archive))
    assert said(archive, key.with_suffix(".pub")).startswith("signature: by me@lab, ")


def test_a_signature_that_does_not_fit(archive, key, tmp_path):
    other = new_key(tmp_path / "other")
    with pytest.raises(BadSignature, match="There is no signature"):
        said(archive, key.with_suffix(".pub"))
    sign(archive, key)
    with pytest.raises(BadSignature, match="which is not in"):
        said(archive, other.with_suffix(".pub"))
    good = signature_path(archive).read_text()
    forged = rewrite(archive, tmp_path / "b.zip", {"receipt.txt": b"another\n"}, mend=True)
    signature_path(forged).write_text(good)
    with pytest.raises(BadSignature, match="not a signature of this archive"):
        said(forged)
    lines = good.splitlines()
    for broken in (
        "",
        "text",
        good * 2,
        good.replace(lines[2], lines[2][::-1]),
        "\n".join([lines[0], lines[1], lines[-1]]),
        "\n".join([lines[0], "AAAA", lines[-1]]),
        "x" * 100_000,
    ):
        signature_path(archive).write_text(broken)
        with pytest.raises(BadSignature):
            said(archive)


def test_keys_that_cannot_be_used(archive, key, tmp_path):
    text = tmp_path / "text"
    text.write_text("no key\n")
    with pytest.raises(RecocoError, match="not an SSH key"):
        sign(archive, text)
    with pytest.raises(RecocoError, match="Cannot read the key"):
        sign(archive, tmp_path / "none")
    with pytest.raises(RecocoError, match="not an Ed25519 key"):
        sign(archive, new_key(tmp_path / "curve", "ec"))
    sign(archive, key)
    for signers, reason in ((text, "no Ed25519"), (tmp_path / "none", "not a readable")):
        with pytest.raises(RecocoError, match=reason):
            said(archive, signers)
