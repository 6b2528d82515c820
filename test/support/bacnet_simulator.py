"""A device of bacpypes3: `bacnet_simulator.py <port> <instance>`. With a network and an address there (`5 10`), it is behind a router, which is a BBMD and has the port. Writes "ready" once it listens, then takes lines: `["<name>", "<property>", <value>]` sets a property of an object."""
import asyncio
import json
import sys

from bacpypes3.app import Application
from bacpypes3.argparse import SimpleArgumentParser
from bacpypes3.basetypes import EngineeringUnits, Reliability, StatusFlags
from bacpypes3.local.device import DeviceObject
from bacpypes3.local.networkport import NetworkPortObject
from bacpypes3.local.analog import AnalogInputObject, AnalogOutputObject, AnalogValueObject
from bacpypes3.local.binary import BinaryInputObject, BinaryOutputObject
from bacpypes3.local.multistate import MultiStateValueObject
from bacpypes3.vlan import VirtualNetwork
from bacpypes3.object import CharacterStringValueObject, IntegerValueObject, LargeAnalogValueObject, PositiveIntegerValueObject

FLAGS = {"statusFlags": StatusFlags([]), "eventState": "normal", "outOfService": False}


def objects():
    """One object of each type that has a value, and 200 analog values."""
    yield AnalogInputObject(objectIdentifier=("analog-input", 1), objectName="Supply temperature", description="Floor 1", presentValue=21.5, units=EngineeringUnits("degreesCelsius"), **FLAGS)
    yield AnalogInputObject(objectIdentifier=("analog-input", 2), objectName="Broken sensor", presentValue=float("nan"), units=EngineeringUnits("percent"), **FLAGS)
    yield AnalogOutputObject(objectIdentifier=("analog-output", 1), objectName="Valve", presentValue=10.0, relinquishDefault=10.0, units=EngineeringUnits("percent"), **FLAGS)
    yield BinaryInputObject(objectIdentifier=("binary-input", 1), objectName="Window", presentValue="active", polarity="normal", activeText="open", inactiveText="closed", **FLAGS)
    yield BinaryOutputObject(objectIdentifier=("binary-output", 1), objectName="Pump", presentValue="inactive", relinquishDefault="inactive", polarity="normal", **FLAGS)
    yield MultiStateValueObject(objectIdentifier=("multi-state-value", 1), objectName="Mode", presentValue=2, numberOfStates=3, stateText=["off", "auto", "manual"], **FLAGS)
    yield CharacterStringValueObject(objectIdentifier=("characterstring-value", 1), objectName="Label", presentValue="Käfer", **FLAGS)
    yield IntegerValueObject(objectIdentifier=("integer-value", 1), objectName="Signed", presentValue=-70000, units=EngineeringUnits("noUnits"), **FLAGS)
    yield PositiveIntegerValueObject(objectIdentifier=("positive-integer-value", 1), objectName="Counter", presentValue=4000000000, units=EngineeringUnits("noUnits"), **FLAGS)
    yield LargeAnalogValueObject(objectIdentifier=("large-analog-value", 1), objectName="Large", presentValue=1234567.891, units=EngineeringUnits("kilowattHours"), **FLAGS)
    for index in range(100, 300):
        yield AnalogValueObject(objectIdentifier=("analog-value", index), objectName=f"Value {index}", presentValue=float(index), units=EngineeringUnits("noUnits"), covIncrement=0.1, **FLAGS)


def convert(name, value):
    if name == "statusFlags":
        return StatusFlags(value)
    return Reliability(value) if name == "reliability" else value


def at(port, instance, *more):
    """A device or router that has the port."""
    return Application.from_args(SimpleArgumentParser().parse_args(["--name", "simulator", "--instance", instance, "--address", f"127.0.0.1/24:{port}", *more]))


def in_network(network, address, number):
    return NetworkPortObject(objectIdentifier=("network-port", number), objectName=f"Port {number}", networkType="virtual", protocolLevel="bacnet-application", networkInterfaceName="field", networkNumber=network, networkNumberQuality="configured", macAddress=bytes([address]))


def behind_router(port, instance, network, address):
    """A device in a network without IP, as controllers on MS/TP are."""
    VirtualNetwork("field")
    at(port, "900", "--network", "100", "--bbmd", f"127.0.0.1:{port}").add_object(in_network(network, 1, 2))
    device = DeviceObject(objectIdentifier=("device", int(instance)), objectName="simulator", vendorIdentifier=999)
    return Application.from_object_list([device, in_network(network, address, 1)])


async def main():
    port, instance, *route = sys.argv[1:]
    app = behind_router(port, instance, *map(int, route)) if route else at(port, instance)
    by_name = {}
    for item in objects():
        app.add_object(item)
        by_name[str(item.objectName)] = item
    print("ready", flush=True)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        name, prop, value = json.loads(line)
        setattr(by_name[name], prop, convert(prop, value))
        print("done", flush=True)


asyncio.run(main())
