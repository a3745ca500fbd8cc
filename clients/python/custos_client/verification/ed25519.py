"""Ed25519 verification (RFC 8032 section 5.1.7), because Python's standard library has none.

As OpenSSL and Go do it: without the cofactor, S must be below L, and R is compared as bytes with the computed
point, so that no other encoding of R is accepted. Verification handles no secrets, so nothing here needs
constant time.
"""

from __future__ import annotations

import hashlib
from typing import List, Optional, Tuple

P = 2**255 - 19
# The order of the base point.
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
_SQRT_MINUS_ONE = pow(2, (P - 1) // 4, P)

# Extended coordinates (RFC 8032 section 5.1.4): x = X/Z, y = Y/Z, x*y = T/Z.
Point = Tuple[int, int, int, int]

_NEUTRAL: Point = (0, 1, 1, 0)


def verify(public_key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the 64 bytes are a signature of the message under the 32 bytes of the key."""
    if len(public_key) != 32 or len(signature) != 64:
        return False
    scalar = int.from_bytes(signature[32:], "little")
    key = decompress(public_key)
    if key is None or scalar >= L:
        return False
    digest = hashlib.sha512(signature[:32] + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % L
    x, y, z, t = key
    # S*B - k*A
    point = _multiply_two(scalar, _BASE, challenge, (-x % P, y, z, -t % P))
    return compress(point) == signature[:32]


def decompress(encoded: bytes) -> Optional[Point]:
    """The point of 32 bytes (section 5.1.3); None when there is none. y is reduced, as OpenSSL and Go do."""
    number = int.from_bytes(encoded, "little")
    y = (number & (2**255 - 1)) % P
    sign = number >> 255
    x = _recover_x(y)
    if x is None:
        return None
    if x & 1 != sign:
        x = -x % P
    return (x, y, 1, x * y % P)


def compress(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _recover_x(y: int) -> Optional[int]:
    """A square root of (y^2 - 1) / (d*y^2 + 1)."""
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * _SQRT_MINUS_ONE % P
    return root if root * root % P == square else None


def _add(p: Point, q: Point) -> Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _double(p: Point) -> Point:
    a = p[0] * p[0] % P
    b = p[1] * p[1] % P
    c = 2 * p[2] * p[2] % P
    h = a + b
    e = h - (p[0] + p[1]) * (p[0] + p[1])
    g = a - b
    f = c + g
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _multiples(point: Point) -> List[Point]:
    """0 to 15 times the point: four bits of a scalar at once."""
    multiples = [_NEUTRAL]
    for _ in range(15):
        multiples.append(_add(multiples[-1], point))
    return multiples


def _multiply_two(a: int, p: Point, b: int, q: Point) -> Point:
    """a*p + b*q, with the doublings shared."""
    of_p, of_q = _multiples(p), _multiples(q)
    result = _NEUTRAL
    for shift in range(252, -1, -4):
        for _ in range(4):
            result = _double(result)
        result = _add(result, of_p[a >> shift & 15])
        result = _add(result, of_q[b >> shift & 15])
    return result


def _base_point() -> Point:
    y = 4 * pow(5, P - 2, P) % P
    base = decompress(y.to_bytes(32, "little"))
    if base is None:
        raise AssertionError("the base point is on the curve")
    return base


_BASE = _base_point()
