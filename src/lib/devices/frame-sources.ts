import type { JsonValue } from "../json/json.ts";

/** Location of the frame in an uplink of a LoRaWAN network server: settings of generic integrations, for codecs of the library. */

interface FrameSource {
  readonly paths: Readonly<
    Record<"deviceId" | "frame" | "fPort", string> & { ts?: string; deviceName?: string }
  >;
  readonly frameEncoding?: "hex" | "base64";
}

const LORAWAN = "WirelessMetadata.LoRaWAN";

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
      deviceId: `${LORAWAN}.DevEui`,
      ts: `${LORAWAN}.Timestamp`,
      frame: "PayloadData",
      fPort: `${LORAWAN}.FPort`,
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

function put(message: Record<string, JsonValue>, path: string, value: JsonValue): void {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) {
    message[name] = value;
    return;
  }
  const inner = (message[name] ?? {}) as Record<string, JsonValue>;
  message[name] = inner;
  put(inner, rest.join("."), value);
}

/** Returns an example uplink with the parts that the settings of a network read. */
export function sampleUplink(network: FrameSourceId): Record<string, JsonValue> {
  const { paths, frameEncoding }: FrameSource = frameSources[network];
  const message: Record<string, JsonValue> = {};
  put(message, paths.deviceId, "0102030405060708");
  put(message, paths.fPort, 1);
  put(message, paths.frame, frameEncoding === "hex" ? "00d7" : "ANc=");
  return message;
}
