import { describe, expect, test } from "bun:test";
import { adapter, expectNeverToBreak, inbound, only, refusal } from "./adapter-support.ts";

const take = (body: unknown, event?: string) =>
  adapter("chirpstack").normalize(inbound(body, event === undefined ? {} : { event }));

const head = {
  deduplicationId: "5b0f1f8e-2d8a-4e0f-9a53-0f8a0c2b7f11",
  time: "2026-03-01T11:59:58.123456789+00:00",
  deviceInfo: {
    tenantName: "Works",
    applicationId: "f2f3a5b0-0f5d-4c3f-8f7d-1b9a0d6a2c44",
    applicationName: "Hall 3",
    deviceProfileName: "EM300-TH",
    deviceName: "Cold store",
    devEui: "24E124136B502A17",
    tags: { room: "3.14" },
  },
};
const up = {
  ...head,
  devAddr: "01a2b3c4",
  adr: true,
  dr: 5,
  fCnt: 42,
  fPort: 85,
  confirmed: false,
  data: "AXVkA2cQAQRoZA==",
  object: { battery: 100, temperature: 27.2, nested: { a: [1] } },
  rxInfo: [
    { gatewayId: "24e124fffef0a001", rssi: -97, snr: 3.5 },
    { gatewayId: "24e124fffef0a002", rssi: -51 },
  ],
  txInfo: { frequency: 868300000, modulation: { lora: { bandwidth: 125000, spreadingFactor: 7 } } },
};
const join = { ...head, devAddr: "01a2b3c4" };
const status = { ...head, margin: 9, batteryLevel: 71.5 };
const location = { ...head, location: { latitude: 47.05, longitude: 8.3, accuracy: 12 } };
const ack = { ...head, queueItemId: "0c1e4c52-0000-4000-8000-000000000001", acknowledged: true, fCntDown: 7 };
const { deduplicationId: _, ...bare } = head;
const txack = {
  ...bare,
  downlinkId: 77,
  queueItemId: "0c1e4c52-0000-4000-8000-000000000002",
  gatewayId: "24e124fffef0a001",
  txInfo: { frequency: 869525000, power: 27 },
};
const log = {
  ...bare,
  level: "ERROR",
  code: "UPLINK_MIC",
  description: "MIC is invalid",
  context: { deduplication_id: "x" },
};
const integration = {
  ...head,
  integrationName: "loracloud",
  eventType: "modem",
  object: { temp: 25, none: null },
};

describe("an uplink", () => {
  const { device, ts, telemetry, radio, frame, kind } = only(take(up, "up"));

  test("is of the device that its dev EUI names, in lower case", () => {
    expect(kind).toBe("uplink");
    expect(device).toEqual({
      devEui: "24e124136b502a17",
      name: "Cold store",
      type: "EM300-TH",
      route: { applicationId: "f2f3a5b0-0f5d-4c3f-8f7d-1b9a0d6a2c44" },
    });
  });
  test("has its decoded object as telemetry, nested parts as they are, and the time of the network server", () => {
    expect(telemetry).toEqual({ battery: 100, temperature: 27.2, nested: { a: [1] } });
    expect(ts).toBe(Date.parse("2026-03-01T11:59:58.123Z"));
  });
  test("has the radio data of the gateway that heard it best, zeros that were left out put back", () => {
    expect(radio).toEqual({
      gateway: "24e124fffef0a002",
      rssi: -51,
      snr: 0,
      gateways: 2,
      fCnt: 42,
      fPort: 85,
      dr: 5,
      spreadingFactor: 7,
      frequency: 868300000,
    });
  });
  test("has its frame for a codec", () => {
    expect(frame?.fPort).toBe(85);
    expect(Buffer.from(frame!.bytes).toString("hex")).toBe("01756403671001046864");
  });
  test("without a decoded object has a frame only", () => {
    const { object: _, ...raw } = up;
    expect(only(take(raw)).telemetry).toEqual({});
  });
  test("is refused when its base64 is none, though Bun would decode it", () => {
    for (const data of ["AXVk*A==", "AXVkA", "AXVk A2c", "_-8=", 12, { a: 1 }])
      expect(refusal(() => take({ ...up, data }))).toBe("integration.base64_invalid");
  });
  test("with an empty frame has none", () => {
    expect(only(take({ ...up, data: "" })).frame).toBeUndefined();
  });
  test("that only the device's application can decrypt says so", () => {
    const context = { sessionKeyId: "aa==", appSKey: { kekLabel: "k", aesKey: "bb==" } };
    expect(refusal(() => take({ ...up, joinServerContext: context }))).toBe("integration.frame_encrypted");
  });
  test("has no zone in its time: that is UTC", () => {
    expect(only(take({ ...up, time: "2026-03-01T11:00:00.5" })).ts).toBe(
      Date.parse("2026-03-01T11:00:00.500Z"),
    );
  });
  test("with a time that is none, that lies in the future or before clocks were set has the time of receipt", () => {
    for (const time of ["soon", 17, "1970-01-01T00:00:10Z", "2036-01-01T00:00:00Z", undefined])
      expect(only(take({ ...up, time })).ts).toBeUndefined();
  });
});

