"""A controller of python-snap7: `s7_simulator.py <port>`. Writes "ready" once it listens, then takes lines: `<block> <byte> <hex>` writes bytes."""
import struct
import sys

from snap7.server import Server
from snap7.type import SrvArea


def text(length, value):
    return bytes([length, len(value)]) + value.encode("latin1").ljust(length, b"\0")


def block():
    """Block 1: a value of each type."""
    parts = [
        (0, bytes([0b1010_0101, 0x7F, 0xFE, 0])),
        (4, struct.pack(">f", 3.14)),
        (8, struct.pack(">hH", -1234, 60_000)),
        (12, struct.pack(">iI", -123_456_789, 4_000_000_000)),
        (20, struct.pack(">qQ", -1_234_567_890_123, 18_446_744_073_709_551_615)),
        (36, struct.pack(">d", 2.5)),
        (44, text(10, "PUMP-7")),
        (56, struct.pack(">3h", 1, -2, 3)),
        (62, bytes([0x26, 0x11, 0x29, 0x14, 0x20, 0x30, 0x12, 0x31])),
        (70, struct.pack(">H6BI", 2026, 11, 29, 1, 14, 20, 30, 123_000_000)),
        (82, struct.pack(">i", -5_000)),
        (86, b"AB"),
        (88, struct.pack(">f", float("nan"))),
    ]
    data = bytearray(100)
    for at, value in parts:
        data[at : at + len(value)] = value
    return data


areas = {1: block(), 2: bytearray(600)}
for index in range(300):
    areas[2][index * 2 : index * 2 + 2] = struct.pack(">H", index)
server = Server(log=False)
for number, data in areas.items():
    server.register_area(SrvArea.DB, number, data)
for area, data in ((SrvArea.MK, b"\x02\x2a\x01\x02"), (SrvArea.PE, b"\x01\x00"), (SrvArea.PA, b"\x80\x00")):
    server.register_area(area, 0, bytearray(data))
server.start_to("127.0.0.1", int(sys.argv[1]))
print("ready", flush=True)
for line in sys.stdin:
    number, at, value = line.split()
    data = bytes.fromhex(value)
    areas[int(number)][int(at) : int(at) + len(data)] = data
    print("done", flush=True)
