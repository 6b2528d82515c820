import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { inEnglish } from "../../../../src/lib/core/domain-error.ts";
import type { IntegrationSettings } from "../../../../src/modules/integrations/integrations.types.ts";
import { only, refusal } from "./adapter-support.ts";
import { notes, RUNS, SENT_AT, take, values } from "./field-support.ts";

describe("frames of other network servers", () => {
  const sources: ReadonlyArray<
    readonly [
      name: string,
      body: unknown,
      settings: IntegrationSettings,
      frame: string,
      port: number,
      devEui: string,
    ]
  > = [
    [
      "ThingPark",
      {
        DevEUI_uplink: {
          Time: "2026-02-20T11:00:00.000+01:00",
          DevEUI: "20635F0000000001",
          FPort: "1",
          payload_hex: "9e1c",
        },
      },
      {
        frameEncoding: "hex",
        paths: {
          deviceId: "DevEUI_uplink.DevEUI",
          ts: "DevEUI_uplink.Time",
          frame: "DevEUI_uplink.payload_hex",
          fPort: "DevEUI_uplink.FPort",
        },
      },
      "9e1c",
      1,
      "20635f0000000001",
    ],
    [
      "Netmore, in a list",
      [{ devEui: "20635f0000000001", timestamp: "2026-02-20T10:00:00Z", payload: "9E1C", fPort: "1" }],
      {
        frameEncoding: "hex",
        paths: { deviceId: "devEui", ts: "timestamp", frame: "payload", fPort: "fPort" },
      },
      "9e1c",
      1,
      "20635f0000000001",
    ],
    [
      "AWS",
      {
        PayloadData: "nhw=",
        WirelessMetadata: {
          LoRaWAN: { DevEui: "20635f0000000001", FPort: 2, Timestamp: "2026-02-20T10:00:00Z" },
        },
      },
      {
        paths: {
          deviceId: "WirelessMetadata.LoRaWAN.DevEui",
          ts: "WirelessMetadata.LoRaWAN.Timestamp",
          frame: "PayloadData",
          fPort: "WirelessMetadata.LoRaWAN.FPort",
        },
      },
      "9e1c",
      2,
      "20635f0000000001",
    ],
  ];
  test.each(sources)("%s reaches the codec", (_, body, settings, hex, fPort, devEui) => {
    const message = only(take("generic", body, { settings }));
    expect(message).toMatchObject({ kind: "uplink", device: { devEui }, ts: SENT_AT, telemetry: {} });
    expect([Buffer.from(message.frame!.bytes).toString("hex"), message.frame!.fPort]).toEqual([hex, fPort]);
  });

  test("what has no frame is ignored, and a frame in another encoding is refused or noted", () => {
    const settings = { paths: { deviceId: "d", frame: "f" } };
    expect(take("generic", { d: "x", join: true }, { settings }).ignored?.code).toBe("ignored.no_frame");
    expect(refusal(() => take("generic", { d: "x", f: "0367D20004685A" }, { settings }))).toBe(
      "integration.frame_looks_hex",
    );
    expect(notes("generic", { d: "x", f: "0367d20004685a01" }, { settings })).toContain("hexadecimal");
    expect(
      refusal(() =>
        take("generic", { d: "x", f: "nhw=" }, { settings: { ...settings, frameEncoding: "hex" } }),
      ),
    ).toBe("integration.frame_not_hex");
  });

  test("bytes are those that were sent, or there is a note", () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(bytes, fc.boolean(), (sent, isUpper) => {
        const frame = Buffer.from(sent);
        const settings = { paths: { deviceId: "d", frame: "f" } };
        const hex = isUpper ? frame.toString("hex").toUpperCase() : frame.toString("hex");
        const asHex = only(
          take("generic", { d: "x", f: hex }, { settings: { ...settings, frameEncoding: "hex" } }),
        );
        expect([...asHex.frame!.bytes]).toEqual([...sent]);
        const asBase64 = only(take("generic", { d: "x", f: frame.toString("base64") }, { settings }));
        expect([...asBase64.frame!.bytes]).toEqual([...sent]);
        if (hex.length < 12 || /^A+$/.test(hex)) return;
        let isTold = false;
        try {
          isTold = (take("generic", { d: "x", f: hex }, { settings }).notes ?? []).length > 0;
        } catch {
          isTold = true;
        }
        expect(isTold).toBe(true);
      }),
      RUNS,
    );
  });
});

