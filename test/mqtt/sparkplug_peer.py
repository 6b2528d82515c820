"""An edge node with a device, built on pysparkplug: births, many values, then what it is told. Prints one JSON object a line."""

import json
import sys
import time

import pysparkplug as spb

port, username, password, name, _ = sys.argv[1:]


def metric(name, datatype, value):
    return spb.Metric(timestamp=spb.get_current_timestamp(), name=name, datatype=datatype, value=value)


def tell(_, message):
    for m in message.payload.metrics:
        print(json.dumps({"topic": str(message.topic), "name": m.name, "type": m.datatype.name.lower(), "value": m.value}), flush=True)


node_metrics = [metric("t", spb.DataType.FLOAT, 21.5), metric("count", spb.DataType.UINT64, 5), metric("text", spb.DataType.STRING, "warm")]
client = spb.Client(username=username, password=password)
node = spb.EdgeNode("plant", name, node_metrics, client=client, cmd_callback=tell)
node.register(spb.Device("pump", [metric("speed", spb.DataType.INT32, -1), metric("on", spb.DataType.BOOLEAN, True)], cmd_callback=tell))
node.connect("127.0.0.1", port=int(port))
for n in range(300):
    node.update([metric("t", spb.DataType.FLOAT, n / 2)])
node.update_device("pump", [metric("speed", spb.DataType.INT32, 7)])
time.sleep(60)
