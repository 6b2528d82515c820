import { expect, test } from "bun:test";
import { adapter, expectNeverToBreak, inbound, only, outcomeOf, refusal } from "./adapter-support.ts";

const take = (topic: string, body: unknown) => adapter("tasmota").normalize(inbound(body, { topic }));
const said = (topic: string, body: unknown) => only(take(topic, body));

const sensor = {
  Time: "2026-03-01T13:00:00",
  DS18B20: { Id: "01131B7A", Temperature: 20.6 },
  ENERGY: { TotalStartTime: "2025-01-01T00:00:00", Total: 3.18, Power: [12, 7], Voltage: 231 },
  Switch1: "ON",
  TempUnit: "C",
};
const state = {
  Time: "2026-03-01T13:00:00+01:00",
  Uptime: "0T00:10:11",
  UptimeSec: 611,
  SleepMode: "Dynamic",
  POWER1: "OFF",
  Wifi: { AP: 1, SSId: "net", BSSId: "E6:8D", RSSI: 44, Signal: -78 },
};

test("what a sensor reads becomes keys of one level, switches yes or no", () => {
  const message = said("tele/cold-store/SENSOR", sensor);
  expect(message.device).toEqual({ externalId: "cold-store", name: "cold-store", type: "tasmota" });
  expect({ ...message.telemetry }).toEqual({
    DS18B20_Temperature: 20.6,
    ENERGY_TotalStartTime: "2025-01-01T00:00:00",
    ENERGY_Total: 3.18,
    ENERGY_Power_1: 12,
    ENERGY_Power_2: 7,
    ENERGY_Voltage: 231,
    Switch1: true,
  });
});

test("its local time counts only with a zone", () => {
  expect(said("tele/a/SENSOR", sensor).ts).toBeUndefined();
  expect(said("tele/a/STATE", state).ts).toBe(Date.parse("2026-03-01T12:00:00Z"));
  expect(said("tele/a/STATE", { ...state, Time: "1970-01-01T00:00:10+01:00" }).ts).toBeUndefined();
});

test("its state says power, memory and signal, not the network's names", () => {
  expect({ ...said("tele/a/STATE", state).telemetry }).toEqual({
    Uptime: "0T00:10:11",
    UptimeSec: 611,
    POWER1: false,
    Wifi_AP: 1,
    Wifi_RSSI: 44,
    Wifi_Signal: -78,
  });
});

test("its last will says whether it is there", () => {
  expect(said("tele/a/LWT", "Online").telemetry).toEqual({ online: true });
  expect(said("tele/a/LWT", "Offline").telemetry).toEqual({ online: false });
});

test("answers to commands tell too", () => {
  expect({ ...said("stat/a/RESULT", { POWER: "ON" }).telemetry }).toEqual({ POWER: true });
  expect(said("stat/a/POWER2", "ON").telemetry).toEqual({ POWER2: true });
  expect({ ...said("stat/a/STATUS10", { StatusSNS: sensor }).telemetry }).toMatchObject({
    DS18B20_Temperature: 20.6,
  });
});

test.each([
  ["stat/x/DOOR", "ON", { DOOR: true }],
  ["stat/x/MOTION", "OFF", { MOTION: false }],
  ["tele/x/POWER_LOW", "ON", { POWER_LOW: true }],
  ["stat/x/DOOR", "open", { DOOR: "open" }],
  ["stat/x/COUNT", "7", { COUNT: 7 }],
  ["hall/x/stat/LEAK", "OFF", { LEAK: false }],
  ["stat/x/POWER2", "ON", { POWER2: true }],
])("a rule publishes a single value on %s: %s", (topic, body, telemetry) => {
  expect(said(topic, body).telemetry).toEqual(telemetry);
});

test("a rule that publishes no value is no error, and an object is never a single value", () => {
  expect(outcomeOf(take("stat/x/LEVEL", "nan"))).toEqual([0, "ignored"]);
  for (const kind of ["SENSOR", "STATE", "RESULT", "STATUS8", "INFO1", "STATUS"])
    expect(refusal(() => take(`stat/x/${kind}`, "ON"))).toBe("integration.body_not_object");
});

