"""An OPC UA server of asyncua under load: `opcua_load.py <port> <variables> <changes per second>`. All variables have a number that counts up; as
many as fit into the changes per second are changed each second, in turns. Writes "ready", then a line with the changes each ten seconds."""
import asyncio
import logging
import sys
import time
from datetime import datetime, timezone

from asyncua import Server, ua

logging.basicConfig(level=logging.CRITICAL)


async def main(port, count, rate):
    server = Server()
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{port}")
    index = await server.register_namespace("urn:load")
    folder = await server.nodes.objects.add_object(ua.NodeId("Load", index), "Load")
    nodes = []
    for number in range(count):
        nodes.append(
            await folder.add_variable(ua.NodeId(f"Load.{number}", index), f"Load {number}", 0, ua.VariantType.Int64)
        )
    async with server:
        print("ready", flush=True)
        start, second, position = time.time(), 0, 0
        while True:
            second += 1
            for _ in range(min(rate, count)):
                variant = ua.Variant(second, ua.VariantType.Int64)
                value = ua.DataValue(variant, SourceTimestamp=datetime.now(timezone.utc))
                await server.write_attribute_value(nodes[position].nodeid, value)
                position = (position + 1) % count
            await asyncio.sleep(max(0, start + second - time.time()))


asyncio.run(main(*map(int, sys.argv[1:4])))
