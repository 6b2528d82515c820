import { describe, expect, test } from "bun:test";
import { adapter, expectNeverToBreak, inbound, only, refusal } from "./adapter-support.ts";

const take = (body: unknown, topic?: string) =>
  adapter("the-things-stack").normalize(inbound(body, topic === undefined ? {} : { topic }));

const head = {
  end_device_ids: {
    device_id: "cold-store",
    application_ids: { application_id: "works" },
    dev_eui: "24E124136B502A17",
    join_eui: "24E124C0002A0001",
    dev_addr: "260B1234",
  },
  correlation_ids: ["gs:uplink:01JABC", "as:up:01JDEF"],
  received_at: "2026-03-01T11:59:58.400123456Z",
};
const uplink_message = {
  session_key_id: "AZUp2Q==",
  f_port: 85,
  f_cnt: 42,
  frm_payload: "AXVkA2cQAQRoZA==",
  decoded_payload: { temperature: 27.2, nested: { a: [1] } },
  rx_metadata: [
    {
      gateway_ids: { gateway_id: "roof", eui: "24E124FFFEF0A001" },
      time: "2026-03-01T11:59:58.010Z",
      timestamp: 12345,
      rssi: -97,
      snr: -3.5,
    },
    { gateway_ids: { gateway_id: "cellar" }, rssi: -51 },
  ],
  settings: {
    data_rate: { lora: { bandwidth: 125000, spreading_factor: 9 } },
    frequency: "868300000",
    time: "2026-03-01T11:59:58.020Z",
  },
  version_ids: { brand_id: "milesight", model_id: "em300-th" },
  received_at: "2026-03-01T11:59:58.200123456Z",
};
const up = { ...head, uplink_message };
const withUplink = (change: object) => ({ ...head, uplink_message: { ...uplink_message, ...change } });
const join = {
  ...head,
  join_accept: { session_key_id: "AZ==", received_at: "2026-03-01T11:59:50Z", attributes: { room: "3.14" } },
};
const location = {
  ...head,
  location_solved: { service: "wifi", location: { latitude: 47.05, longitude: 8.3, source: "SOURCE_WIFI" } },
};
const downlink = {
  f_port: 15,
  frm_payload: "vu8=",
  confirmed: true,
  correlation_ids: ["as:downlink:01J", "lineside:d-1"],
};
const failed = {
  ...head,
  downlink_failed: {
    downlink,
    error: {
      name: "application_downlink_too_long",
      message_format: "payload of {length} bytes exceeds {max}",
      attributes: { length: 60, max: "51" },
    },
  },
};

describe("an uplink", () => {
  const { device, ts, telemetry, radio, frame } = only(take(up));

  test("is of the device that its dev EUI names, in lower case, and known by its id", () => {
    expect(device).toEqual({
      devEui: "24e124136b502a17",
      externalId: "cold-store",
      name: "cold-store",
      type: "em300-th",
      route: { networkDeviceId: "cold-store", applicationId: "works" },
    });
  });
  test("has its decoded payload as telemetry, and the time at which the network server had it", () => {
    expect(telemetry).toEqual({ temperature: 27.2, nested: { a: [1] } });
    expect(ts).toBe(Date.parse("2026-03-01T11:59:58.200Z"));
  });
  test("has the radio data of the gateway that heard it best; texts of 64 bits are numbers, zeros are put back", () => {
    expect(radio).toEqual({
      gateway: "cellar",
      rssi: -51,
      snr: 0,
      gateways: 2,
      fCnt: 42,
      fPort: 85,
      spreadingFactor: 9,
      frequency: 868300000,
    });
  });
  test("has its frame for a codec", () => {
    expect(frame?.fPort).toBe(85);
    expect(Buffer.from(frame!.bytes).toString("hex")).toBe("01756403671001046864");
  });
  test("is refused when its base64 is none", () => {
    for (const frm_payload of ["AXVk*A==", "AXVkA", 5])
      expect(refusal(() => take(withUplink({ frm_payload })))).toBe("integration.base64_invalid");
  });
  test("whose frame is encrypted end to end says so", () => {
    expect(refusal(() => take(withUplink({ app_s_key: { key: "AA==" } })))).toBe(
      "integration.frame_encrypted",
    );
  });
  test("of FSK has no signal-to-noise ratio made up", () => {
    const settings = { data_rate: { fsk: { bit_rate: 50000 } } };
    expect(only(take(withUplink({ settings }))).radio).not.toHaveProperty("snr");
  });
});

