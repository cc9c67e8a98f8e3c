"""A document's checks as JUnit XML, which every service that runs tests can read."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from .document import CheckedLimit, Document, Outcome
from .formats import grouped_by, one_line

_ELEMENTS = {"fails": "failure", "uncertain": "error", "allowed": "skipped"}
"""What a test case contains by its outcome. One that passes contains none of these."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(document: Document) -> str:
    """A suite a judge, and in it a test case a requirement.

    What is too uncertain to say is an error, or skipped if that is allowed.
    """
    root = Element("testsuites", {"name": _xml(document.title), **_totals(document.checks)})
    for of, checks in grouped_by(document.checks, lambda one: one.of).items():
        suite = SubElement(root, "testsuite", {"name": _xml(of), **_totals(checks)})
        for one in checks:
            case = SubElement(suite, "testcase", classname=_xml(of), name=_xml(one.requirement))
            if element := _ELEMENTS.get(one.outcome):
                SubElement(case, element, message=_xml(one.found))
            else:
                SubElement(case, "system-out").text = _xml(one.found)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _totals(checks: Sequence[CheckedLimit]) -> dict[str, str]:
    counted: dict[str, Outcome] = {
        "failures": "fails",
        "errors": "uncertain",
        "skipped": "allowed",
    }
    outcomes = [one.outcome for one in checks]
    totals = {name: str(outcomes.count(outcome)) for name, outcome in counted.items()}
    return {"tests": str(len(checks)), **totals}


def _xml(text: str) -> str:
    """A text on one line, without the characters that no XML may contain."""
    return _NOT_XML.sub("\ufffd", one_line(text))
