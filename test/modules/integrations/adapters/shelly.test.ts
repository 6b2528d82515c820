import { expect, test } from "bun:test";
import {
  adapter,
  expectNeverToBreak,
  inbound,
  only,
  outcomeOf,
  RECEIVED_AT,
  refusal,
} from "./adapter-support.ts";

const take = (topic: string, body: unknown) => adapter("shelly").normalize(inbound(body, { topic }));
const said = (topic: string, body: unknown) => only(take(topic, body));

const seconds = RECEIVED_AT / 1000 - 60;
const status = {
  src: "shellyplus1pm-a8032abe54dc",
  dst: "shellyplus1pm-a8032abe54dc/events",
  method: "NotifyStatus",
  params: {
    ts: seconds + 0.25,
    "switch:0": {
      id: 0,
      source: "button",
      output: true,
      apower: 8.9,
      aenergy: { total: 6.532, by_minute: [45.199, 47.141, 88.397], minute_ts: 1_700_000_000 },
      temperature: { tC: 37.5, tF: 99.5 },
    },
    "input:0": { id: 0, state: null },
    wifi: { sta_ip: "10.0.0.5", status: "got ip", ssid: "net", rssi: -61 },
    sys: { mac: "A8032ABE54DC", uptime: 300, ram_free: 140_000, available_updates: {} },
    cloud: { connected: true },
  },
};
const event = {
  src: "shellyplusi4-b8d61a8b",
  method: "NotifyEvent",
  params: {
    ts: seconds,
    events: [
      { component: "input:0", id: 0, event: "single_push", ts: seconds },
      { component: "sys", event: "config_changed", ts: seconds },
      {
        component: "script:1",
        id: 1,
        event: "ble",
        data: { temperature: 21.5, address: "aa:bb" },
        ts: seconds,
      },
    ],
  },
};

test("a change of status becomes keys by component, with the device's own time", () => {
  const message = said("shellyplus1pm-a8032abe54dc/events/rpc", status);
  expect(message.device).toEqual({
    type: "shelly",
    externalId: "shellyplus1pm-a8032abe54dc",
    name: "shellyplus1pm-a8032abe54dc",
  });
  expect(message.ts).toBe(RECEIVED_AT - 60_000 + 250);
  expect({ ...message.telemetry }).toEqual({
    switch_0_output: true,
    switch_0_apower: 8.9,
    switch_0_aenergy_total: 6.532,
    switch_0_temperature_tC: 37.5,
    switch_0_temperature_tF: 99.5,
    wifi_rssi: -61,
    sys_uptime: 300,
    sys_ram_free: 140_000,
  });
});

test("before its clock is set the time of receipt counts", () => {
  for (const ts of [null, 0, 12.5, "x", 4e12])
    expect(said("a/events/rpc", { ...status, params: { ...status.params, ts } }).ts).toBeUndefined();
});

test("each event is a message of its own", () => {
  const { messages } = take("hall/i4/events/rpc", event);
  expect(messages.map(({ telemetry }) => ({ ...telemetry }))).toEqual([
    { input_0_event: "single_push" },
    { script_1_event: "ble", script_1_temperature: 21.5, script_1_address: "aa:bb" },
  ]);
  expect(messages[0]).toMatchObject({ device: { externalId: "hall/i4" }, ts: RECEIVED_AT - 60_000 });
});

test("a component's whole status says the same by a topic of its own", () => {
  expect({ ...said("hall/plug/status/switch:0", status.params["switch:0"]).telemetry }).toMatchObject({
    switch_0_apower: 8.9,
  });
});

test("its last will says whether it is there", () => {
  expect(said("hall/plug/online", "true").telemetry).toEqual({ online: true });
  expect(said("hall/plug/online", "false").telemetry).toEqual({ online: false });
});

test("commands, answers and what says nothing of a measurement are ignored", () => {
  for (const [topic, body] of [
    ["a/rpc", { id: 1, method: "Switch.Set" }],
    ["a/events/rpc", { method: "Other" }],
    ["a/events/rpc", { method: "NotifyStatus", params: { ts: 1, cloud: { connected: true } } }],
    ["a/status/mqtt", { connected: true }],
    ["online", "true"],
    ["x", "y"],
  ] as const)
    expect(outcomeOf(take(topic, body))).toEqual([0, "ignored"]);
});

test("what is no object where it should be is refused, and so is a body without a topic", () => {
  expect(refusal(() => take("a/status/switch:0", "[]"))).toStartWith("integration.body_");
  expect(refusal(() => take("a/events/rpc", "{"))).toStartWith("integration.body_");
  expect(refusal(() => adapter("shelly").normalize(inbound(status)))).toBe("integration.topic_missing");
});

test("nothing that anybody sends breaks it", () => {
  const topics = ["a/events/rpc", "a/status/switch:0", "a/online", "a", ""];
  expectNeverToBreak(
    () => adapter("shelly"),
    [status, event],
    topics.map((topic) => ({ topic })),
  );
});
