"""The settings of a client, from its arguments and the environment."""

from __future__ import annotations

import os
import re
from typing import Optional, Tuple

from .engine import Settings
from .http_types import Address

DEFAULT_URL = "http://127.0.0.1:3000"
# A day. Sockets can not take any number, such as infinity.
MAX_TIMEOUT_SECONDS = 86_400
MAX_RETRIES = 3


def read_settings(
    url: Optional[str], key: Optional[str], timeout: float, retries: int
) -> Tuple[Address, Settings]:
    """Raises ValueError, without the key in its message."""
    address = Address.parse(url or os.environ.get("CUSTOS_URL") or DEFAULT_URL)
    key = key or os.environ.get("CUSTOS_KEY") or None
    # A key from a file often has a newline at its end, which no header may have.
    key = key.strip() if key is not None else None
    if key is not None and re.fullmatch("[!-~]+", key) is None:
        raise ValueError("the key of Custos has characters that no key has")
    if not 0 < timeout <= MAX_TIMEOUT_SECONDS:
        raise ValueError(f"timeout must be more than 0 and at most {MAX_TIMEOUT_SECONDS} seconds")
    if not 0 <= retries <= MAX_RETRIES:
        raise ValueError(f"retries must be from 0 to {MAX_RETRIES}")
    return address, Settings(key=key, timeout_seconds=timeout, retries=retries)
