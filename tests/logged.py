"""What was logged during a test.

pytest's own `caplog` would look through thousands of loggers six times a test, and write out each
step that inspect traces, for every test.
"""

import logging


class Logged(logging.Handler):
    """Keeps what is logged.

    Attributes:
        records: Whatever was logged, in its order.
    """

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.records.append(record)

    @property
    def text(self) -> str:
        """The messages, a line each."""
        return "\n".join(record.getMessage() for record in self.records)
