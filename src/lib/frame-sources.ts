/** Where the uplinks of LoRaWAN network servers have their frames: settings of the generic integrations, for codecs of the library. */

interface FrameSource {
  readonly paths: Readonly<
    Record<"deviceId" | "frame" | "fPort", string> & { ts?: string; deviceName?: string }
  >;
  readonly frameEncoding?: "hex" | "base64";
}

const lorawan = "WirelessMetadata.LoRaWAN";

/** Keyed by network. */
export const frameSources = {
  thingpark: {
    paths: {
      deviceId: "DevEUI_uplink.DevEUI",
      ts: "DevEUI_uplink.Time",
      frame: "DevEUI_uplink.payload_hex",
      fPort: "DevEUI_uplink.FPort",
    },
    frameEncoding: "hex",
  },
  loriot: { paths: { deviceId: "EUI", ts: "ts", frame: "data", fPort: "port" }, frameEncoding: "hex" },
  kerlink: {
    paths: { deviceId: "endDevice.devEui", ts: "recvTime", frame: "payload", fPort: "fPort" },
    frameEncoding: "hex",
  },
  multitech: { paths: { deviceId: "deveui", ts: "time", frame: "data", fPort: "port" } },
  aws: {
    paths: {
      deviceId: `${lorawan}.DevEui`,
      ts: `${lorawan}.Timestamp`,
      frame: "PayloadData",
      fPort: `${lorawan}.FPort`,
    },
  },
  helium: {
    paths: { deviceId: "dev_eui", deviceName: "name", ts: "reported_at", frame: "payload", fPort: "port" },
  },
  netmore: {
    paths: { deviceId: "devEui", ts: "timestamp", frame: "payload", fPort: "fPort" },
    frameEncoding: "hex",
  },
} as const satisfies Readonly<Record<string, FrameSource>>;

export type FrameSourceId = keyof typeof frameSources;
