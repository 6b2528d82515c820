"""A device or a gateway built on the ThingsBoard client SDK for Python. Prints what it hears, one JSON object a line."""

import json
import sys
import threading

import tb_device_mqtt
from tb_gateway_mqtt import TBGatewayMqttClient

role, port, token = sys.argv[1:]


def tell(**what):
    print(json.dumps(what), flush=True)


def as_device():
    client = tb_device_mqtt.TBDeviceMqttClient("127.0.0.1", int(port), username=token)

    def answer(request_id, request):
        tell(command=request["method"], params=request["params"])
        client.send_rpc_reply(request_id, {"answered": True})

    called = threading.Event()

    def connected(*_, tb_client):
        called.set()
        tb_client.send_rpc_call("getSessionLimits", {}, lambda _, limits, *rest: tell(limits=limits))
        tb_client.request_attributes(shared_keys=["interval"], callback=lambda content, error: tell(requested=content, error=error))

    client.set_server_side_rpc_request_handler(answer)
    client.subscribe_to_all_attributes(lambda content, error: tell(shared=content))
    client.connect(callback=connected)
    while not client.is_connected():
        threading.Event().wait(0.01)
    # The library stores the callback after it has started its network thread, which may have looked for it by then.
    if not called.wait(2):
        connected(tb_client=client)
    client.send_attributes({"firmware": "2.1"})
    client.send_telemetry([{"ts": 1795000000000, "values": {"old": 1}}, {"new": 2}], quality_of_service=1).get()
    client.send_telemetry({f"key{n}": n for n in range(500)}, quality_of_service=1).get()
    tell(sent=True)


def as_gateway():
    client = TBGatewayMqttClient("127.0.0.1", int(port), username=token)

    def answer(gateway, content):
        tell(command=content["data"]["method"], device=content["device"])
        gateway.gw_send_rpc_reply(content["device"], content["data"]["id"], {"answered": True})

    client.gw_set_server_side_rpc_request_handler(answer)
    client.connect()
    while not client.is_connected():
        threading.Event().wait(0.01)
    client.gw_connect_device("SDK child", "sdk")
    client.gw_subscribe_to_all_attributes(lambda content, *_: tell(shared=content))
    client.gw_send_attributes("SDK child", {"firmware": "2.1"}).get()
    client.gw_send_telemetry("SDK child", {"ts": 1795000000000, "values": {"old": 1}}).get()
    client.gw_send_telemetry("SDK child", [{"new": 2}]).get()
    client.gw_request_client_attributes("SDK child", ["firmware"], lambda content, *_: tell(requested=content))

as_device() if role == "device" else as_gateway()
threading.Event().wait(60)
