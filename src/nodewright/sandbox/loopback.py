"""Free ports on the loopback address.

A port is found by asking the system for one and giving it back. Somebody else may take it in
between; whoever uses it starts again with other ports when that happens.
"""

import socket
from contextlib import ExitStack

HOST = "127.0.0.1"


def find_free_ports(count: int) -> tuple[int, ...]:
    """Give this many different ports that nobody listens on."""
    with ExitStack() as stack:
        # All are held at once: a port given back could be handed out a second time.
        held = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in held:
            each.bind((HOST, 0))
        return tuple(each.getsockname()[1] for each in held)