describe("the time of an uplink", () => {
  const { received_at: _, ...untimed } = uplink_message;
  const { received_at: __, ...timeless } = head;

  test("is the application server's where the network server's is gone", () => {
    expect(only(take({ ...head, uplink_message: untimed })).ts).toBe(Date.parse("2026-03-01T11:59:58.400Z"));
  });
  test("is the gateway's where both are gone", () => {
    expect(only(take({ ...timeless, uplink_message: untimed })).ts).toBe(
      Date.parse("2026-03-01T11:59:58.020Z"),
    );
    const { settings: ___, ...less } = untimed;
    expect(only(take({ ...timeless, uplink_message: less })).ts).toBe(Date.parse("2026-03-01T11:59:58.010Z"));
  });
  test("is that of receipt where there is none, and where a gateway's clock is not set", () => {
    const settings = { time: "1970-01-01T00:03:00Z" };
    expect(only(take({ ...timeless, uplink_message: { settings } })).ts).toBeUndefined();
    expect(only(take({ ...timeless, uplink_message: {} })).ts).toBeUndefined();
  });
});

describe("the battery of the last status", () => {
  test("counts when it came with this uplink", () => {
    const last_battery_percentage = { f_cnt: 42, value: 88.5 };
    expect(only(take(withUplink({ last_battery_percentage }))).telemetry).toMatchObject({ battery: 88.5 });
    expect(
      only(take(withUplink({ f_cnt: undefined, last_battery_percentage: { value: 5 } }))).telemetry.battery,
    ).toBe(5);
  });
  test("is left out when it is of an earlier one", () => {
    for (const last_battery_percentage of [{ f_cnt: 41, value: 88.5 }, { value: 88.5 }])
      expect(only(take(withUplink({ last_battery_percentage }))).telemetry).not.toHaveProperty("battery");
  });
  test("does not hide what the device says itself", () => {
    const change = { decoded_payload: { battery: 3.6 }, last_battery_percentage: { f_cnt: 42, value: 88.5 } };
    expect(only(take(withUplink(change))).telemetry.battery).toBe(3.6);
  });
});

describe("who it is from", () => {
  const { end_device_ids: _, ...nobody } = up;

  test("is nobody where a field mask took the ids away, unless the topic or a token says it", () => {
    expect(only(take(nobody)).device).toEqual({ type: "em300-th" });
    expect(only(take({ ...nobody, deviceToken: "tok" })).device).toMatchObject({ deviceToken: "tok" });
    expect(only(take(nobody, "v3/works@ttn/devices/cold-store/up")).device.externalId).toBe("cold-store");
  });
  test("is told by an id that is made of the dev EUI", () => {
    const device = only(take({ ...nobody, end_device_ids: { device_id: "eui-24e124136b502a17" } })).device;
    expect(device).toMatchObject({ devEui: "24e124136b502a17", externalId: "eui-24e124136b502a17" });
  });
  test("is told by the id alone where the device has no dev EUI", () => {
    const { devEui, externalId } = only(take({ ...nobody, end_device_ids: { device_id: "abp-1" } })).device;
    expect([devEui, externalId]).toEqual([undefined, "abp-1"]);
  });
});

test("a join says address, application and the network's attributes", () => {
  expect(only(take(join))).toMatchObject({
    kind: "join",
    ts: Date.parse("2026-03-01T11:59:50Z"),
    telemetry: {},
    attributes: {
      devAddr: "260B1234",
      joinEui: "24E124C0002A0001",
      application: "works",
      tags: { room: "3.14" },
    },
  });
});