describe("ChirpStack", () => {
  const up = {
    deduplicationId: "w1",
    time: "2026-02-20T10:00:00Z",
    deviceInfo: { deviceName: "w1", devEui: "00000000000000a1" },
    fCnt: 4,
    fPort: 1,
    data: "Fg==",
    object: { temperature: 21.5 },
  };
  const empties = {
    level: null,
    code: null,
    queueItemId: "",
    acknowledged: false,
    gatewayId: null,
    location: null,
  };

  test("an empty field is no field", () => {
    expect(values("chirpstack", { ...up, ...empties })).toEqual({ temperature: 21.5 });
    const bare = {
      deviceInfo: up.deviceInfo,
      object: { t: 1 },
      fPort: null,
      fCnt: null,
      data: null,
      rxInfo: null,
    };
    expect(only(take("chirpstack", bare, { event: "up" })).radio).toEqual({});
    const nack = {
      deduplicationId: "n",
      deviceInfo: up.deviceInfo,
      queueItemId: "q1",
      acknowledged: false,
      object: null,
      data: "",
      fPort: 0,
    };
    expect(only(take("chirpstack", nack)).downlink).toMatchObject({ state: "FAILED", correlationId: "q1" });
  });

  test("whatever empty fields a relay adds", () => {
    const names = [
      "acknowledged",
      "queueItemId",
      "margin",
      "batteryLevel",
      "externalPowerSource",
      "location",
      "level",
      "code",
      "description",
      "devAddr",
      "integrationName",
      "downlinkId",
      "rxInfo",
      "txInfo",
    ];
    const empty = fc.constantFrom<unknown>(null, "", 0, false, [], {});
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), empty), fc.boolean(), (added, isFirst) => {
        const body = isFirst ? { ...added, ...up } : { ...up, ...added };
        expect(values("chirpstack", body)).toEqual({ temperature: 21.5 });
      }),
      RUNS,
    );
  });

  const milesight = {
    applicationID: "1",
    deviceName: "m",
    devEUI: "24e124136b5022a2",
    data: "A2fqAARoTwUAAA==",
    fCnt: 1,
    fPort: 85,
    time: "2026-02-20T10:00:00Z",
    rxInfo: [{ mac: "24e124fffef54092", loRaSNR: 13.8, rssi: -51 }],
    txInfo: { frequency: 868_100_000, dataRate: { modulation: "LORA", spreadFactor: 7 } },
  };
  test("gateways with a server of their own, in both formats", () => {
    expect(only(take("chirpstack", milesight))).toMatchObject({
      ts: SENT_AT,
      radio: { gateway: "24e124fffef54092", spreadingFactor: 7, snr: 13.8 },
    });
    const decoded = { devEUI: "24e124136b5022a1", deviceName: "EM300", temperature: 23.4, battery: 100 };
    for (const event of [undefined, "up"])
      expect(values("chirpstack", decoded, event === undefined ? {} : { event })).toEqual({
        temperature: 23.4,
        battery: 100,
      });
    const rak = {
      ...milesight,
      data: "0367d20004685a01",
      data_encode: "hexstring",
      time: undefined,
      timestamp: SENT_AT / 1000,
    };
    expect(Buffer.from(only(take("chirpstack", rak)).frame!.bytes).toString("hex")).toBe("0367d20004685a01");
    expect(only(take("chirpstack", rak)).ts).toBe(SENT_AT);
  });

  test("frames that look hexadecimal are told, or read by the setting", () => {
    expect(refusal(() => take("chirpstack", { ...up, data: "0367D20004685A" }))).toBe(
      "integration.frame_looks_hex",
    );
    expect(notes("chirpstack", { ...up, data: "0367d20004685a01" })).toContain("frameEncoding");
    const read = only(
      take("chirpstack", { ...up, data: "0367D20004685A" }, { settings: { frameEncoding: "hex" } }),
    );
    expect(Buffer.from(read.frame!.bytes).toString("hex")).toBe("0367d20004685a");
  });

  test("what cannot be used says so, with the topic and the filter", () => {
    expect(notes("chirpstack", { deviceInfo: up.deviceInfo }, { event: "up" })).toContain("data, object");
    const topic = "application/gw/gateway/0016c001/event/stats";
    expect(inEnglish(take("chirpstack", "\u0001", { topic }).ignored!)).toContain(
      "application/+/device/+/event/+",
    );
    expect(refusal(() => take("chirpstack", {}, { topic: "other/topic" }))).toBe(
      "integration.event_unknown_topic",
    );
    expect(refusal(() => take("chirpstack", [up]))).toBe("integration.body_list");
  });
});

test("The Things Stack tells the warnings of its codec", () => {
  const uplink_message = {
    f_port: 1,
    frm_payload: "Fg==",
    decoded_payload: { t: 1 },
    decoded_payload_warnings: ["battery low"],
  };
  const body = { end_device_ids: { device_id: "d", dev_eui: "00000000000000a1" }, uplink_message };
  expect(notes("the-things-stack", body)).toContain("battery low");
});
