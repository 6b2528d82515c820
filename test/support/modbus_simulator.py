"""A Modbus server of pymodbus with two units: `modbus_simulator.py <port> <tcp|rtu|serial>`. Writes "ready" once it listens, then takes lines:
`[<address>, [<word>, ...]]` writes holding registers of unit 1.

A serial port is a path: a link to one end of a line of two pseudo terminals, which both lose their bytes when this program ends."""
import asyncio
import json
import os
import select
import sys
import threading
import tty

from pymodbus.constants import Endian
from pymodbus.datastore import ModbusServerContext, ModbusSlaveContext, ModbusSparseDataBlock
from pymodbus.payload import BinaryPayloadBuilder
from pymodbus.server.async_io import ModbusSerialServer, ModbusTcpServer
from pymodbus.transaction import ModbusRtuFramer, ModbusSocketFramer

ORDERS = {
    "ABCD": (Endian.Big, Endian.Big),
    "CDAB": (Endian.Big, Endian.Little),
    "BADC": (Endian.Little, Endian.Big),
    "DCBA": (Endian.Little, Endian.Little),
}


def words(order, method, value):
    byteorder, wordorder = ORDERS[order]
    builder = BinaryPayloadBuilder(byteorder=byteorder, wordorder=wordorder)
    getattr(builder, method)(value)
    return builder.to_registers()


def block(values):
    return ModbusSparseDataBlock(values)


def holding():
    values = {0: 231, 1: 0xFF38, 2: 0b1010_0110, 3: 1, 10: 7, 40: 0x8000, 42: 0x7FC0, 43: 0, 44: 0xABCD}
    for index, order in enumerate(ORDERS):
        at = 100 + index * 20
        for offset, method, value in (
            (0, "add_32bit_float", 3.1400001049041748),
            (2, "add_32bit_int", -123456),
            (4, "add_32bit_uint", 3_000_000_000),
            (6, "add_64bit_int", -1_234_567_890_123),
            (10, "add_64bit_float", 2.5),
            (14, "add_64bit_uint", 9_007_199_254_740_991),
        ):
            for position, word in enumerate(words(order, method, value)):
                values[at + offset + position] = word
    for position, word in enumerate(words("ABCD", "add_string", "PUMP-7\0\0")):
        values[200 + position] = word
    return values


def unit():
    return ModbusSlaveContext(
        hr=block(holding()),
        ir=block({0: 1234, 1: 5678, 50: 42}),
        co=block({0: True, 1: False, 2: True}),
        di=block({0: False, 1: True}),
        zero_mode=True,
    )


def line(path):
    """Joins two pseudo terminals. Links the path to one of them, and returns the name of the other."""
    ends = [os.openpty() for _ in range(2)]
    for _, end in ends:
        tty.setraw(end)
    (left, near), (right, far) = ends

    def pump():
        while True:
            for readable in select.select([left, right], [], [])[0]:
                os.write(right if readable == left else left, os.read(readable, 1024))

    threading.Thread(target=pump, daemon=True).start()
    if os.path.lexists(path):
        os.unlink(path)
    os.symlink(os.ttyname(near), path)
    return os.ttyname(far)


def write(unit):
    for text in sys.stdin:
        address, values = json.loads(text)
        unit.setValues(16, address, values)
        print("done", flush=True)


async def main():
    port, framing = sys.argv[1], sys.argv[2]
    context = ModbusServerContext(slaves={1: unit(), 2: unit()}, single=False)
    threading.Thread(target=write, args=[context[1]], daemon=True).start()
    if framing == "serial":
        server = ModbusSerialServer(context, port=line(port), baudrate=19200, ignore_missing_slaves=True)
        await server.start()
        print("ready", flush=True)
        return await server.serve_forever()
    server = ModbusTcpServer(
        context,
        framer=ModbusRtuFramer if framing == "rtu" else ModbusSocketFramer,
        address=("127.0.0.1", int(port)),
        allow_reuse_address=True,
    )
    task = asyncio.create_task(server.serve_forever())
    await server.serving
    print("ready", flush=True)
    await task


asyncio.run(main())
