"""Which operation is answered by which of our handlers; all others are moto's."""

from collections.abc import Callable
from typing import Any, Final

from nodewright.sandbox.aws.account import Account
from nodewright.sandbox.aws.call import Call

type Handler = Callable[[Account, Call], dict[str, Any]]

HANDLERS: Final[dict[str, Handler]] = {}


def handles(service: str, *operations: str) -> Callable[[Handler], Handler]:
    """Make a function the handler of operations."""

    def register(handler: Handler) -> Handler:
        for operation in operations:
            name = f"{service}.{operation}"
            assert name not in HANDLERS, f"{name} has two handlers"
            HANDLERS[name] = handler
        return handler

    return register
