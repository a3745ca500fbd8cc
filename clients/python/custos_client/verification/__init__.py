"""Verifies receipts, chains and promises of Custos without a connection, against keys that the caller trusts.

This package imports nothing of the HTTP part, and shares no code with the service.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from .. import canonical
from ..errors import ReceiptError
from . import ed25519
from .encoding import (
    base64_bytes,
    count,
    decimal,
    exact_members,
    hash_bytes,
    is_time,
    is_well_formed,
    malformed,
    parse_json,
    text_of,
    utf16_length,
)
from .merkle import Inclusion, diagnose, leaf_hash, root_of_path
from .notes import Keys, TrustedKey, read_checkpoint, read_keys
from .records import NO_PREVIOUS, Record, read_record

# A text (JSON, or a tlog-proof), or the parsed JSON.
Evidence = Union[str, bytes, Mapping[str, Any]]

_RECEIPT_MEMBERS = ["format", "status", "proofId", "record", "index", "path", "checkpoint"]
_PROMISE_MEMBERS = ["log", "proofId", "recordDigest", "issuedAt", "deadline", "keyId"]
_BATCH_MEMBERS = ["size", "index", "path", "signature"]
_TLOG_HEADER = "c2sp.org/tlog-proof@v1"
# The path length in a tree of 2^53 leaves.
_MAX_PATH = 53


@dataclass(frozen=True)
class VerifiedReceipt:
    """What a valid receipt proves."""

    proof_id: str
    # The log, and the tree that its key signed.
    origin: str
    size: int
    # Lower-case hex.
    root: str
    # When the log signed the tree, milliseconds since 1970.
    time_ms: int
    key_id: str
    # Position in the log.
    index: int
    record: Record
    # SHA-256 of the record, which the entity's next record names. Lower-case hex.
    event_hash: str


@dataclass(frozen=True)
class VerifiedChain:
    # In the order of the log.
    receipts: List[VerifiedReceipt]
    # Whether the first is the entity's first record.
    is_from_the_start: bool


@dataclass(frozen=True)
class VerifiedPromise:
    """A promise whose signature is valid. Whether it was kept, only the log can show."""

    log: str
    proof_id: str
    record_digest: str
    issued_at: str
    deadline: str
    key_id: str


def verify_receipt(receipt: Evidence, keys: Keys) -> VerifiedReceipt:
    """Verifies a receipt as JSON or as tlog-proof.

    `keys`: see `Keys`. Raises ReceiptError with the first failed check.
    """
    return _verify(_parse_receipt(receipt), read_keys(keys))


def _verify(parts: _Parts, trusted: List[TrustedKey]) -> VerifiedReceipt:
    checkpoint = read_checkpoint(parts.checkpoint, trusted)
    proof = Inclusion(parts.index, checkpoint.size, leaf_hash(parts.record), parts.path, checkpoint.root)
    record = read_record(parts.record)
    if isinstance(record, str):
        # The log accepts only canonical records, so that this one is the altered part.
        if proof.holds():
            raise ReceiptError("RECORD_NOT_CANONICAL", f"The log holds the record, but it {record}.")
        raise diagnose(proof, is_record_sound=False)
    if not proof.holds():
        is_sound = record.proof_id == parts.proof_id and record.is_of_log(checkpoint.origin)
        raise diagnose(proof, is_sound)
    if record.proof_id != parts.proof_id:
        raise ReceiptError("WRONG_PROOF_ID", f"The record is that of the proof {record.proof_id!r}.")
    if not record.is_of_log(checkpoint.origin):
        raise ReceiptError("WRONG_LOG", f"The record is not one of the log {checkpoint.origin!r}.")
    return VerifiedReceipt(
        proof_id=parts.proof_id,
        origin=checkpoint.origin,
        size=checkpoint.size,
        root=checkpoint.root.hex(),
        time_ms=checkpoint.time_ms,
        key_id=checkpoint.key_id,
        index=parts.index,
        record=record,
        event_hash=hashlib.sha256(parts.record).hexdigest(),
    )


def verify_chain(receipts: Sequence[Evidence], keys: Keys) -> VerifiedChain:
    """Verifies that receipts, in any order, are consecutive records of one entity. Raises ReceiptError."""
    trusted = read_keys(keys)
    all_parts = [_parse_receipt(receipt) for receipt in receipts]
    verified = sorted((_verify(parts, trusted) for parts in all_parts), key=lambda one: one.index)
    for before, after in zip(verified, verified[1:]):
        why = _broken_link(before, after)
        if why is not None:
            message = f"{after.proof_id!r} does not follow {before.proof_id!r}: {why}."
            raise ReceiptError("CHAIN_BROKEN", message)
    return VerifiedChain(verified, bool(verified) and verified[0].record.previous_hash == NO_PREVIOUS)


def verify_promise(promise: Evidence, keys: Keys) -> VerifiedPromise:
    """Verifies the signature of a promise, its own or that of its batch. Raises ReceiptError.

    `promise`: alone, or in the answer that contained it.
    """
    value: Any = promise
    if not isinstance(value, Mapping):
        value = parse_json(text_of(value, "The promise"), "The promise")
    if isinstance(value, Mapping) and "promise" in value:
        value = value["promise"]
    claims, batch, signature = _parse_promise(value)
    of_log = [key for key in read_keys(keys) if key.is_promise_key and key.origin == claims["log"]]
    key = next((one for one in of_log if one.key_id == claims["keyId"]), None)
    if key is None:
        message = f"None of the trusted promise keys of {claims['log']!r} is {claims['keyId']}."
        raise ReceiptError("KEY_NOT_OF_LOG", message)
    message: Optional[bytes] = ("custos-promise-v1\n" + canonical.canonicalize(claims)).encode("utf-8")
    if batch is not None and message is not None:
        message = batch.signed_with(message)
    if message is None or not ed25519.verify(key.raw, message, signature):
        raise ReceiptError("PROMISE_SIGNATURE", "The signature does not fit the promise.")
    return VerifiedPromise(
        log=claims["log"],
        proof_id=claims["proofId"],
        record_digest=claims["recordDigest"],
        issued_at=claims["issuedAt"],
        deadline=claims["deadline"],
        key_id=claims["keyId"],
    )


@dataclass(frozen=True)
class _Parts:
    proof_id: str
    record: bytes
    index: int
    path: List[bytes]
    checkpoint: str


def _parse_receipt(receipt: Evidence) -> _Parts:
    if isinstance(receipt, Mapping):
        return _receipt_of(dict(receipt))
    text = text_of(receipt, "The receipt")
    if text.startswith(f"{_TLOG_HEADER}\n"):
        return _receipt_of(_parse_tlog_proof(text))
    return _receipt_of(parse_json(text, "The receipt"))


def _receipt_of(value: Any) -> _Parts:
    members = exact_members(value, "The receipt", _RECEIPT_MEMBERS)
    if members["format"] != "custos-receipt/1" or members["status"] != "anchored":
        raise malformed("The receipt has another format or status.")
    proof_id, checkpoint, index = members["proofId"], members["checkpoint"], count(members["index"])
    if (
        not isinstance(proof_id, str)
        or not 1 <= utf16_length(proof_id) <= 256
        or not is_well_formed(proof_id)
    ):
        raise malformed("The receipt's proofId is not a text of 1 to 256 characters.")
    record = base64_bytes(members["record"])
    if not record:
        raise malformed("The receipt's record is not standard base64 of some bytes.")
    if index is None:
        raise malformed("The receipt's index is not a whole number from 0 to 2^53-1.")
    path = members["path"]
    hashes = (
        [hash_bytes(one) for one in path] if isinstance(path, list) and len(path) <= _MAX_PATH else [None]
    )
    known = [one for one in hashes if one is not None]
    if len(known) < len(hashes):
        raise malformed(f"The receipt's path is not a list of at most {_MAX_PATH} hashes in lower-case hex.")
    if not isinstance(checkpoint, str):
        raise malformed("The receipt's checkpoint is not a text.")
    return _Parts(proof_id, record, index, known, checkpoint)


def _parse_tlog_proof(text: str) -> Mapping[str, Any]:
    """C2SP tlog-proof with the record as extra data, as the members of a receipt."""
    head, separator, checkpoint = text.partition("\n\n")
    _, extra, index_line, *path = [*head.split("\n"), "", ""][: max(3, head.count("\n") + 1)]
    index = decimal(index_line[len("index ") :]) if index_line.startswith("index ") else None
    hashes = [base64_bytes(line) for line in path]
    known = [one.hex() for one in hashes if one is not None and len(one) == 32]
    if not separator or not extra.startswith("extra ") or index is None or len(known) < len(hashes):
        raise malformed("The tlog-proof is not in the exact form.")
    encoded = extra[len("extra ") :]
    record = read_record(base64_bytes(encoded) or b"")
    return {
        "format": "custos-receipt/1",
        "status": "anchored",
        # Verifying fails on a record that can't be read, before its id matters.
        "proofId": "?" if isinstance(record, str) else record.proof_id,
        "record": encoded,
        "index": index,
        "path": known,
        "checkpoint": checkpoint,
    }


@dataclass(frozen=True)
class _Batch:
    """The place of a promise among those that were signed together."""

    size: int
    index: int
    path: List[bytes]

    def signed_with(self, message: bytes) -> Optional[bytes]:
        """What was signed if `message` is that of the promise. None when the path does not fit."""
        root = root_of_path(self.index, self.size, leaf_hash(message), self.path)
        if root is None:
            return None
        tree = canonical.canonicalize({"root": root.hex(), "size": self.size})
        return ("custos-promise-batch-v1\n" + tree).encode("utf-8")


def _parse_batch(value: Any) -> Tuple[_Batch, bytes]:
    """Returns the batch and its signature."""
    members = exact_members(value, "The promise's batch", _BATCH_MEMBERS)
    size, index = count(members["size"]), count(members["index"])
    # A promise that was signed alone has no batch.
    if size is None or size < 2 or index is None:
        raise malformed("The size or index of the promise's batch is not in its form.")
    path = members["path"]
    if not isinstance(path, list) or len(path) > _MAX_PATH:
        raise malformed(f"The path of the promise's batch is not a list of at most {_MAX_PATH} hashes.")
    hashes = [one for one in map(hash_bytes, path) if one is not None]
    if len(hashes) < len(path):
        raise malformed("The path of the promise's batch is not a list of hashes in lower-case hex.")
    return _Batch(size, index, hashes), _signature_bytes(members["signature"])


def _signature_bytes(value: Any) -> bytes:
    signature = base64_bytes(value)
    if signature is None or len(signature) != 64:
        raise malformed("The promise's signature is not 64 bytes in base64.")
    return signature


def _parse_promise(value: Any) -> Tuple[Dict[str, Any], Optional[_Batch], bytes]:
    """Returns the claims, and the signature with the batch that it is of, if any."""
    evidence = "batch" if isinstance(value, dict) and "batch" in value else "signature"
    members = dict(exact_members(value, "The promise", [*_PROMISE_MEMBERS, evidence]))
    for name in ("log", "proofId"):
        text = members[name]
        if not isinstance(text, str) or not 1 <= utf16_length(text) <= 1024 or not is_well_formed(text):
            raise malformed(f"The promise's {name} is not a text.")
    key_id = members["keyId"]
    is_key_id = isinstance(key_id, str) and len(key_id) == 43 and set(key_id) <= _BASE64URL
    if hash_bytes(members["recordDigest"]) is None or not is_key_id:
        raise malformed("The promise's recordDigest or keyId is not in its form.")
    if not is_time(members["issuedAt"]) or not is_time(members["deadline"]):
        raise malformed("The promise's issuedAt or deadline is not a time.")
    given = members.pop(evidence)
    if evidence == "signature":
        return members, None, _signature_bytes(given)
    batch, signature = _parse_batch(given)
    return members, batch, signature


_BASE64URL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def _broken_link(before: VerifiedReceipt, after: VerifiedReceipt) -> Optional[str]:
    if before.origin != after.origin:
        return "they are in two logs"
    if before.record.agent_id != after.record.agent_id:
        return "they concern two entities"
    if before.index == after.index:
        return "they are the same record"
    if after.record.previous_hash == NO_PREVIOUS:
        return "it says that it is the first of its chain"
    if after.record.previous_hash != before.event_hash:
        return "it names another record as the one before"
    return None


__all__ = [
    "Record",
    "VerifiedChain",
    "VerifiedPromise",
    "VerifiedReceipt",
    "verify_chain",
    "verify_promise",
    "verify_receipt",
]
