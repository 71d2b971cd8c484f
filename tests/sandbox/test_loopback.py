"""Free ports."""

import socket

from nodewright.sandbox.loopback import HOST, find_free_ports


def test_ports_differ_and_can_be_listened_on():
    ports = find_free_ports(6)

    assert len(set(ports)) == 6
    for port in ports:
        with socket.socket() as listener:
            listener.bind((HOST, port))


def test_a_port_in_use_is_not_given():
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()

        assert taken.getsockname()[1] not in find_free_ports(50)
