import { expect, test } from "bun:test";
import fc from "fast-check";
import { discoverNetworks } from "../../../../src/modules/integrations/announcements/discovered-networks.ts";

const found = (topics: readonly string[], isRead: (topic: string) => boolean = () => false) =>
  discoverNetworks(
    topics.map((topic, index) => ({ topic, receivedAt: index + 1 })),
    isRead,
  ).map(({ format, devices }) => [format, devices]);

test.each([
  ["tele/plug-1/SENSOR", "tasmota", "plug-1"],
  ["stat/hall/plug/POWER2", "tasmota", "hall/plug"],
  ["zigbee2mqtt/hall/door", "zigbee2mqtt", "hall/door"],
  ["zigbee2mqtt/door/availability", "zigbee2mqtt", "door"],
  ["shellies/shelly1-A1/relay/0", "shelly", "shelly1-A1"],
  ["shellyplus1-a8/events/rpc", "shelly", "shellyplus1-a8"],
  ["homeassistant/sensor/node/pressure/config", "home-assistant", "node"],
  ["homeassistant/sensor/pressure/config", "home-assistant", "pressure"],
  ["homeassistant/device/pump/config", "home-assistant", "pump"],
  ["spBv1.0/works/NBIRTH/line-1", "sparkplug", "works/line-1"],
] as const)("recognises %s", (topic, format, device) => {
  expect(found([topic])).toEqual([[format, [device]]]);
});

test.each([
  "cmnd/plug-1/POWER",
  "tele/LWT",
  "tele/plug-1/OTHER",
  "zigbee2mqtt/bridge/devices",
  "zigbee2mqtt/door/set",
  "shellies/command",
  "shellies/shelly1-A1/command",
  "homeassistant/status",
  "homeassistant/device/lineside_1/config",
  "spBv1.0/works/NCMD/line-1",
  "sensors/a",
])("does not recognise %s", (topic) => {
  expect(found([topic])).toEqual([]);
});

test("counts devices once, and leaves out topics that are read", () => {
  const topics = ["tele/a/LWT", "tele/a/STATE", "tele/b/STATE", "zigbee2mqtt/door"];
  expect(found(topics)).toEqual([
    ["tasmota", ["a", "b"]],
    ["zigbee2mqtt", ["door"]],
  ]);
  expect(found(topics, (topic) => topic.startsWith("tele/"))).toEqual([["zigbee2mqtt", ["door"]]]);
});

test("counts the components of a node that announces itself for Home Assistant as one device", () => {
  const topics = ["homeassistant/sensor/oven/temp/config", "homeassistant/switch/oven/heat/config"];
  expect(found(topics)).toEqual([["home-assistant", ["oven"]]]);
});

test("names ten devices at most, with the number of all", () => {
  const topics = Array.from({ length: 12 }, (_, n) => ({ topic: `tele/p${n}/LWT`, receivedAt: n }));
  expect(discoverNetworks(topics, () => false)).toMatchObject([{ deviceCount: 12, lastMessageAt: 11 }]);
  expect(discoverNetworks(topics, () => false)[0]?.devices).toHaveLength(10);
});

test("takes any topic", () => {
  fc.assert(fc.property(fc.array(fc.string({ maxLength: 40 })), (topics) => void found(topics)));
});

test("cuts the names of devices whose topics are long", () => {
  const name = "x".repeat(60_000);
  expect(found([`tele/${name}/STATE`])).toEqual([["tasmota", [`${name.slice(0, 100)}…`]]]);
});
