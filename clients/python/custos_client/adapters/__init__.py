"""Adapters for agent frameworks. Each needs only the shape of the framework, and imports nothing of it."""
