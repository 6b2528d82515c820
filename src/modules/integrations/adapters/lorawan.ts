/** Functions that the adapters of both network servers share. */
import { nonBlank } from "../../../lib/core/defined.ts";
import { detail, invalid } from "../../../lib/core/domain-error.ts";
import { decodeBody } from "../../../lib/json/body.ts";
import type { JsonObject } from "../../../lib/json/json.ts";
import type { NoteLeftOut } from "../../../lib/json/sent-json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { parseTimestamp } from "../../../lib/time/timestamp.ts";
import type { InboundMessage } from "../integrations.types.ts";
import { type Fields, numberOf, objectOf } from "./fields.ts";

/** 2015, before either network server existed: earlier times come from an unset clock. */
const CLOCK_IS_SET_FROM = Date.UTC(2015, 0, 1);

export function jsonBody(message: InboundMessage, server: string, note: NoteLeftOut): Fields {
  let body: unknown;
  try {
    body = decodeBody(message.bytes, "JSON", note);
  } catch {
    throw invalid("integration.body_not_json", { server });
  }
  const fields = objectOf(body);
  if (fields === undefined)
    throw invalid(Array.isArray(body) ? "integration.body_list" : "integration.body_not_object");
  return fields;
}

/** Returns the first time from a set clock; undefined if there is none (the time of receipt then applies). */
export function firstTime(candidates: readonly unknown[], receivedAt: number): number | undefined {
  for (const candidate of candidates) {
    if (typeof candidate !== "string" && typeof candidate !== "number") continue;
    try {
      const ts = parseTimestamp(candidate, receivedAt);
      if (ts >= CLOCK_IS_SET_FROM) return ts;
    } catch {
      // The next time may be right, and the time of receipt is close.
    }
  }
  return undefined;
}

/** Returns the network server's reason for a failed downlink, if it gave one. */
export const networkSaid = (message: string | undefined): Text =>
  message === undefined || message === ""
    ? detail("downlink_error.not_sent")
    : detail("downlink_error.network", { message });

export interface Reception {
  readonly gateway: string | undefined;
  readonly rssi: number | undefined;
  readonly snr: number | undefined;
}

/** Returns the signal strength; zero is written if a gateway does not measure it. */
const strengthOf = ({ rssi }: Reception): number => rssi || Number.NEGATIVE_INFINITY;

/** Returns the reception of the gateway that received a frame best. */
export function bestReception(receptions: readonly Reception[]): Reception | undefined {
  let best: Reception | undefined;
  for (const reception of receptions)
    if (best === undefined || strengthOf(reception) > strengthOf(best)) best = reception;
  return best;
}

/** Returns the radio data that is present. */
export function radioOf(
  values: Record<string, number | string | undefined>,
): Record<string, number | string> {
  const radio: Record<string, number | string> = {};
  for (const [key, value] of Object.entries(values)) if (value !== undefined) radio[key] = value;
  return radio;
}

/** Returns a location; undefined if there is none. Zeros are omitted, but one coordinate is always present. */
export function placeOf(value: unknown): Record<string, number> | undefined {
  const place = objectOf(value);
  const latitude = numberOf(place?.latitude);
  const longitude = numberOf(place?.longitude);
  if (place === undefined || (latitude === undefined && longitude === undefined)) return undefined;
  const existing: Record<string, number> = { latitude: latitude ?? 0, longitude: longitude ?? 0 };
  for (const key of ["altitude", "accuracy"]) {
    const number = numberOf(place[key]);
    if (number !== undefined) existing[key] = number;
  }
  return existing;
}

/** Returns the string values, as attributes. */
export function textsOf(values: Record<string, unknown>): JsonObject {
  const texts: JsonObject = {};
  for (const [key, value] of Object.entries(values)) {
    const text = nonBlank(value);
    if (text !== undefined) texts[key] = text;
  }
  return texts;
}

/** Returns a device's tags as one attribute; an empty object if there are none. */
export function tagsOf(value: unknown): JsonObject {
  const tags = Object.entries(objectOf(value) ?? {}).filter(([, text]) => typeof text === "string");
  return tags.length === 0 ? {} : { tags: Object.fromEntries(tags) as JsonObject }; // texts only, as filtered
}

export const endToEnd = () => invalid("integration.frame_encrypted");
