import { expect, test } from "bun:test";
import { adapter, expectNeverToBreak, inbound, only, outcomeOf } from "./adapter-support.ts";

/** Messages as Shelly's documentation of the first generation describes them. */

const take = (topic: string, body: unknown) => adapter("shelly").normalize(inbound(body, { topic }));
const values = (topic: string, body: unknown) => ({ ...only(take(`shellies/dev/${topic}`, body)).telemetry });

const info = {
  wifi_sta: { connected: true, ssid: "net", ip: "10.0.0.9", rssi: -55 },
  relays: [{ ison: true }],
  meters: [{ power: 12.5 }],
  bat: { value: 79, voltage: 5.56 },
  thermostats: [
    { pos: 35, target_t: { enabled: true, value: 21.5, units: "C" }, tmp: { value: 19.8, units: "C" } },
  ],
  uptime: 3_600,
  ram_free: 38_000,
};
const announcement = {
  id: "shellyplug-s-041A2B",
  model: "SHPLG-S",
  mac: "A4CF12041A2B",
  ip: "10.0.0.9",
  new_fw: false,
  fw_ver: "20230913-113421/v1.14.0",
};

test.each([
  ["relay/0", "on", { relay_0: true }],
  ["relay/1", "off", { relay_1: false }],
  ["relay/0", "overpower", { relay_0: false, relay_0_event: "overpower" }],
  ["relay/0/power", "42.17", { relay_0_power: 42.17 }],
  ["relay/0/energy", "90", { relay_0_energy: 1.5 }],
  ["relay/energy", "6000", { relay_energy: 100 }],
  ["temperature", "31.53", { temperature: 31.53 }],
  ["temperature_status", "Normal", { temperature_status: "Normal" }],
  ["overtemperature", "0", { overtemperature: false }],
  ["voltage", "231.6", { voltage: 231.6 }],
  ["input/0", "1", { input_0: true }],
  ["longpush/0", "0", { longpush_0: false }],
  ["input_event/0", { event: "SS", event_cnt: 4 }, { input_0_event: "SS", input_0_event_cnt: 4 }],
  ["ext_temperature/2", "4.25", { ext_temperature_2: 4.25 }],
  ["adc/0", "11.7", { adc_0: 11.7 }],
  ["emeter/1/power", "-310.4", { emeter_1_power: -310.4 }],
  ["emeter/1/returned_energy", "30", { emeter_1_returned_energy: 0.5 }],
  ["emeter/1/total", "7712.6", { emeter_1_total: 7712.6 }],
  ["emeter/1/pf", "0.97", { emeter_1_pf: 0.97 }],
  ["roller/0", "stop", { roller_0: "stop" }],
  ["roller/0/pos", "65", { roller_0_pos: 65 }],
  ["sensor/temperature", "21.62", { sensor_temperature: 21.62 }],
  ["sensor/flood", "true", { sensor_flood: true }],
  ["sensor/state", "open", { sensor_state: "open" }],
  ["sensor/act_reasons", ["sensor", "periodic"], { sensor_act_reasons: ["sensor", "periodic"] }],
  ["light/0", "on", { light_0: true }],
  [
    "light/0/status",
    { ison: true, source: "mqtt", has_timer: false, mode: "white", brightness: 40, transition: 0 },
    { light_0: true, light_0_mode: "white", light_0_brightness: 40, light_0_transition: 0 },
  ],
  ["color/0/energy", "120", { color_0_energy: 2 }],
  ["white/3", "off", { white_3: false }],
  [
    "status",
    { motion: true, timestamp: 1_700_000_000, active: true, vibration: false, lux: 25, bat: 96 },
    { sensor_motion: true, sensor_active: true, sensor_vibration: false, sensor_lux: 25, sensor_battery: 96 },
  ],
  [
    "info",
    info,
    {
      wifi_rssi: -55,
      sys_uptime: 3_600,
      sys_ram_free: 38_000,
      sensor_battery: 79,
      sensor_battery_voltage: 5.56,
      thermostat_0_pos: 35,
      thermostat_0_target_t: 21.5,
      thermostat_0_temperature: 19.8,
    },
  ],
  ["online", "true", { online: true }],
] as const)("reads %s %j", (topic, body, telemetry) => {
  expect(values(topic, body)).toEqual(telemetry);
});

test("names a device by its id, and keeps its base for the way back", () => {
  for (const topic of ["shellies/hall-plug/relay/0", "shellies/hall-plug/online"])
    expect(only(take(topic, "on")).device).toEqual({
      externalId: "shellies/hall-plug",
      name: "hall-plug",
      type: "shelly",
    });
});

test.each(["shellies/shellyplug-s-041A2B/announce", "shellies/announce"])(
  "%s describes the device",
  (topic) => {
    expect(only(take(topic, announcement))).toMatchObject({
      kind: "attributes",
      device: { externalId: "shellies/shellyplug-s-041A2B", name: "shellyplug-s-041A2B", type: "SHPLG-S" },
      attributes: {
        model: "SHPLG-S",
        mac: "A4CF12041A2B",
        ip: "10.0.0.9",
        firmware: "20230913-113421/v1.14.0",
      },
    });
  },
);

test("a device of a later generation may have its topics below the same base", () => {
  const status = { method: "NotifyStatus", params: { "switch:0": { id: 0, apower: 3 } } };
  const message = only(take("shellies/plus/events/rpc", status));
  expect(message.device).toEqual({ externalId: "shellies/plus", name: "plus", type: "shelly" });
  expect({ ...message.telemetry }).toEqual({ switch_0_apower: 3 });
});

test.each([
  ["shellies/dev/relay/0/command", "on"],
  ["shellies/dev/roller/0/command/pos", "50"],
  ["shellies/dev/light/0/set", { brightness: 5 }],
  ["shellies/dev/command", "announce"],
  ["shellies/command", "announce"],
  ["shellies/dev/roller/0/pos", "-1"],
  ["shellies/dev/relay/0/energy", "none"],
  ["shellies/dev/relay/0/energy", "1e999"],
  ["shellies/dev/input_event/0", { event: "", event_cnt: 0 }],
  ["shellies/dev/relay/0", ""],
  ["shellies/dev/relay/zero", "on"],
  ["shellies/dev/other/0", "1"],
  ["shellies/announce", { id: "a/b", model: "X" }],
  ["shellies//relay/0", "on"],
  ["shellies", "on"],
] as const)("ignores %s %j", (topic, body) => {
  expect(outcomeOf(take(topic, body))).toEqual([0, "ignored"]);
});

test("nothing that anybody sends breaks it", () => {
  const parts = [
    "relay/0",
    "relay/0/energy",
    "light/0/status",
    "input_event/0",
    "status",
    "info",
    "announce",
  ];
  expectNeverToBreak(
    () => adapter("shelly"),
    [info, announcement, "on", 7],
    [...parts.map((part) => ({ topic: `shellies/dev/${part}` })), { topic: "shellies/announce" }],
  );
});
