// A downlink as a person writes it down, and as the gateway is told.
import type { JsonValue } from "../../lib/wire.ts";
import type { DownlinkForm } from "./integrations-api.ts";

export interface DownlinkFields {
  readonly deviceId: string;
  readonly devEui: string;
  readonly fPort: string;
  readonly kind: "hex" | "data" | "object";
  readonly content: string;
  readonly confirmed: boolean;
}

export const emptyDownlink: DownlinkFields = {
  deviceId: "",
  devEui: "",
  fPort: "",
  kind: "hex",
  content: "",
  confirmed: false,
};

type Read = { readonly form: DownlinkForm } | { readonly problem: "device" | "content" };

/** Removes the separators that people write between bytes. */
const bytesIn = (text: string): string => text.replace(/0x|[\s:,.-]/gi, "");

function contentOf({
  kind,
  content,
}: DownlinkFields): Pick<DownlinkForm, "hex" | "data" | "object"> | undefined {
  const text = content.trim();
  if (kind === "hex") {
    const hex = bytesIn(text);
    return /^([0-9a-f]{2})+$/i.test(hex) ? { hex: hex.toLowerCase() } : undefined;
  }
  if (kind === "data")
    return /^([\w+/-]{4})*([\w+/-]{2}(==)?|[\w+/-]{3}=?)?$/.test(text) && text !== ""
      ? { data: text }
      : undefined;
  try {
    const object: JsonValue = JSON.parse(text);
    return typeof object === "object" && object !== null ? { object } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the content that was sent: bytes in hexadecimal, an object as JSON. */
export function contentText(payload: unknown): string {
  const data =
    typeof payload === "object" && payload !== null && "data" in payload ? payload.data : undefined;
  if (typeof data !== "string") return JSON.stringify(payload);
  return [...atob(data)].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join(" ");
}

export function asDownlink(fields: DownlinkFields): Read {
  const devEui = bytesIn(fields.devEui).toLowerCase();
  if (fields.deviceId === "" && !/^[0-9a-f]{16}$/.test(devEui)) return { problem: "device" };
  const content = contentOf(fields);
  if (content === undefined) return { problem: "content" };
  return {
    form: {
      ...(fields.deviceId === "" ? { devEui } : { deviceId: fields.deviceId }),
      ...(fields.fPort !== "" && { fPort: Number(fields.fPort) }),
      confirmed: fields.confirmed,
      ...content,
    },
  };
}
