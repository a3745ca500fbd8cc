"""A client that was made before a fork: parent and child do not share connections, threads or locks."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path
from urllib.parse import unquote

from tests.scripted import KEY, Recorded, Reply, ScriptedServer

# In a process of its own, because a process with threads (those of the server) should not fork.
PROGRAM = """
import os, sys
from custos_client import Custos

custos = Custos(sys.argv[1], sys.argv[2], timeout=5, retries=0)
custos.trust.get("before")  # leaves a connection

def ask(name):
    for number in range(20):
        agent_id = f"{name}-{number}"
        assert custos.trust.get(agent_id).agent_id == agent_id

children = []
for number in range(3):
    child = os.fork()
    if child == 0:
        try:
            ask(f"child-{number}")
            custos.close()
            os._exit(0)
        except BaseException as error:
            print(repr(error), file=sys.stderr, flush=True)
            os._exit(1)
    children.append(child)
ask("parent")
codes = [os.waitpid(child, 0)[1] for child in children]
# A child that closes its client does not end the parent's connections.
ask("parent again")
assert codes == [0, 0, 0], codes
custos.close()
"""


def answer(request: Recorded, _count: int) -> Reply:
    agent_id = unquote(request.path.rsplit("/", 1)[-1])
    return Reply(
        200,
        {
            "agentId": agent_id,
            "registered": False,
            "score": 250,
            "level": 1,
            "tier": "Observed",
            "uncertainty": 1,
            "evidence": {"positive": 0, "negative": 0, "lastSignalAt": None},
            "asOf": {"signals": 0, "day": "2026-01-01"},
        },
        delay_seconds=0.002,
    )


@unittest.skipUnless(hasattr(os, "fork"), "this system has no fork")
class ForkTest(unittest.TestCase):
    def test_parent_and_children_get_the_answers_to_their_own_questions(self) -> None:
        with ScriptedServer(answer) as server:
            ran = subprocess.run(
                [sys.executable, "-W", "error", "-c", PROGRAM, server.url, KEY],
                cwd=Path(__file__).parents[1],
                capture_output=True,
                text=True,
                timeout=60,
            )
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))

    def test_reports_in_the_background_are_sent_by_the_child_too(self) -> None:
        program = """
import os, sys
from custos_client import Custos
from custos_client.blocking_transport import run_blocking
from custos_client import operations as ops

custos = Custos(sys.argv[1], sys.argv[2], timeout=5)

def report(name):
    values = {"event": "e", "entity_id": name, "payload": {}}
    run_blocking(custos._outbox.post([(ops.PROOFS_CREATE, values)], print, True))
    custos.flush()

report("parent")
child = os.fork()
if child == 0:
    report("child")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
        with ScriptedServer(Reply(202, {})) as server:
            subprocess.run(
                [sys.executable, "-c", program, server.url, KEY],
                cwd=Path(__file__).parents[1],
                capture_output=True,
                timeout=60,
                check=True,
            )
            asked = [request.body["entityId"] for request in server.requests]
        self.assertEqual(asked, ["parent", "child"])


if __name__ == "__main__":
    unittest.main()
