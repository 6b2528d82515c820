import { sampleUplink } from "../../../lib/devices/frame-sources.ts";
import type { Integration, IntegrationEvent } from "./integrations-api.ts";
import { networkOf } from "./networks.ts";
import type { TransformRequest } from "./transform-api.ts";

/** Edited message for a test. */
export interface SampleText {
  readonly text: string;
  /** True if it is shown as base64. */
  readonly isBinary: boolean;
  readonly topic: string;
}

export function sampleOf({ payload, topic }: Pick<IntegrationEvent, "payload" | "topic">): SampleText {
  const base64 =
    typeof payload === "object" && payload !== null && "base64" in payload ? payload.base64 : undefined;
  if (typeof base64 === "string") return { text: base64, isBinary: true, topic: topic ?? "" };
  const text = typeof payload === "string" ? payload : JSON.stringify(payload, null, 2);
  return { text, isBinary: false, topic: topic ?? "" };
}

/** Returns the message for the server: parsed JSON, otherwise text or base64. */
export function payloadOf({
  text,
  isBinary,
  topic,
}: SampleText): Pick<TransformRequest, "payload" | "payloadText" | "payloadBase64" | "topic"> {
  const where = topic === "" ? {} : { topic };
  if (isBinary) return { payloadBase64: text.replace(/\s/g, ""), ...where };
  try {
    return { payload: JSON.parse(text), ...where };
  } catch {
    return { payloadText: text, ...where };
  }
}

const uplink = {
  CHIRPSTACK: {
    deviceInfo: { devEui: "0102030405060708", deviceName: "valve 1", deviceProfileName: "Vicki" },
    fPort: 1,
    data: "ANc=",
  },
  THE_THINGS_STACK: {
    end_device_ids: { device_id: "valve-1", dev_eui: "0102030405060708" },
    uplink_message: { f_port: 1, frm_payload: "ANc=" },
  },
  HTTP: { externalDeviceId: "sensor-1", telemetry: { temperature: 21.5 } },
  MQTT: { temperature: 21.5 },
} as const;

/** Returns an example of an accepted message. */
export function sampleBody(integration: Pick<Integration, "type" | "settings_json">): object {
  const network = networkOf(integration);
  return "frames" in network ? sampleUplink(network.frames) : uplink[integration.type];
}

/** Returns the first sample, before any message was received. */
export const firstSample = (integration: Integration): SampleText => ({
  text: JSON.stringify(sampleBody(integration), null, 2),
  isBinary: false,
  topic: "",
});
