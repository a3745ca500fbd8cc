"""An agent asks, a guarded function runs or is refused, and a receipt proves what was decided.

    export CUSTOS_KEY=$(cat .custos/bootstrap-key) PYTHONPATH=clients/python
    python3 clients/python/examples/quickstart.py
"""

from __future__ import annotations

import json

from custos_client import ConflictError, Custos, ReceiptError, RefusedError
from custos_client.verification import verify_receipt

AGENT = "python-quickstart"


def main() -> None:
    # CUSTOS_URL (http://127.0.0.1:3000 without it) and CUSTOS_KEY.
    with Custos() as custos:
        try:
            custos.agents.create(agent_id=AGENT, name="Quickstart in Python")
        except ConflictError:
            pass  # By an earlier run.

        intent = custos.intent.parse(agent_id=AGENT, raw_intent="Read user profile data")
        print(f"understood as {intent.normalized}, risk {intent.risk.level}")
        decision = custos.enforce.evaluate(agent_id=AGENT, intent=intent.normalized)
        print(f"{intent.normalized}: {decision.verdict}")

        @custos.guard(agent_id=AGENT, server="shop", wait_seconds=0)
        def refund(order: str, amount: float) -> str:
            return f"{amount} paid back for {order}"

        try:
            print(refund("1234", amount=99.0))
        except RefusedError as refused:
            print(f"refused, {refused.verdict}: {[reason.code for reason in refused.reasons]}")

        accepted = custos.proofs.create(
            event="quickstart.ran", entity_id=AGENT, payload={"language": "Python"}
        )
        receipt = custos.proofs.wait_anchored(accepted.proof_id)
        # An auditor has these keys from elsewhere: keys that come with a receipt prove nothing.
        keys = custos.log.keys()

    proven = verify_receipt(json.dumps(receipt), keys)
    print(f"anchored: {proven.record.event_type} of {proven.record.agent_id}")
    try:
        verify_receipt({**receipt, "index": receipt["index"] + 1}, keys)
    except ReceiptError as error:
        print(f"forged: {error.failure}")


if __name__ == "__main__":
    main()
