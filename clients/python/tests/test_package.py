"""The package as a whole: Python 3.9, imports, secrets."""

from __future__ import annotations

import ast
import dataclasses
import subprocess
import sys
import unittest
from pathlib import Path

from custos_client import AsyncCustos, Custos, CustosError, ReceiptError, models
from custos_client.verification import verify_receipt

ROOT = Path(__file__).parent.parent
FILES = [path for folder in ("custos_client", "tests", "examples") for path in (ROOT / folder).rglob("*.py")]
HTTP = {"asyncio", "http.client", "socket", "ssl"}


class PackageTest(unittest.TestCase):
    def test_every_file_is_python_3_9(self) -> None:
        self.assertGreater(len(FILES), 30)
        for path in FILES:
            with self.subTest(path.name):
                ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))

    def test_lines_have_at_most_110_characters(self) -> None:
        for path in FILES:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self.assertLessEqual(len(line), 110, f"{path.name}:{number}")

    def test_verification_does_not_load_the_http_part(self) -> None:
        program = "import sys, custos_client.verification; print(' '.join(sys.modules))"
        run = subprocess.run(
            [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
        )
        self.assertEqual(HTTP & set(run.stdout.split()), set())

    def test_a_long_string_without_an_end_is_refused_at_once(self) -> None:
        with self.assertRaises(ReceiptError):
            verify_receipt('"' + '\\"' * 500_000, [])

    def test_star_import_keeps_the_errors_of_python(self) -> None:
        names: dict[str, object] = {}
        exec("from custos_client import *", names)
        self.assertIn("Custos", names)
        self.assertEqual({"ConnectionError", "TimeoutError"} & set(names), set())

    def test_neither_a_client_nor_an_error_shows_the_key(self) -> None:
        for client in (
            Custos("http://127.0.0.1:1", "cst_secret"),
            AsyncCustos("http://127.0.0.1:1", "cst_secret"),
        ):
            self.assertNotIn("secret", repr(client) + repr(vars(client)))
        with Custos("http://127.0.0.1:1", "cst_secret", retries=0) as custos:
            with self.assertRaises(CustosError) as caught:
                custos.health()
        self.assertNotIn("secret", str(caught.exception))
        with self.assertRaises(ValueError) as wrong:
            Custos("http://127.0.0.1:1", "cst_se\ncret")
        self.assertNotIn("cret", str(wrong.exception).replace("characters", ""))

    def test_no_text_of_an_object_shows_a_secret_in_it(self) -> None:
        self.assertNotIn("whsec_x", repr(models.WebhookRotate(secret="whsec_x")))
        for model in vars(models).values():
            for one in dataclasses.fields(model) if dataclasses.is_dataclass(model) else ():
                self.assertEqual(one.repr, one.name not in ("secret", "key"), f"{model}: {one.name}")

    def test_an_address_that_is_none_is_refused(self) -> None:
        for url in (
            "127.0.0.1:3000",
            "ftp://host",
            "http://",
            "http://u:p@host",
            "http://host:x",
            "http://h/?q",
        ):
            with self.subTest(url), self.assertRaises(ValueError):
                Custos(url, "k")


if __name__ == "__main__":
    unittest.main()
