"""Both clients of InfluxDB for Python: prepare a database, ask for the health, and write. Prints one JSON object."""

import json
import sys

from influxdb import InfluxDBClient as ClientOne
from influxdb_client import InfluxDBClient as ClientTwo
from influxdb_client import Point
from influxdb_client.client.write_api import SYNCHRONOUS

port, token = sys.argv[1:]


def points(host, **fields):
    return [{"measurement": "m", "tags": {"host": host}, "fields": fields}]


def version_one():
    client = ClientOne("127.0.0.1", int(port), "user", token, "db")
    zipped = ClientOne("127.0.0.1", int(port), "user", token, "db", gzip=True)
    return {
        "ping": client.ping(),
        "create": client.create_database("db"),
        "databases": client.get_list_database(),
        "write": client.write_points(points("python-1", t=1.5, i=3, b=True, s="x")),
        "gzip": zipped.write_points(points("python-1", g=2.5)),
    }


def version_two():
    client = ClientTwo(url=f"http://127.0.0.1:{port}", token=token, org="o")
    answers = {"ping": client.ping(), "health": client.health().status, "version": client.version()}
    direct = client.write_api(write_options=SYNCHRONOUS)
    answers["write"] = direct.write("b", "o", [Point("m").tag("host", "python-2").field("t", 21.5), "m,host=python-2 u=5u"])
    errors = []
    with client.write_api(error_callback=lambda *failure: errors.append(str(failure))) as batches:
        batches.write("b", "o", [Point("m").tag("host", "python-2").field("batched", n) for n in range(10)])
    return {**answers, "batched": errors}


print(json.dumps({"one": version_one(), "two": version_two()}))