test("a solved location is telemetry", () => {
  expect(only(take(location))).toMatchObject({
    kind: "location",
    telemetry: { latitude: 47.05, longitude: 8.3 },
  });
  expect(refusal(() => take({ ...head, location_solved: {} }))).toBe("integration.location_missing");
});

describe("what becomes of a downlink", () => {
  test("is reported by our own correlation id, wherever it stands among theirs", () => {
    const reports = Object.entries({
      downlink_queued: "QUEUED",
      downlink_sent: "SENT",
      downlink_ack: "ACKNOWLEDGED",
      downlink_nack: "FAILED",
    });
    for (const [key, state] of reports)
      expect(only(take({ ...head, [key]: downlink })).downlink).toMatchObject({
        state,
        correlationId: "d-1",
      });
    const outside = { ...head, correlation_ids: ["lineside:d-2"], downlink_ack: { f_port: 1 } };
    expect(only(take(outside)).downlink).toEqual({ state: "ACKNOWLEDGED", correlationId: "d-2" });
  });
  test("that failed is told in the network server's words", () => {
    expect(only(take(failed)).downlink).toEqual({
      state: "FAILED",
      correlationId: "d-1",
      error: { code: "downlink_error.network", params: { message: "payload of 60 bytes exceeds 51" } },
    });
    expect(only(take({ ...head, downlink_failed: {} })).downlink?.error).toMatchObject({
      code: "downlink_error.not_sent",
    });
  });
  test("of somebody else's has no id of ours", () => {
    const theirs = { ...downlink, correlation_ids: ["as:downlink:01J"] };
    expect(only(take({ ...head, downlink_ack: theirs })).downlink).toEqual({ state: "ACKNOWLEDGED" });
  });
});

test("the normalized form of an uplink is not taken beside it, nor what is no news", () => {
  for (const key of ["uplink_normalized", "downlink_queue_invalidated"]) {
    const { messages, ignored } = take({
      ...head,
      [key]: { normalized_payload: { air: { temperature: 1 } } },
    });
    expect(messages).toEqual([]);
    expect(ignored?.code).toStartWith("ignored.");
  }
});

test("what a service says of a device is telemetry", () => {
  expect(only(take({ ...head, service_data: { service: "dm", data: { charge: 3 } } })).telemetry).toEqual({
    charge: 3,
  });
});

describe("what makes two deliveries one", () => {
  test("is type, device and every byte", () => {
    expect(take(up).dedupKey).toBe(take(structuredClone(up)).dedupKey!);
    expect(take(up).dedupKey).not.toBe(take(withUplink({ f_cnt: 43 })).dedupKey!);
    expect(take(up).dedupKey).toContain("24e124136b502a17");
  });
  test("is nothing where the body says nothing that only one frame has: equal readings are no duplicates", () => {
    expect(take({ uplink_message: { f_port: 1, frm_payload: "ICw=" } }).dedupKey).toBeUndefined();
  });
});

test("a body of another version or kind says what is wrong", () => {
  expect(refusal(() => take({ hardware_serial: "A", payload_raw: "AA==" }))).toBe(
    "integration.version_unsupported_ttn",
  );
  expect(refusal(() => take({ hello: 1 }))).toBe("integration.event_unknown_things_stack");
  expect(refusal(() => take("nothing"))).toStartWith("integration.body_");
});

test("nothing that anybody sends breaks it", () => {
  const bodies = [
    up,
    join,
    location,
    failed,
    { ...head, downlink_ack: downlink },
    { service_data: { data: {} } },
  ];
  expectNeverToBreak(() => adapter("the-things-stack"), bodies, [
    {},
    { topic: "v3/works@ttn/devices/cold-store/up" },
    { topic: "v3/x" },
  ]);
});