test("the dev EUI may be written in any of its forms", () => {
  for (const devEui of [
    "24e124136b502a17",
    "24-E1-24-13-6B-50-2A-17",
    "24:e1:24:13:6b:50:2a:17",
    "24E12413 6B502A17",
  ])
    expect(only(take({ ...up, deviceInfo: { ...head.deviceInfo, devEui } })).device.devEui).toBe(
      "24e124136b502a17",
    );
  for (const devEui of ["24e124136b502a1", "g4e124136b502a17", "24e124136b502a1700"])
    expect(refusal(() => take({ ...up, deviceInfo: { devEui } }))).toBe("integration.dev_eui_invalid");
});

test("a token in the body names the device, also where there is no dev EUI", () => {
  const { deviceInfo: _, ...rest } = up;
  expect(only(take({ ...rest, deviceToken: "tok" })).device).toEqual({ deviceToken: "tok" });
  expect(only(take(rest, "up")).device).toEqual({});
});

describe("other events", () => {
  test("a join says the device's address, profile and tags as attributes", () => {
    const message = only(take(join, "join"));
    expect(message).toMatchObject({
      kind: "join",
      telemetry: {},
      attributes: {
        devAddr: "01a2b3c4",
        deviceProfile: "EM300-TH",
        application: "Hall 3",
        tags: { room: "3.14" },
      },
    });
  });
  test("a status says battery and margin", () => {
    expect(only(take(status, "status"))).toMatchObject({
      kind: "status",
      telemetry: { battery: 71.5, margin: 9 },
    });
  });
  test("a status of a device without a battery, or that does not know it, says no battery", () => {
    for (const flag of ["externalPowerSource", "batteryLevelUnavailable"])
      expect(only(take({ ...status, batteryLevel: 0, [flag]: true }, "status")).telemetry).toEqual({
        margin: 9,
      });
  });
  test("a status whose zeros are left out has them", () => {
    expect(only(take(head, "status")).telemetry).toEqual({ battery: 0, margin: 0 });
  });
  test("a location is telemetry, a half that is left out is zero", () => {
    expect(only(take(location, "location")).telemetry).toEqual({
      latitude: 47.05,
      longitude: 8.3,
      accuracy: 12,
    });
    const onGreenwich = { ...head, location: { latitude: 51.4779, altitude: 46 } };
    expect(only(take(onGreenwich)).telemetry).toEqual({ latitude: 51.4779, longitude: 0, altitude: 46 });
    expect(refusal(() => take({ ...head, location: {} }))).toBe("integration.location_missing");
  });
  test("an ack reports of a downlink whether it was acknowledged", () => {
    const id = ack.queueItemId;
    expect(only(take(ack, "ack")).downlink).toEqual({ state: "ACKNOWLEDGED", correlationId: id });
    expect(only(take({ ...ack, acknowledged: false }, "ack")).downlink).toMatchObject({
      state: "FAILED",
      correlationId: id,
    });
    const { acknowledged: _, ...silent } = ack;
    expect(only(take(silent, "ack")).downlink?.state).toBe("FAILED");
  });
  test("a txack reports that a downlink was sent", () => {
    expect(only(take(txack, "txack")).downlink).toEqual({ state: "SENT", correlationId: txack.queueItemId });
  });
  test("a log says its text", () => {
    expect(only(take(log, "log"))).toMatchObject({
      kind: "log",
      log: { level: "ERROR", text: "UPLINK_MIC: MIC is invalid" },
    });
    expect(only(take(log, "log")).downlink).toBeUndefined();
  });
  test("a log of a downlink that was thrown out of the queue reports that it failed", () => {
    const thrown = { ...log, code: "EXPIRED", description: "too late", context: { queue_item_id: "q1" } };
    expect(only(take(thrown, "log")).downlink).toEqual({
      state: "FAILED",
      correlationId: "q1",
      error: { code: "downlink_error.network", params: { message: "EXPIRED: too late" } },
    });
  });
  test("what another integration made of a frame is telemetry", () => {
    expect(only(take(integration, "integration")).telemetry).toEqual({ temp: 25, none: null });
  });
  test("an event that is not known is ignored, in words", () => {
    const { messages, ignored } = take(up, "dance");
    expect(messages).toEqual([]);
    expect(ignored).toEqual({ code: "ignored.event_unknown", params: { event: "dance" } });
  });
});

