"""A Modbus server of pymodbus with two units: `modbus_simulator.py <port> <tcp|rtu>`. Writes "ready" once it listens."""
import asyncio
import sys

from pymodbus.constants import Endian
from pymodbus.datastore import ModbusServerContext, ModbusSlaveContext, ModbusSparseDataBlock
from pymodbus.payload import BinaryPayloadBuilder
from pymodbus.server.async_io import ModbusTcpServer
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
    values = {0: 231, 1: 0xFF38, 2: 0b1010_0110, 3: 1, 10: 7, 40: 0x8000}
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


async def main():
    port, framing = int(sys.argv[1]), sys.argv[2]
    server = ModbusTcpServer(
        ModbusServerContext(slaves={1: unit(), 2: unit()}, single=False),
        framer=ModbusRtuFramer if framing == "rtu" else ModbusSocketFramer,
        address=("127.0.0.1", port),
        allow_reuse_address=True,
    )
    task = asyncio.create_task(server.serve_forever())
    await server.serving
    print("ready", flush=True)
    await task


asyncio.run(main())
