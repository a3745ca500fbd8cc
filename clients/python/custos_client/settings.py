"""The settings of a client, from its arguments and the environment."""

from __future__ import annotations

import os
import re
from typing import Optional, Tuple

from .engine import Settings
from .http_types import Address

DEFAULT_URL = "http://127.0.0.1:3000"


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
    if not timeout > 0:
        raise ValueError("timeout must be more than 0 seconds")
    if retries < 0:
        raise ValueError("retries must not be negative")
    return address, Settings(key=key, timeout_seconds=timeout, retries=retries)
