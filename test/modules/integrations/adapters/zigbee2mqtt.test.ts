import { expect, test } from "bun:test";
import { adapter, expectNeverToBreak, inbound, only, outcomeOf, refusal } from "./adapter-support.ts";

const create = (topicFilter: string | string[] = "zigbee2mqtt/#") =>
  adapter("zigbee2mqtt", { mqtt: { brokerUrl: "mqtt://127.0.0.1", topicFilter } });
const take = (topic: string, body: unknown, filter?: string | string[]) =>
  create(filter).normalize(inbound(body, { topic }));
const said = (...input: Parameters<typeof take>) => only(take(...input));

const body = {
  temperature: 27.34,
  state: "ON",
  state_l2: "OFF",
  action: "single",
  battery: null,
  linkquality: 120,
  color: { x: 0.3, y: 0.4 },
  last_seen: "2026-03-01T11:59:00Z",
  update: { state: "idle" },
  device: { ieeeAddr: "0x00158d" },
};
const devices = [
  { ieee_address: "0x0000", type: "Coordinator", friendly_name: "Coordinator" },
  {
    ieee_address: "0x00158d0001",
    type: "EndDevice",
    friendly_name: "hall/door",
    power_source: "Battery",
    definition: { vendor: "Aqara", model: "MCCGQ11LM", description: "Door sensor", exposes: [] },
  },
  { type: "Router", friendly_name: "silent" },
];

test("a device's state becomes keys of one level, switches yes or no; what only describes it is left out", () => {
  const message = said("zigbee2mqtt/kitchen", body);
  expect(message.device).toEqual({ externalId: "kitchen", name: "kitchen" });
  expect({ ...message.telemetry }).toEqual({
    temperature: 27.34,
    state: true,
    state_l2: false,
    action: "single",
    linkquality: 120,
    color_x: 0.3,
    color_y: 0.4,
  });
});

test("other states stay words", () => {
  expect({ ...said("zigbee2mqtt/lock", { state: "LOCK" }).telemetry }).toEqual({ state: "LOCK" });
});

test("friendly names may have slashes, the base topic any number of levels", () => {
  expect(said("zigbee2mqtt/hall/door", { contact: true }).device.externalId).toBe("hall/door");
  expect(said("works/z2m/hall/door", { contact: true }, "works/z2m/#").device.externalId).toBe("hall/door");
  expect(said("z/hall/door", { contact: true }, ["a/b/+", "z/#"]).device.externalId).toBe("hall/door");
  expect(said("z/hall", { contact: true }, "#").device.externalId).toBe("hall");
  expect(said("z/hall", { contact: true }, "$share/g/z/+").device.externalId).toBe("hall");
  expect(said("z/hall", { contact: true }, "z/hall").device.externalId).toBe("hall");
});

test("availability says whether it is there, in both of its forms", () => {
  expect(said("zigbee2mqtt/hall/door/availability", { state: "online" }).telemetry).toEqual({ online: true });
  expect(said("zigbee2mqtt/door/availability", "offline").telemetry).toEqual({ online: false });
});

test("a value with a topic of its own is the device's above", () => {
  expect({ ...said("zigbee2mqtt/door/temperature", "21.5").telemetry }).toEqual({ temperature: 21.5 });
  expect({ ...said("zigbee2mqtt/door/state", "ON").telemetry }).toEqual({ state: true });
  expect(take("zigbee2mqtt/door/temperature", "").messages).toEqual([]);
});

test("the bridge's list tells what the devices are", () => {
  expect(only(take("zigbee2mqtt/bridge/devices", devices))).toEqual({
    kind: "attributes",
    device: {
      externalId: "hall/door",
      name: "hall/door",
      address: "0x00158d0001",
      type: "MCCGQ11LM",
    },
    telemetry: {},
    attributes: {
      ieeeAddress: "0x00158d0001",
      vendor: "Aqara",
      model: "MCCGQ11LM",
      description: "Door sensor",
      powerSource: "Battery",
    },
  });
});

test("commands and what the bridge says of itself are ignored", () => {
  for (const topic of [
    "zigbee2mqtt/door/set",
    "zigbee2mqtt/door/set/state",
    "zigbee2mqtt/door/get",
    "zigbee2mqtt/bridge/state",
    "zigbee2mqtt/bridge/logging",
    "zigbee2mqtt",
  ])
    expect(outcomeOf(take(topic, { state: "online" }))).toEqual([0, "ignored"]);
});

test("bytes that are no text are refused, and so is a body without a topic", () => {
  expect(refusal(() => take("zigbee2mqtt/a", new Uint8Array([0xff, 0])))).toBe("integration.body_not_text");
  expect(refusal(() => create().normalize(inbound(body)))).toBe("integration.topic_missing");
});

test("nothing that anybody sends breaks it", () => {
  const topics = [
    "zigbee2mqtt/a",
    "zigbee2mqtt/a/availability",
    "zigbee2mqtt/bridge/devices",
    "zigbee2mqtt",
    "",
  ];
  expectNeverToBreak(
    create,
    [body, devices],
    topics.map((topic) => ({ topic })),
  );
});
