"""An API server that forwards a port, as a kubelet would: over a WebSocket with numbered channels."""

import asyncio
import base64
import hashlib

import msgspec

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Forwarder:
    """Knows some pods and a lease, and forwards to a port of this machine."""

    def __init__(self, port, pods=("nodewright-a",), holder="", refusals=None):
        self.port = port
        self.pods = pods
        self.holder = holder
        self.refusals = refusals or {}
        self.asked = []
        self.pings = 0
        self.protocol = None

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                first, *lines = head.strip().split("\r\n")
                path = first.split(" ")[1].partition("?")[0]
                self.asked.append(first.split(" ")[1])
                pairs = (line.partition(": ") for line in lines)
                headers = {name.lower(): value for name, _, value in pairs}
                if path in self.refusals or not path.endswith("/portforward"):
                    self._answer(writer, path)
                    continue
                await self._forward(headers, reader, writer)
                return
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    def _answer(self, writer, path):
        status, body = 404, {"kind": "Status", "code": 404, "message": "there is none"}
        if path in self.refusals:
            status = self.refusals[path]
            body = {"kind": "Status", "code": status, "message": f"{path} is forbidden"}
        elif path.endswith("/pods"):
            status, body = (
                200,
                {
                    "items": [
                        {"metadata": {"name": one, "namespace": "nodewright"}} for one in self.pods
                    ]
                },
            )
        elif path.endswith("/leases/karpenter-leader-election") and self.holder:
            status = 200
            body = {"metadata": {"name": "x"}, "spec": {"holderIdentity": self.holder}}
        text = msgspec.json.encode(body)
        writer.write(f"HTTP/1.1 {status} X\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)

    async def _forward(self, headers, reader, writer):
        self.protocol = headers["sec-websocket-protocol"]
        digest = hashlib.sha1((headers["sec-websocket-key"] + GUID).encode()).digest()
        writer.write(
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n"
            b"Sec-WebSocket-Protocol: " + self.protocol.encode() + b"\r\n\r\n"
        )
        for channel in (0, 1):
            write_message(writer, bytes((channel,)) + (8082).to_bytes(2, "little"))
        try:
            pod_reader, pod_writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError as error:
            write_message(writer, b"\x01error forwarding port 8082: " + str(error).encode())
            writer.write(bytes((0x88, 0)))
            return
        upward = asyncio.create_task(self._pass_on(reader, pod_writer))
        writer.write(bytes((0x89, 2)) + b"hi")
        while data := await pod_reader.read(1000):
            write_message(writer, b"\x00" + data)
            await writer.drain()
        writer.write(bytes((0x88, 0)))
        await writer.drain()
        await upward
        pod_writer.close()

    async def _pass_on(self, reader, pod_writer):
        while True:
            try:
                first, second = await reader.readexactly(2)
            except (asyncio.IncompleteReadError, ConnectionError):
                return
            assert second & 0x80, "clients mask what they send"
            size = second & 0x7F
            if size == 126:
                size = int.from_bytes(await reader.readexactly(2))
            mask, masked = await reader.readexactly(4), await reader.readexactly(size)
            payload = bytes(byte ^ mask[number % 4] for number, byte in enumerate(masked))
            if first & 0xF == 0xA:
                self.pings += payload == b"hi"
            elif first & 0xF == 2:
                assert payload[0] == 0
                pod_writer.write(payload[1:])


def write_message(writer, payload):
    """Write a binary message as servers do, in two pieces where it has room for them."""
    half = len(payload) // 2
    for first, piece in ((0x02, payload[:half]), (0x80, payload[half:])):
        size = bytes((len(piece),)) if len(piece) < 126 else b"\x7e" + len(piece).to_bytes(2)
        writer.write(bytes((first,)) + size + piece)
