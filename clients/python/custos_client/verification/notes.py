"""Signed notes and checkpoints (C2SP signed-note, tlog-checkpoint, tlog-cosignature) and the keys that verify
them.
"""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from ..errors import ReceiptError
from . import ed25519
from .encoding import (
    base64_bytes,
    count,
    decimal,
    exact_members,
    is_well_formed,
    malformed,
    parse_json,
    text_of,
)

ED25519 = 1
COSIGNATURE_V1 = 4
DASH = "\u2014 "
MAX_SIGNATURES = 100
MAX_NOTE_LENGTH = 65_536
MAX_KEYS = 10_000
# The latest time that a date of ECMAScript can have; datetime ends before. The format allows later ones.
MAX_TIME_SECONDS = 8_640_000_000_000
PROMISE_SUFFIX = "/promise"
# Unicode's property White_Space, and control characters; `+` separates the parts of a verifier key.
_KEY_NAME = re.compile("[^\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000+]+")
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f]")

# White space of key files; files from Windows end their lines with a carriage return, too.
_SPACE = " \t\r\n"

# Verifier keys (`<name>+<hash>+<base64>`, one or several lines), or the answer of GET /v1/log/keys.
Keys = Union[str, Sequence[Any], Mapping[str, Any]]


@dataclass(frozen=True)
class TrustedKey:
    # Thumbprint (RFC 7638).
    key_id: str
    # The log that the key belongs to.
    origin: str
    is_promise_key: bool
    raw: bytes
    # The trees that it may sign; None: of any size from first_size on.
    first_size: int = 0
    last_size: Optional[int] = None


@dataclass(frozen=True)
class Checkpoint:
    origin: str
    size: int
    root: bytes
    # When the log signed the tree, milliseconds since 1970.
    time_ms: int
    key_id: str


def read_keys(keys: Keys) -> List[TrustedKey]:
    """Raises ReceiptError (MALFORMED) for a key that can't be read."""
    if isinstance(keys, str):
        text = keys.strip(_SPACE)
        # Not splitlines(), which ends lines at other characters, too.
        lines = [line.strip(_SPACE) for line in text.split("\n")]
        is_json = text[:1] in ("[", "{")
        keys = (
            parse_json(text_of(text, "The list of keys"), "The list of keys")
            if is_json
            else [line for line in lines if line]
        )
    elif dataclasses.is_dataclass(keys) and not isinstance(keys, type):
        keys = {"items": getattr(keys, "items", None), "nextCursor": getattr(keys, "next_cursor", None)}
    if isinstance(keys, Mapping):
        page = exact_members(dict(keys), "The list of keys", ["items", "nextCursor"])
        # Without the rest, a receipt that a missing key has signed would be called forged.
        if page["nextCursor"] is not None:
            raise malformed("The list of keys has a nextCursor: more keys follow.")
        keys = page["items"]
    if not isinstance(keys, (list, tuple)) or len(keys) > MAX_KEYS:
        raise malformed("The keys are not a list as /v1/log/keys gives it.")
    return [_read_key(key, position) for position, key in enumerate(keys)]


def _read_key(key: Any, position: int) -> TrustedKey:
    if isinstance(key, str):
        return _parse_vkey(key)
    what = f"Key {position + 1} of the list"
    if dataclasses.is_dataclass(key) and not isinstance(key, type):
        values: Mapping[str, Any] = dataclasses.asdict(key)
        key = {
            "keyId": values.get("key_id"),
            "vkey": values.get("vkey"),
            "use": values.get("use"),
            "firstSize": values.get("first_size"),
            "lastSize": values.get("last_size"),
        }
    members = exact_members(key, what, ["keyId", "vkey", "use", "firstSize", "lastSize"])
    first, last = count(members["firstSize"]), members["lastSize"]
    if not isinstance(members["vkey"], str) or first is None or (last is not None and count(last) is None):
        raise malformed(f"{what} has a vkey, firstSize or lastSize of the wrong kind.")
    trusted = _parse_vkey(members["vkey"])
    if trusted.key_id != members["keyId"] or members["use"] != (
        "promise" if trusted.is_promise_key else "log"
    ):
        raise malformed(f"{what} has a keyId or use that does not fit its vkey.")
    return dataclasses.replace(trusted, first_size=first, last_size=count(last))


