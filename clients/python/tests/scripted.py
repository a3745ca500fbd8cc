"""A server that gives scripted answers and records requests."""

from __future__ import annotations

import hashlib
import json
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Union

from custos_client.canonical import canonicalize

KEY = "cst_live_secret_of_the_test"


@dataclass
class Recorded:
    method: str
    path: str
    headers: Dict[str, str]
    body: Any


@dataclass
class Reply:
    status: int = 200
    body: Any = None
    headers: Dict[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    # Sends so many bytes of the body, then closes.
    truncate: Optional[int] = None
    reset: bool = False
    # The time between any two bytes of the body.
    drip_seconds: float = 0.0


Script = Callable[[Recorded, int], Reply]


class ScriptedServer:
    """`script` gets each request and how many of its path came before."""

    def __init__(self, script: Union[Script, Reply]) -> None:
        self.requests: List[Recorded] = []
        # Of the clients, by request: one port is one connection.
        self.ports: List[int] = []
        if isinstance(script, Reply):
            reply = script
            self.script: Script = lambda _request, _count: reply
        else:
            self.script = script
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def handle_one_request(self) -> None:
                try:
                    super().handle_one_request()
                except OSError:
                    self.close_connection = True

            def _serve(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                text = self.rfile.read(length).decode("utf-8")
                body = json.loads(text) if text else None
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Recorded(self.command, self.path, headers, body)
                with owner._lock:
                    count = sum(one.path == request.path for one in owner.requests)
                    owner.requests.append(request)
                    owner.ports.append(self.client_address[1])
                owner._answer(self, owner.script(request, count))

            do_GET = do_POST = do_PATCH = do_DELETE = _serve

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(poll_interval=0.01))
        self._thread.start()

    def _answer(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.delay_seconds:
            time.sleep(reply.delay_seconds)
        if reply.reset:
            # With a linger time of 0, close() sends RST.
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.close_connection = True
            handler.connection.close()
            return
        is_text = isinstance(reply.body, (str, bytes))
        content = reply.body if is_text else json.dumps(reply.body)
        data = content if isinstance(content, bytes) else content.encode("utf-8")
        handler.send_response(reply.status)
        if not any(name.lower() == "content-type" for name in reply.headers):
            handler.send_header("Content-Type", "text/plain" if is_text else "application/json")
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        if "Transfer-Encoding" not in reply.headers:
            handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        if reply.truncate is not None:
            handler.wfile.write(data[: reply.truncate])
            handler.close_connection = True
            return
        if reply.drip_seconds:
            for position in range(len(data)):
                handler.wfile.write(data[position : position + 1])
                time.sleep(reply.drip_seconds)
            return
        handler.wfile.write(data)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> "ScriptedServer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def problem(status: int, code: str, retryable: bool = False, **headers: str) -> Reply:
    body = {"status": status, "code": code, "detail": "A detail.", "category": "c", "retryable": retryable}
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, body, {"Content-Type": "application/problem+json", **names})


def decision(request: Recorded, verdict: str, **members: Any) -> Reply:
    """A decision about the very question of the request."""
    tool = request.body["tool"]
    digest = hashlib.sha256(canonicalize(tool["arguments"]).encode("utf-8")).hexdigest()
    body: Dict[str, Any] = {
        "decision_id": "dec_1",
        "request_id": request.headers["x-request-id"],
        "allowed": verdict in ("ALLOW", "DEGRADE"),
        "verdict": verdict,
        "agent_id": request.body["agent_id"],
        "key_id": "k",
        "intent": {
            "normalized": "a.b",
            "domain": "a",
            "action": "read",
            "verb": "read",
            "resource": "r",
            "effect": "read",
            "traits": [],
            "risk": {"level": "low", "score": 0, "factors": []},
            "parsed": True,
        },
        "tool": {
            "server": tool["server"],
            "name": tool["name"],
            "arguments_digest": f"sha256:{digest}",
            "known": True,
            "changed": False,
        },
        "trust": {
            "claimed_level": None,
            "recorded_level": 1,
            "effective_level": 1,
            "score": 250,
            "uncertainty": 1,
            "as_of": {"signals": 0, "day": "2026-01-01"},
        },
        "reasons": [{"policy": "p", "rule": "r", "effect": verdict, "code": "A_CODE", "message": "a reason"}],
        "obligations": [],
        "policy_set": {"digest": "0" * 64},
        "evaluated_at": "2026-01-01T00:00:00.000Z",
        "expires_at": "2026-01-01T00:15:00.000Z",
        "proof": {"proof_id": "prf_1"},
    }
    body.update(members)
    return Reply(200, body)


ACCEPTED = Reply(
    202,
    {
        "proofId": "p",
        "status": "pending",
        "recordDigest": "0" * 64,
        "promise": {
            "log": "l",
            "proofId": "p",
            "recordDigest": "0" * 64,
            "issuedAt": "2026-01-01T00:00:00.000Z",
            "deadline": "2026-01-01T01:00:00.000Z",
            "keyId": "k",
            "signature": "s",
        },
    },
)