test("the device is what stands around the prefix, wherever that is", () => {
  expect(said("tele/hall/3/plug/LWT", "Online").device.externalId).toBe("hall/3/plug");
  expect(said("hall/plug/tele/LWT", "Online").device.externalId).toBe("hall/plug");
});

test("commands, versions and topics of others are ignored", () => {
  for (const topic of [
    "cmnd/a/POWER",
    "tele/a/INFO1",
    "stat/a/STATUS2",
    "tele/a/UPTIME",
    "tele/LWT",
    "x",
    "a/b/c",
    "tasmota/discovery/A/config",
  ])
    expect(outcomeOf(take(topic, { Info4: { Version: "14" } }))).toEqual([0, "ignored"]);
});

test.each([
  [
    "tele/a/INFO1",
    { Info1: { Module: "Sonoff S31", Version: "13.1.0(tasmota)", FallbackTopic: "cmnd/DVES_0A_fb/" } },
    { module: "Sonoff S31", firmware: "13.1.0(tasmota)" },
  ],
  ["tele/a/INFO1", { Module: "Sonoff S31", Version: "9.5.0" }, { module: "Sonoff S31", firmware: "9.5.0" }],
  [
    "tele/a/INFO2",
    { Info2: { WebServerMode: "Admin", Hostname: "plug-1", IPAddress: "192.168.1.5" } },
    { hostname: "plug-1", ip: "192.168.1.5" },
  ],
  ["tele/a/INFO3", { Info3: { RestartReason: "Power On" } }, { restartReason: "Power On" }],
  [
    "stat/a/STATUS",
    { Status: { Module: 1, DeviceName: "Plug", FriendlyName: ["Cold store", null] } },
    { deviceName: "Plug", friendlyName: "Cold store" },
  ],
  [
    "stat/a/STATUS2",
    { StatusFWR: { Version: "13.1.0", Hardware: "ESP8285" } },
    { firmware: "13.1.0", hardware: "ESP8285" },
  ],
  [
    "stat/a/STATUS5",
    { StatusNET: { Hostname: "plug-1", Mac: "A4:CF" } },
    { hostname: "plug-1", mac: "A4:CF" },
  ],
])("%s %j becomes attributes", (topic, body, attributes) => {
  expect(said(topic, body)).toMatchObject({ kind: "attributes", attributes });
  expect(Object.keys(said(topic, body).attributes ?? {})).toEqual(Object.keys(attributes));
});

test("the answer to STATUS0 has attributes and readings", () => {
  const { messages } = take("stat/a/STATUS0", {
    StatusFWR: { Version: "13.1.0" },
    StatusNET: { Mac: "A4:CF" },
    StatusSNS: sensor,
  });
  expect(messages.map(({ kind }) => kind)).toEqual(["attributes", "uplink"]);
  expect(messages[1]?.telemetry).toMatchObject({ DS18B20_Temperature: 20.6 });
});

test("what is no JSON where it should be is refused, and so is a body without a topic", () => {
  expect(refusal(() => take("tele/a/SENSOR", "{"))).toStartWith("integration.body_");
  expect(refusal(() => take("tele/a/SENSOR", new Uint8Array([0xff])))).toBe("integration.body_not_text");
  expect(refusal(() => adapter("tasmota").normalize(inbound(sensor)))).toBe("integration.topic_missing");
});

test("nothing that anybody sends breaks it", () => {
  const kinds = ["SENSOR", "STATE", "LWT", "STATUS8", "RESULT", "POWER", "INFO1", "STATUS0"];
  expectNeverToBreak(
    () => adapter("tasmota"),
    [sensor, state, { StatusSNS: sensor }],
    [{}, ...kinds.map((kind) => ({ topic: `tele/a/${kind}` }))],
  );
});
