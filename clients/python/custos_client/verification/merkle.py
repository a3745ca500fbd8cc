"""Inclusion in a Merkle tree (RFC 9162 section 2.1.3), and what is wrong with a proof that does not hold."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Iterator, List, Optional, Sequence, Tuple

from ..errors import ReceiptError

# Hashes that a diagnosis may cost: some 50 ms. Half of them are for the search for another index.
SEARCH_HASHES = 20_000
MAX_PATH = 64


def leaf_hash(record: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True)
class Inclusion:
    index: int
    size: int
    leaf: bytes
    path: Sequence[bytes]
    root: bytes

    def holds(self) -> bool:
        return root_of_path(self.index, self.size, self.leaf, self.path) == self.root


def root_of_path(index: int, size: int, leaf: bytes, path: Sequence[bytes]) -> Optional[bytes]:
    """The root of a path (RFC 9162 section 2.1.3.2), or None when index, size and path do not fit."""
    if not 0 <= index < size or len(path) > MAX_PATH:
        return None
    node, last, value = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return None
        if node & 1 or node == last:
            value = node_hash(sibling, value)
            while not node & 1 and node != 0:
                node, last = node >> 1, last >> 1
        else:
            value = node_hash(value, sibling)
        node, last = node >> 1, last >> 1
    return value if last == 0 else None


def path_length(index: int, size: int) -> int:
    """Hashes in the path of a leaf; 0 <= index < size."""
    length, node, last = 0, index, size - 1
    while last > 0:
        length += 1
        if node & 1 or node == last:
            while not node & 1 and node != 0:
                node, last = node >> 1, last >> 1
        node, last = node >> 1, last >> 1
    return length


def diagnose(proof: Inclusion, is_record_sound: bool) -> ReceiptError:
    """The likeliest alteration of a proof that does not hold.

    A small change that makes it hold is the alteration, because SHA-256 has no collisions to find. Another
    length of the path shows a tree of another size. All else is reported as an altered record: a path with a
    replaced hash can not be told from it. A record that is not sound (not canonical, or of another proof or
    log) is the altered part.
    """
    search = _Search(SEARCH_HASHES)
    is_inside = proof.index < proof.size
    if is_record_sound:
        index = search.other_index(proof)
        if index is not None:
            return ReceiptError(
                "WRONG_INDEX", f"The record is at index {index} of the log, not at {proof.index}."
            )
        if is_inside and search.has_path_change(proof):
            return ReceiptError("WRONG_PATH", "The path from the record to the root was changed.")
    if not is_inside:
        return ReceiptError("WRONG_SIZE", f"A tree of {proof.size} leaves has no index {proof.index}.")
    expected = path_length(proof.index, proof.size)
    if len(proof.path) != expected:
        counts = f"it has {len(proof.path)} hashes where {expected} are needed"
        if _is_length_possible(proof.index, len(proof.path)):
            return ReceiptError("WRONG_SIZE", f"The path belongs to a tree of another size: {counts}.")
        return ReceiptError("WRONG_PATH", f"The path fits a tree of no size: {counts}.")
    return ReceiptError("RECORD_ALTERED", f"The record is not what the log holds at index {proof.index}.")


class _Search:
    def __init__(self, hashes: int) -> None:
        self._hashes = hashes

    def _fits(self, proof: Inclusion) -> bool:
        self._hashes -= len(proof.path)
        return self._hashes >= 0 and proof.holds()

    def other_index(self, proof: Inclusion) -> Optional[int]:
        length = len(proof.path)
        is_small = proof.size * (length + 1) <= self._hashes // 2
        candidates: Iterator[int] = iter(range(proof.size)) if is_small else _slips(proof.index)
        for index in candidates:
            if (
                index == proof.index
                or not 0 <= index < proof.size
                or path_length(index, proof.size) != length
            ):
                continue
            if self._fits(replace(proof, index=index)):
                return index
        return None

    def has_path_change(self, proof: Inclusion) -> bool:
        path, expected = list(proof.path), path_length(proof.index, proof.size)
        extra = len(path) - expected
        if extra < 0:
            return False
        if extra > 0:
            shorter = (path[:at] + path[at + extra :] for at in range(expected + 1))
            return any(self._fits(replace(proof, path=one)) for one in shorter)
        if self._fits(replace(proof, path=path[::-1])):
            return True
        for at in range(1, len(path)):
            if self._fits(replace(proof, path=[*path[: at - 1], path[at], path[at - 1], *path[at + 1 :]])):
                return True
        return self._has_other_digit(proof)

    def _has_other_digit(self, proof: Inclusion) -> bool:
        """Single bits of all hashes first, because they are the likeliest; then other hex digits."""
        for masks in _MASKS:
            rest = proof
            for _ in proof.path:
                if self._hashes <= 0:
                    return False
                first, others = rest.path[0], list(rest.path[1:])
                for changed in _variations(first, masks):
                    if self._fits(replace(rest, path=[changed, *others])):
                        return True
                rest = _climb(rest)
        return False


_BITS = tuple(1 << bit for bit in range(8))
_MASKS: Tuple[Tuple[int, ...], ...] = (
    _BITS,
    tuple(mask for digit in range(1, 16) for mask in (digit, digit << 4) if mask not in _BITS),
)


def _variations(value: bytes, masks: Sequence[int]) -> Iterator[bytes]:
    for at in range(len(value)):
        for mask in masks:
            yield value[:at] + bytes([value[at] ^ mask]) + value[at + 1 :]


def _climb(proof: Inclusion) -> Inclusion:
    """The same proof one level higher, with the first hash of its path consumed."""
    sibling, rest = proof.path[0], proof.path[1:]
    node, last = proof.index, proof.size - 1
    if node & 1 or node == last:
        value = node_hash(sibling, proof.leaf)
        while not node & 1 and node != 0:
            node, last = node >> 1, last >> 1
    else:
        value = node_hash(proof.leaf, sibling)
    return Inclusion(index=node >> 1, size=(last >> 1) + 1, leaf=value, path=rest, root=proof.root)


def _slips(index: int) -> Iterator[int]:
    """Neighbours, and numbers that differ in one bit or one decimal digit."""
    yield from (index - 1, index + 1, index - 2, index + 2)
    for bit in range(53):
        yield index ^ (1 << bit)
    digits = str(index)
    for at in range(len(digits)):
        for digit in "0123456789":
            yield int(digits[:at] + digit + digits[at + 1 :])


def _is_length_possible(index: int, length: int) -> bool:
    """Whether a tree of some size has a path of this length for this index.

    A path has one hash for each level below the highest bit in which index and size - 1 differ, and one for
    each set bit of the index above it. That bit is 0 in the index, or index and size - 1 are equal.
    """
    levels: List[int] = [bin(index).count("1")]
    levels += [
        level + bin(index >> level).count("1") for level in range(1, 54) if not index >> (level - 1) & 1
    ]
    return length in levels
