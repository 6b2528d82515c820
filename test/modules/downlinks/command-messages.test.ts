import { expect, test } from "bun:test";
import type { JsonValue } from "../../../src/lib/json/json.ts";
import { readPayload } from "../../../src/lib/sparkplug/sparkplug-payload.ts";
import {
  attributeMessages,
  commandMessage,
  hasCommands,
} from "../../../src/modules/downlinks/command-messages.ts";
import type { MessageFormat } from "../../../src/modules/integrations/integrations.types.ts";

const NOW = 1_790_000_000_000;

function written(
  format: MessageFormat,
  { externalId, topicFilter }: { externalId: string; topicFilter: string | string[] },
  [method, params]: readonly [string, JsonValue],
) {
  const settings = { format, mqtt: { brokerUrl: "local:", topicFilter } };
  const { topic, payload } = commandMessage({ settings, externalId, now: NOW }, { rpcId: 7, method, params });
  return { topic, payload };
}

const plug = { externalId: "plug", topicFilter: ["tele/#", "stat/#"] };

// The topics are those of the projects' documentation.
test.each([
  [["POWER", "ON"], "cmnd/plug/POWER", "ON"],
  [["POWER", true], "cmnd/plug/POWER", "ON"],
  [["Power", null], "cmnd/plug/Power", ""],
  [["Dimmer", 40], "cmnd/plug/Dimmer", "40"],
  [["setValue", { key: "POWER2", value: false }], "cmnd/plug/POWER2", "OFF"],
  [["Color", { RGB: "FF0000" }], "cmnd/plug/Color", '{"RGB":"FF0000"}'],
] as const)("Tasmota gets %j", (command, topic, payload) => {
  expect(written("tasmota", plug, command)).toEqual({ topic, payload });
});

test("writes Tasmota's prefix after the device if the topics have that order", () => {
  const behind = { externalId: "hall/plug", topicFilter: ["hall/+/tele/#", "hall/+/stat/+"] };
  expect(written("tasmota", behind, ["POWER", "ON"]).topic).toBe("hall/plug/cmnd/POWER");
});

test.each([
  [["setValue", { key: "state", value: true }], "zigbee2mqtt/lamp/set", { state: "ON" }],
  [["set", { brightness: 100, transition: 2 }], "zigbee2mqtt/lamp/set", { brightness: 100, transition: 2 }],
  [["get", { state: "" }], "zigbee2mqtt/lamp/get", { state: "" }],
  [["occupancy_timeout", 90], "zigbee2mqtt/lamp/set", { occupancy_timeout: 90 }],
] as const)("Zigbee2MQTT gets %j", (command, topic, body) => {
  const sent = written("zigbee2mqtt", { externalId: "lamp", topicFilter: "zigbee2mqtt/#" }, command);
  expect([sent.topic, JSON.parse(String(sent.payload))]).toEqual([topic, body]);
});

test("the base of Zigbee2MQTT is that of the filter", () => {
  const base = { externalId: "hall/lamp", topicFilter: "site/zigbee/#" };
  expect(written("zigbee2mqtt", base, ["state", "ON"]).topic).toBe("site/zigbee/hall/lamp/set");
});

test.each([
  [
    ["setValue", { key: "switch_0_output", value: true }],
    { method: "Switch.Set", params: { id: 0, on: true } },
  ],
  [["Switch.Toggle", { id: 1 }], { method: "Switch.Toggle", params: { id: 1 } }],
  [["Shelly.GetStatus", null], { method: "Shelly.GetStatus" }],
] as const)("a Shelly gets %j", (command, body) => {
  const sent = written("shelly", { externalId: "shellyplus1-a8", topicFilter: "+/events/rpc" }, command);
  expect([sent.topic, JSON.parse(String(sent.payload))]).toEqual([
    "shellyplus1-a8/rpc",
    { id: 7, src: "lineside", ...body },
  ]);
});

test.each([
  [["relay_0", true], "relay/0/command", "on"],
  [["setValue", { key: "relay_1", value: false }], "relay/1/command", "off"],
  [["relay_0", "toggle"], "relay/0/command", "toggle"],
  [["roller_0", true], "roller/0/command", "open"],
  [["roller_0", "stop"], "roller/0/command", "stop"],
  [["roller_0_pos", 40], "roller/0/command/pos", "40"],
  [["light_0", "on"], "light/0/command", "on"],
  [["light_0_brightness", 60], "light/0/set", '{"brightness":60}'],
  [["color_0", { red: 255, turn: "on" }], "color/0/set", '{"red":255,"turn":"on"}'],
  [["thermostat_0_target_t", 20.5], "thermostat/0/command/target_t", "20.5"],
  [["valve_0", false], "valve/0/command", "close"],
  [["update_fw", null], "command", "update_fw"],
] as const)("a Shelly of the first generation gets %j", (command, topic, payload) => {
  const externalId = "shellies/shellyplug-s-041A2B";
  expect(written("shelly", { externalId, topicFilter: "shellies/#" }, command)).toEqual({
    topic: `${externalId}/${topic}`,
    payload,
  });
});

