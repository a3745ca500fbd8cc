"""Verifies a receipt with the Python client. Usage: python3 examples/auditor/verify.py RECEIPT KEYS"""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "python"))

from custos_client.errors import ReceiptError  # noqa: E402
from custos_client.verification import verify_receipt  # noqa: E402

receipt, keys = (Path(file).read_text(encoding="utf-8") for file in sys.argv[1:3])
try:
    verify_receipt(receipt, json.loads(keys))
    print("VALID")
except ReceiptError as error:
    print(error.failure)
