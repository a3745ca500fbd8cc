"""The version of the package; `pyproject.toml` reads it from here."""

VERSION = "0.1.0"