test("where nothing says which event it is, the body tells", () => {
  const kinds = [up, join, status, location, ack, txack, log, integration].map(
    (body) => only(take(body)).kind,
  );
  expect(kinds).toEqual(["uplink", "join", "status", "location", "ack", "ack", "log", "uplink"]);
  expect(refusal(() => take({ deviceInfo: {} }))).toBe("integration.event_unknown");
});

test.each([
  ["an object alone", { object: { temperature: 21 } }, "uplink"],
  ["an object and a frame counter", { fCnt: 9, object: { temperature: 21 } }, "uplink"],
  ["a negative acknowledgement without its flag", { queueItemId: "q-1", fCntDown: 7 }, "ack"],
  ["a status without margin and level", { externalPowerSource: true }, "status"],
  ["a log entry with its level only", { level: "INFO" }, "log"],
])("recognises %s by its fields", (_, fields, kind) => {
  const { deviceInfo } = head;
  expect(only(take({ deviceInfo, ...fields })).kind).toBe(kind as "uplink");
});

test("makes up no counter and port for a body without a frame", () => {
  const { deviceInfo } = head;
  expect(only(take({ deviceInfo, object: { temperature: 21 } })).radio).toEqual({});
  expect(only(take({ deviceInfo, data: "AQID" })).radio).toMatchObject({ fCnt: 0, fPort: 0 });
});

test("by MQTT the topic says event and device", () => {
  const topic = "eu868/application/f2f3/device/24e124136b502a17/event/status";
  const { deviceInfo: _, ...rest } = status;
  const message = only(adapter("chirpstack").normalize(inbound(rest, { topic })));
  expect(message).toMatchObject({ kind: "status", device: { devEui: "24e124136b502a17" } });
  const command = "application/f2f3/device/24e124136b502a17/command/down";
  expect(adapter("chirpstack").normalize(inbound(up, { topic: command })).ignored).toMatchObject({
    code: "ignored.command_to_network",
  });
});

describe("what makes two deliveries one", () => {
  test("is the frame's id beside the event: those of one frame are not one another", () => {
    const keys = [take(up, "up"), take(status, "status"), take(up, "up")].map(({ dedupKey }) => dedupKey);
    expect(keys[0]).toBe(keys[2]!);
    expect(keys[0]).not.toBe(keys[1]!);
  });
  test("is the queue's item for ack and txack", () => {
    const later = { ...ack, deduplicationId: "another" };
    expect(take(later, "ack").dedupKey).toBe(take(ack, "ack").dedupKey!);
    expect(take(txack, "txack").dedupKey).toContain(txack.queueItemId);
  });
  test("is not there for logs and bodies without an id", () => {
    expect(take(log, "log").dedupKey).toBeUndefined();
    expect(take(bare, "status").dedupKey).toBeUndefined();
  });
});

test("a body of another encoding says what is wrong", () => {
  expect(refusal(() => take(new Uint8Array([0x0a, 0x24, 0x33])))).toStartWith("integration.body_");
  expect(refusal(() => take([up]))).toStartWith("integration.body_");
});

test("nothing that anybody sends breaks it", () => {
  const bodies = [up, join, status, location, ack, txack, log, integration];
  const events = ["up", "join", "status", "location", "ack", "txack", "log", "integration"];
  expectNeverToBreak(() => adapter("chirpstack"), bodies, [
    {},
    ...events.map((event) => ({ event })),
    { topic: "application/a/device/0000000000000001/event/up" },
  ]);
});