test("a later Shelly below the base of the first generation gets requests", () => {
  const later = { externalId: "shellies/plus", topicFilter: "shellies/#" };
  for (const [method, params] of [
    ["light_0_output", true],
    ["Switch.Toggle", { id: 0 }],
  ] as const)
    expect(written("shelly", later, [method, params]).topic).toBe("shellies/plus/rpc");
  const elsewhere = { externalId: "hall/plug", topicFilter: "hall/#" };
  expect(written("shelly", elsewhere, ["relay_0", true]).topic).toBe("hall/plug/rpc");
});

test.each([
  ["works/line-1/press", "spBv1.0/works/DCMD/line-1/press"],
  ["works/line-1", "spBv1.0/works/NCMD/line-1"],
])("Sparkplug addresses %s", (externalId, topic) => {
  const command = ["setValue", { key: "Speed", value: 12.5 }] as const;
  const sent = written("sparkplug", { externalId, topicFilter: "spBv1.0/#" }, command);
  expect(sent.topic).toBe(topic);
  if (typeof sent.payload === "string") throw new Error("the payload is text");
  expect(readPayload(sent.payload)).toMatchObject({
    timestamp: NOW,
    metrics: [{ name: "Speed", value: 12.5 }],
  });
});

const changed = new Map<string, JsonValue>([
  ["TelePeriod", 60],
  ["SetOption65", true],
  ["a/b", 1],
]);
const sentTo = (format: MessageFormat, externalId: string, attributesTopic?: string) =>
  attributeMessages(
    {
      settings: {
        format,
        mqtt: { brokerUrl: "local:", topicFilter: "#", ...(attributesTopic && { attributesTopic }) },
      },
      externalId,
    },
    changed,
  ).map(({ topic, payload }) => [topic, payload]);

test("changes of shared attributes go to the topic that the settings name", () => {
  expect(sentTo("tasmota", "plug", "cmnd/{device}/{key}")).toEqual([
    ["cmnd/plug/TelePeriod", "60"],
    ["cmnd/plug/SetOption65", "ON"],
  ]);
  expect(sentTo("zigbee2mqtt", "hall/lamp", "zigbee2mqtt/{device}/set")).toEqual([
    ["zigbee2mqtt/hall/lamp/set", '{"TelePeriod":60,"SetOption65":true,"a/b":1}'],
  ]);
  expect(sentTo("generic", "$& pump", "site/{device}/settings").map(([topic]) => topic)).toEqual([
    "site/$& pump/settings",
  ]);
});

test("nothing is sent without a topic, or to a topic that nobody can publish on", () => {
  expect(sentTo("tasmota", "plug")).toEqual([]);
  for (const device of ["#", "a+", "x\0", "x\ny"])
    expect(sentTo("generic", device, "site/{device}")).toEqual([]);
});

test("refuses a command whose name is no topic level or whose value is not plain", () => {
  expect(() => written("tasmota", plug, ["a/b", 1])).toThrow(/not a command/);
  expect(() => written("tasmota", plug, ["", 1])).toThrow(/not a command/);
  const node = { externalId: "works/line-1", topicFilter: "spBv1.0/#" };
  expect(() => written("sparkplug", node, ["Speed", { a: 1 }])).toThrow(/must be a number/);
  expect([hasCommands("tasmota"), hasCommands("auto"), hasCommands(undefined)]).toEqual([true, false, false]);
});

test.each(["#", "a+", "lamp\0", "hall/#/lamp"])("a command to a device named %j is refused", (externalId) => {
  for (const format of ["tasmota", "zigbee2mqtt", "shelly", "sparkplug"] as const)
    expect(() => written(format, { externalId, topicFilter: "base/#" }, ["state", true])).toThrow(
      /nobody can/,
    );
});

test.each(["works/", "/line-1", "works/line-1/", "works"])("Sparkplug has no place for %j", (externalId) => {
  const command = ["setValue", { key: "Speed", value: 1 }] as const;
  expect(() => written("sparkplug", { externalId, topicFilter: "spBv1.0/#" }, command)).toThrow(/nobody can/);
});

test("a command whose topic is too long for a packet is refused", () => {
  const key = "ü".repeat(40_000);
  expect(() => written("tasmota", plug, ["setValue", { key, value: 1 }])).toThrow(/nobody can/);
});
