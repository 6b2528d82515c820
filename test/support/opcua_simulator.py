"""An OPC UA server of asyncua: `opcua_simulator.py <port> <folder>`. Writes "ready" once it listens, then takes lines: `<node> <json>` writes a
value, `status <node> <code>` a status. Users: anonymous without security, `operator` with the password `valve 7` with security."""
import asyncio
import json
import logging
import sys
from datetime import datetime, timezone
from pathlib import Path

from asyncua import Server, ua, uamethod
from asyncua.common.structures104 import new_struct, new_struct_field
from asyncua.crypto.cert_gen import setup_self_signed_certificate
from asyncua.server.user_managers import UserManager
from asyncua.crypto.permission_rules import User, UserRole
from cryptography.x509.oid import ExtendedKeyUsageOID

logging.basicConfig(level=logging.CRITICAL)
V = ua.VariantType


class Users(UserManager):
    def get_user(self, iserver, username=None, password=None, certificate=None):
        if username is None or (username == "operator" and password == "valve 7"):
            return User(role=UserRole.User)
        return None


@uamethod
def mix(parent, count, share, name):
    return count * share, name.upper()


@uamethod
def stop(parent):
    pass


VARIABLES = {
    "running": (True, V.Boolean, True),
    "sbyte": (-5, V.SByte, False),
    "byte": (200, V.Byte, False),
    "int16": (-1234, V.Int16, True),
    "uint16": (60_000, V.UInt16, False),
    "int32": (-123_456_789, V.Int32, False),
    "uint32": (4_000_000_000, V.UInt32, False),
    "int64": (-1_234_567_890_123, V.Int64, True),
    "uint64": (18_446_744_073_709_551_615, V.UInt64, False),
    "pressure": (3.14, V.Float, True),
    "level": (2.5, V.Double, True),
    "model": ("PUMP-7", V.String, True),
    "title": (ua.LocalizedText("Presse", "de"), V.LocalizedText, False),
    "array": ([1, -2, 3], V.Int16, False),
    "nothing": (float("nan"), V.Double, False),
}


async def main(port, folder):
    server = Server(user_manager=Users())
    await server.init()
    server.set_endpoint(f"opc.tcp://127.0.0.1:{port}/plant")
    await server.set_application_uri("urn:plant:server")
    key, certificate = folder / "key.pem", folder / "certificate.der"
    await setup_self_signed_certificate(
        key, certificate, "urn:plant:server", "localhost", [ExtendedKeyUsageOID.SERVER_AUTH], {"commonName": "plant"}
    )
    await server.load_certificate(str(certificate))
    await server.load_private_key(str(key))
    server.set_security_policy(
        [
            ua.SecurityPolicyType.NoSecurity,
            ua.SecurityPolicyType.Basic256Sha256_Sign,
            ua.SecurityPolicyType.Basic256Sha256_SignAndEncrypt,
            ua.SecurityPolicyType.Aes256Sha256RsaPss_SignAndEncrypt,
        ]
    )
    index = await server.register_namespace("urn:plant")
    press = await server.nodes.objects.add_object(ua.NodeId("Press", index), "Press 4")
    nodes = {}
    for name, (value, kind, writable) in VARIABLES.items():
        node = await press.add_variable(ua.NodeId(f"Press.{name}", index), name, value, kind)
        if writable:
            await node.set_writable()
        nodes[name] = node
    unit = ua.EUInformation()
    unit.DisplayName = ua.LocalizedText("bar")
    await nodes["pressure"].add_property(index, "EngineeringUnits", unit)
    await nodes["pressure"].add_property(index, "EURange", ua.Range(0, 16))
    await nodes["byte"].add_property(index, "EnumStrings", [ua.LocalizedText("Off"), ua.LocalizedText("On")])
    point, _ = await new_struct(server, index, "Point", [new_struct_field("x", V.Double), new_struct_field("n", V.Int64)])
    await new_struct(
        server, index, "Job", [new_struct_field("name", V.String), new_struct_field("start", point), new_struct_field("done", V.Boolean)]
    )
    await server.load_data_type_definitions()
    job = ua.Job(name="J7", start=ua.Point(x=1.5, n=-9), done=True)
    nodes["job"] = await press.add_variable(
        ua.NodeId("Press.job", index), "job", ua.Variant(job, V.ExtensionObject)
    )
    await press.add_method(
        ua.NodeId("Press.mix", index), "mix", mix, [V.Int32, V.Float, V.String], [V.Double, V.String]
    )
    await press.add_method(ua.NodeId("Press.stop", index), "stop", stop, [], [])
    many = await server.nodes.objects.add_object(ua.NodeId("Many", index), "Many")
    for number in range(600):
        await many.add_variable(ua.NodeId(f"Many.{number}", index), f"Many {number}", number, V.Int32)
    async with server:
        print("ready", flush=True)
        loop = asyncio.get_running_loop()
        while line := await loop.run_in_executor(None, sys.stdin.readline):
            name, text = line.strip().split(" ", 1)
            if name == "job":
                job = ua.Job(name=json.loads(text), start=ua.Point(x=2.5, n=4), done=False)
                variant, status = ua.Variant(job, V.ExtensionObject), ua.StatusCode()
            elif name == "status":
                name, code = text.split(" ")
                variant, status = ua.Variant(*VARIABLES[name][:2]), ua.StatusCode(int(code))
            else:
                variant, status = ua.Variant(json.loads(text), VARIABLES[name][1]), ua.StatusCode()
            now = datetime.now(timezone.utc)
            value = ua.DataValue(variant, status, SourceTimestamp=now)
            await server.write_attribute_value(nodes[name].nodeid, value)
            print("done", flush=True)


asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2])))
