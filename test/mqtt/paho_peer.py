"""A device or a gateway built on Debian's paho client: says what firmware says, prints what it hears, one JSON object a line."""

import json
import sys

import paho.mqtt.client as mqtt

role, port, token, version, child = sys.argv[1:]
protocol = mqtt.MQTTv5 if version == "5" else mqtt.MQTTv311
client = mqtt.Client(client_id="", protocol=protocol)
client.username_pw_set(token)


def tell(**what):
    print(json.dumps(what), flush=True)


def say(topic, body, qos=1):
    client.publish(topic, json.dumps(body), qos=qos)


def on_connect(client, userdata, flags, reason, properties=None):
    tell(event="connected", reason=int(getattr(reason, "value", reason)))
    if role == "gateway":
        client.subscribe([("v1/gateway/rpc", 1), ("v1/gateway/attributes", 1), ("v1/gateway/attributes/response", 1)])
    else:
        client.subscribe([("v1/devices/me/rpc/request/+", 1), ("v1/devices/me/attributes", 1)])


def on_subscribe(client, userdata, mid, granted, properties=None):
    tell(event="subscribed", granted=[int(getattr(code, "value", code)) for code in granted])
    if role == "gateway":
        say("v1/gateway/connect", {"device": child, "type": "paho"})
        say("v1/gateway/attributes", {child: {"firmware": "2.1"}})
        say("v1/gateway/attributes/request", {"id": 7, "device": child, "client": True, "key": "firmware"})
        say("v1/gateway/telemetry", {child: [{"ts": 1700000000000, "values": {"old": 1}}, {"new": 2}]}, qos=2)
    else:
        say("v1/devices/me/attributes", {"firmware": "2.1"})
        say("v1/devices/me/telemetry", {"new": 2}, qos=2)


published = 0


def on_publish(client, userdata, mid):
    global published
    published += 1
    if published == (4 if role == "gateway" else 2):
        tell(event="published")


def on_message(client, userdata, message):
    body = json.loads(message.payload)
    tell(event="message", topic=message.topic, body=body)
    if message.topic == "v1/gateway/rpc":
        say(message.topic, {"device": body["device"], "id": body["data"]["id"], "data": {"answered": True}})
    elif "/rpc/request/" in message.topic:
        say(message.topic.replace("/request/", "/response/"), {"answered": True})


client.on_connect = on_connect
client.on_subscribe = on_subscribe
client.on_publish = on_publish
client.on_message = on_message
client.connect("127.0.0.1", int(port), keepalive=30)
client.loop_forever()