def _parse_vkey(text: str) -> TrustedKey:
    # base64 may contain plus signs; names and hashes may not.
    match = re.fullmatch(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", text)
    material = base64_bytes(match.group(3)) if match else None
    if match is None or material is None or len(material) != 33 or not _is_key_name(match.group(1)):
        raise malformed("A verifier key is not <name>+<hash>+<base64>.")
    name, raw = match.group(1), material[1:]
    # The log signs the note and the time with one key, so that its Ed25519 verifier key is sufficient.
    if material[0] != ED25519:
        raise malformed(f"The verifier key of {name!r} is not for Ed25519.")
    if _key_hash(name, ED25519, raw).hex() != match.group(2):
        raise malformed(f"The verifier key of {name!r} does not fit its hash: it was changed.")
    is_promise_key = name.endswith(PROMISE_SUFFIX)
    origin = name[: -len(PROMISE_SUFFIX)] if is_promise_key else name
    return TrustedKey(key_id=thumbprint(raw), origin=origin, is_promise_key=is_promise_key, raw=raw)


def thumbprint(raw: bytes) -> str:
    """The JWK thumbprint (RFC 7638, SHA-256, base64url) of an Ed25519 public key."""
    x = base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")
    jwk = json.dumps({"crv": "Ed25519", "kty": "OKP", "x": x}, separators=(",", ":"))
    return base64.urlsafe_b64encode(hashlib.sha256(jwk.encode()).digest()).rstrip(b"=").decode("ascii")


def _is_key_name(name: str) -> bool:
    return is_well_formed(name) and _KEY_NAME.fullmatch(name) is not None


def _key_hash(name: str, algorithm: int, raw: bytes) -> bytes:
    return hashlib.sha256(name.encode("utf-8") + bytes([0x0A, algorithm]) + raw).digest()[:4]


def read_checkpoint(note: str, keys: Sequence[TrustedKey]) -> Checkpoint:
    """Verifies a checkpoint: both lines (the plain one and the one with the time) of one key must be there
    and fit.
    """
    text, signatures = _parse_note(note)
    origin, size, root = _parse_head(text)
    of_log = [key for key in keys if not key.is_promise_key and key.origin == origin]
    if not of_log:
        raise ReceiptError("KEY_NOT_OF_LOG", f"None of the trusted keys belongs to the log {origin!r}.")
    verified = _verified(text, signatures, origin, of_log)
    if not verified:
        raise ReceiptError("KEY_NOT_OF_LOG", "None of the trusted keys has signed this checkpoint.")
    plain = {raw for raw, time in verified if time is None}
    timed = next(((raw, time) for raw, time in verified if time is not None and raw in plain), None)
    if timed is None or timed[1] is None:
        raise ReceiptError("CHECKPOINT_SIGNATURE", "One of the two signatures of the log key is missing.")
    key_id = thumbprint(timed[0])
    # A key that is listed twice was in use for two ranges of sizes.
    spans = [(key.first_size, key.last_size) for key in of_log if key.key_id == key_id]
    if not any(first <= size and (last is None or size <= last) for first, last in spans):
        raise ReceiptError("KEY_NOT_AT_SIZE", f"The key {key_id} may not sign a tree of {size} leaves.")
    return Checkpoint(origin=origin, size=size, root=root, time_ms=timed[1] * 1000, key_id=key_id)


Signature = Tuple[str, bytes, bytes]


def _parse_note(note: str) -> Tuple[str, List[Signature]]:
    end = note.rfind("\n\n")
    text, rest = note[: end + 1], note[end + 2 :]
    # Characters beyond U+FFFF count twice, as in UTF-16, for all verifiers.
    length = len(note) + sum(character > "\uffff" for character in note)
    if length > MAX_NOTE_LENGTH or end == -1 or not _is_text(text) or not _is_text(rest):
        raise malformed("The checkpoint is not a signed note.")
    lines = rest[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise malformed(f"The checkpoint has more than {MAX_SIGNATURES} signatures.")
    return text, [_parse_signature(line) for line in lines]


def _parse_signature(line: str) -> Signature:
    parts = line[len(DASH) :].split(" ") if line.startswith(DASH) else []
    decoded = base64_bytes(parts[1]) if len(parts) == 2 else None
    if decoded is None or len(decoded) <= 4 or not _is_key_name(parts[0]):
        raise malformed("A signature line of the checkpoint is not a dash, a name and base64.")
    return parts[0], decoded[:4], decoded[4:]


def _is_text(text: str) -> bool:
    return text.endswith("\n") and is_well_formed(text) and _CONTROL.search(text) is None


def _parse_head(text: str) -> Tuple[str, int, bytes]:
    origin, size_text, root_text, *extensions = [*text[:-1].split("\n"), "", ""][: max(3, text.count("\n"))]
    size, root = decimal(size_text), base64_bytes(root_text)
    if origin == "" or "" in extensions:
        raise malformed("The checkpoint has an empty line where it may not have one.")
    if size is None or root is None or len(root) != 32:
        raise malformed("The checkpoint has no size or no root.")
    return origin, size, root


def _verified(
    text: str, signatures: Sequence[Signature], origin: str, keys: Sequence[TrustedKey]
) -> List[Tuple[bytes, Optional[int]]]:
    """Key and time (None for a plain signature) of each line of a known key.

    A line of one that does not fit is an error.
    """
    verified: List[Tuple[bytes, Optional[int]]] = []
    raws = list(dict.fromkeys(key.raw for key in keys))
    for name, key_hash, signature in signatures:
        if name != origin:
            continue
        candidates = [(raw, kind) for raw in raws for kind in (ED25519, COSIGNATURE_V1)]
        known = [(raw, kind) for raw, kind in candidates if _key_hash(origin, kind, raw) == key_hash]
        if not known:
            continue
        # Two keys with one hash are a collision of 32 bits: either may be the signer.
        found = [(raw, _time_of(signature, kind)) for raw, kind in known if _fits(raw, kind, text, signature)]
        if not found:
            raise ReceiptError(
                "CHECKPOINT_SIGNATURE", f"A signature of {name!r} does not fit the checkpoint."
            )
        verified.append(found[0])
    return verified


def _fits(raw: bytes, kind: int, text: str, signature: bytes) -> bool:
    if kind == ED25519:
        return ed25519.verify(raw, text.encode("utf-8"), signature)
    time = _time_of(signature, kind)
    if len(signature) != 72 or time is None or time > MAX_TIME_SECONDS:
        return False
    return ed25519.verify(raw, f"cosignature/v1\ntime {time}\n{text}".encode("utf-8"), signature[8:])


def _time_of(signature: bytes, kind: int) -> Optional[int]:
    return int.from_bytes(signature[:8], "big") if kind == COSIGNATURE_V1 else None
