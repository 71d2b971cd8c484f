"""Queues: moto's own, but for what makes them slow.

For each message that is received, moto asks whether it is too old by writing down every attribute of its
queue, numbers of messages included, so that a queue with a backlog takes longer and longer to empty.
"""

from typing import Any, Final

from moto.core.utils import unix_time
from moto.sqs.models import SQSBackend

_QUESTION: Final = "is_message_valid_based_on_retention_period"


def is_kept(backend: Any, queue_name: str, message: Any) -> bool:
    """Tell whether a message is not older than its queue keeps messages."""
    kept_s = int(backend.get_queue(queue_name).message_retention_period)
    return bool(kept_s + message.sent_timestamp / 1000 > unix_time())


def hasten() -> None:
    """Have moto look at nothing but the age of a message."""
    setattr(SQSBackend, _QUESTION, is_kept)
