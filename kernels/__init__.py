"""Custom operators: schema, fake and dispatch need torch alone and are registered at import."""

from __future__ import annotations
