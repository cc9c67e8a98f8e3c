"""A judge's output read as a verdict."""

from .make import Parser, insist_known, make_parser

__all__ = ["Parser", "insist_known", "make_parser"]
