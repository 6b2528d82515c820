import { expect, test } from "bun:test";
import { type FrameSourceId, frameSources, sampleUplink } from "../../../src/lib/devices/frame-sources.ts";
import { parseSettings } from "../../../src/modules/integrations/integration-settings.ts";
import { adapter, inbound, only } from "../../modules/integrations/adapters/adapter-support.ts";

/** Uplinks of the networks as they send them, shortened; each has the frame 9e1c on port 2. */
const uplinks: Readonly<Record<FrameSourceId, unknown>> = {
  thingpark: {
    DevEUI_uplink: {
      Time: "2026-02-20T11:00:00.000+01:00",
      DevEUI: "20635F0000000001",
      FPort: "2",
      payload_hex: "9e1c",
    },
  },
  loriot: { cmd: "rx", EUI: "20635F0000000001", ts: 1_771_581_600_000, fcnt: 7, port: 2, data: "9e1c" },
  kerlink: {
    endDevice: { devEui: "20635F0000000001", cluster: { id: 359 } },
    recvTime: 1_771_581_600_000,
    fPort: 2,
    payload: "9e1c",
    encodingType: "HEXA",
  },
  multitech: { deveui: "20-63-5f-00-00-00-00-01", time: "2026-02-20T10:00:00Z", port: 2, data: "nhw=" },
  aws: {
    PayloadData: "nhw=",
    WirelessMetadata: {
      LoRaWAN: { DevEui: "20635f0000000001", FPort: 2, Timestamp: "2026-02-20T10:00:00Z" },
    },
  },
  helium: {
    dev_eui: "20635F0000000001",
    name: "Roof",
    port: 2,
    payload: "nhw=",
    reported_at: 1_771_581_600_000,
  },
  netmore: [{ devEui: "20635f0000000001", timestamp: "2026-02-20T10:00:00Z", payload: "9e1c", fPort: "2" }],
};

test.each(Object.keys(frameSources) as FrameSourceId[])(
  "the preset %s finds device, time and frame",
  (id) => {
    const { settings } = parseSettings("HTTP", frameSources[id]);
    const message = only(adapter("generic", settings).normalize(inbound(uplinks[id])));
    expect(message).toMatchObject({
      device: { devEui: "20635f0000000001" },
      ts: Date.parse("2026-02-20T10:00:00Z"),
    });
    expect([Buffer.from(message.frame?.bytes ?? []).toString("hex"), message.frame?.fPort]).toEqual([
      "9e1c",
      2,
    ]);
  },
);

test.each(Object.keys(frameSources) as FrameSourceId[])("the example of the preset %s is an uplink", (id) => {
  const { settings } = parseSettings("HTTP", frameSources[id]);
  const message = only(adapter("generic", settings).normalize(inbound(sampleUplink(id))));
  expect(message.device).toEqual({ devEui: "0102030405060708" });
  expect([Buffer.from(message.frame?.bytes ?? []).toString("hex"), message.frame?.fPort]).toEqual([
    "00d7",
    1,
  ]);
});
