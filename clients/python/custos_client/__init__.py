"""Client of Custos, the governance service for software agents.

`Custos` blocks, `AsyncCustos` is for asyncio. `custos_client.verification` checks receipts without a
connection.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # `as` marks what is exported.
    from .async_client import AsyncCustos as AsyncCustos
    from .cancel import CancelToken as CancelToken
    from .canonical import canonicalize as canonicalize, definition_digest as definition_digest
    from .client import Custos as Custos
    from .given import use_approval as use_approval, use_idempotency_key as use_idempotency_key
    from .guard_core import Kept as Kept
    from .unset import UNSET as UNSET
    from .errors import (
        ApiError as ApiError,
        AuthenticationError as AuthenticationError,
        CancelledError as CancelledError,
        ConflictError as ConflictError,
        ConnectionError as ConnectionError,
        CustosError as CustosError,
        InvalidRequestError as InvalidRequestError,
        NotFoundError as NotFoundError,
        PermissionDeniedError as PermissionDeniedError,
        RateLimitedError as RateLimitedError,
        ReceiptError as ReceiptError,
        RefusedError as RefusedError,
        TimeoutError as TimeoutError,
        UnavailableError as UnavailableError,
        UnexpectedAnswerError as UnexpectedAnswerError,
    )
    from .version import VERSION as __version__

# Imported at their first use, so that verification alone does not load the HTTP part.
_MODULES = {
    "Custos": "client",
    "AsyncCustos": "async_client",
    "CancelToken": "cancel",
    "Kept": "guard_core",
    "use_approval": "given",
    "use_idempotency_key": "given",
    "UNSET": "unset",
    "canonicalize": "canonical",
    "definition_digest": "canonical",
    "ApiError": "errors",
    "AuthenticationError": "errors",
    "CancelledError": "errors",
    "ConflictError": "errors",
    "ConnectionError": "errors",
    "CustosError": "errors",
    "InvalidRequestError": "errors",
    "NotFoundError": "errors",
    "PermissionDeniedError": "errors",
    "RateLimitedError": "errors",
    "ReceiptError": "errors",
    "RefusedError": "errors",
    "TimeoutError": "errors",
    "UnavailableError": "errors",
    "UnexpectedAnswerError": "errors",
}

# `import *` must not replace Python's own ConnectionError and TimeoutError.
__all__ = [
    "ApiError",
    "AsyncCustos",
    "CancelToken",
    "Custos",
    "CustosError",
    "Kept",
    "RefusedError",
    "UNSET",
    "definition_digest",
    "use_approval",
    "use_idempotency_key",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return importlib.import_module(".version", __name__).VERSION
    module = _MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{module}", __name__), name)
