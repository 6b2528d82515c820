import { describe, expect, test } from "bun:test";
import { adapter, expectNeverToBreak, inbound, only, refusal } from "./adapter-support.ts";

const take = (body: unknown, event?: string) =>
  adapter("chirpstack").normalize(inbound(body, event === undefined ? {} : { event }));

/** Bytes of EUIs are base64 with the marshaler "json", hexadecimal with "json_v3". */
const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");
const EUI = "24e124136b502a17";
const GATEWAY = "24e124fffef0a001";

const head = {
  applicationID: "7",
  applicationName: "Hall 3",
  deviceName: "Cold store",
  deviceProfileName: "EM300-TH",
  devEUI: base64(EUI),
  tags: { room: "3.14" },
};
const up = {
  ...head,
  rxInfo: [
    { gatewayID: base64("24e124fffef0a002"), time: null, rssi: -97, loRaSNR: 3.5, channel: 1 },
    { gatewayID: base64(GATEWAY), time: "2026-03-01T11:59:58.5Z", rssi: -51, loRaSNR: 9, channel: 1 },
  ],
  txInfo: {
    frequency: 868300000,
    modulation: "LORA",
    loRaModulationInfo: { bandwidth: 125, spreadingFactor: 7, codeRate: "4/5" },
  },
  adr: true,
  dr: 5,
  fCnt: 42,
  fPort: 85,
  data: "AXVkA2cQAQRoZA==",
  objectJSON: JSON.stringify({ temperature: 27.2, nested: { a: [1] } }),
  confirmedUplink: false,
  devAddr: base64("01a2b3c4"),
  publishedAt: "2026-03-01T11:59:59Z",
};
const upVersion3Json = {
  applicationID: "7",
  applicationName: "Hall 3",
  deviceName: "Cold store",
  devEUI: EUI,
  rxInfo: [{ gatewayID: GATEWAY, name: "roof", time: "2026-03-01T11:59:58.5Z", rssi: -51, loRaSNR: 9 }],
  txInfo: { frequency: 868300000, dr: 5 },
  adr: true,
  fCnt: 42,
  fPort: 85,
  data: "AXVkA2cQAQRoZA==",
  object: { temperature: 27.2, nested: { a: [1] } },
};
const join = { ...head, devAddr: base64("01a2b3c4"), rxInfo: up.rxInfo, txInfo: up.txInfo, dr: 5 };
const status = {
  ...head,
  margin: 9,
  externalPowerSource: false,
  batteryLevelUnavailable: false,
  batteryLevel: 71.5,
};
const ack = { ...head, acknowledged: true, fCnt: 12 };
const txack = { ...head, gatewayID: base64(GATEWAY), fCnt: 12, txInfo: up.txInfo };
const error = { ...head, type: "UPLINK_CODEC", error: "bytes[3] is undefined", fCnt: 42 };
const location = { ...head, location: { latitude: 47.05, longitude: 8.3, accuracy: 12 } };
const integration = { ...head, integrationName: "loracloud", eventType: "modem", objectJSON: '{"temp":25}' };

describe("an uplink", () => {
  test.each([
    ["json", up, 2],
    ["json_v3", upVersion3Json, 1],
  ])("of the marshaler %s", (_, body, gateways) => {
    expect(only(take(body, "up"))).toMatchObject({
      kind: "uplink",
      ts: Date.parse("2026-03-01T11:59:58.500Z"),
      device: { devEui: EUI, name: "Cold store", route: { applicationId: "7" } },
      telemetry: { temperature: 27.2, nested: { a: [1] } },
      radio: {
        gateway: GATEWAY,
        gateways,
        rssi: -51,
        snr: 9,
        fCnt: 42,
        fPort: 85,
        dr: 5,
        frequency: 868300000,
      },
      frame: { fPort: 85, bytes: new Uint8Array(Buffer.from("AXVkA2cQAQRoZA==", "base64")) },
    });
  });

  test("has its spreading factor, and the time of its publication if no gateway has one", () => {
    const rxInfo = up.rxInfo.map((info) => ({ ...info, time: null }));
    const message = only(take({ ...up, rxInfo }, "up"));
    expect(message.radio).toMatchObject({ spreadingFactor: 7 });
    expect(message.ts).toBe(Date.parse("2026-03-01T11:59:59Z"));
  });

  test("by MQTT is found by the event of the topic", () => {
    const topic = `application/7/device/${EUI}/event/up`;
    expect(only(adapter("chirpstack").normalize(inbound(up, { topic }))).device.devEui).toBe(EUI);
  });

  test.each([
    ["an object that is no JSON", { ...up, objectJSON: "{temperature" }, "integration.object_json_invalid"],
    ["a dev EUI of six bytes", { ...up, devEUI: base64("24e124136b50") }, "integration.dev_eui_invalid"],
    ["a frame that is no base64", { ...up, data: "%%%" }, "integration.base64_invalid"],
    ["a port that is none", { ...up, fPort: 300 }, "integration.f_port_invalid"],
  ])("with %s is refused", (_, body, code) => {
    expect(refusal(() => take(body, "up"))).toBe(code);
  });
});

test.each([
  [
    "join",
    join,
    {
      kind: "join",
      attributes: {
        devAddr: "01a2b3c4",
        deviceProfile: "EM300-TH",
        application: "Hall 3",
        tags: { room: "3.14" },
      },
    },
  ],
  ["status", status, { kind: "status", telemetry: { margin: 9, battery: 71.5 } }],
  ["ack", ack, { kind: "ack", downlink: { state: "ACKNOWLEDGED" } }],
  ["ack", { ...ack, acknowledged: false }, { kind: "ack", downlink: { state: "FAILED" } }],
  ["txack", txack, { kind: "ack", downlink: { state: "SENT" } }],
  ["error", error, { kind: "log", log: { level: "ERROR", text: "UPLINK_CODEC: bytes[3] is undefined" } }],
  ["location", location, { kind: "location", telemetry: { latitude: 47.05, longitude: 8.3, accuracy: 12 } }],
  ["integration", integration, { kind: "uplink", telemetry: { temp: 25 } }],
])("reads the event %s, and recognises it by its fields", (event, body, expected) => {
  for (const said of [event, undefined]) {
    const message = only(take(body, said));
    expect(message).toMatchObject(expected as object);
    expect(message.device).toMatchObject({ devEui: EUI });
  }
});

test("a status without a battery has none", () => {
  expect(only(take({ ...status, externalPowerSource: true }, "status")).telemetry).toEqual({ margin: 9 });
});

test("nothing that anybody sends breaks it", () => {
  const bodies = [up, upVersion3Json, join, status, ack, txack, error, location, integration];
  const events = ["up", "join", "status", "location", "ack", "txack", "error", "integration"];
  expectNeverToBreak(() => adapter("chirpstack"), bodies, [{}, ...events.map((event) => ({ event }))]);
});
