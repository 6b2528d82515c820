import { detail } from "../../lib/core/domain-error.ts";
import { isReservedTopic } from "../../lib/mqtt/reserved-topics.ts";
import { filtersOverlap } from "../../lib/mqtt/topic-filters.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { IngestDevice } from "../../modules/ingest/ingest.types.ts";

/**
 * Returns the internal form of a topic or filter of a client, under its space. Reserved ones get a first level of their own, so that leading
 * wildcards do not match them (4.7.2).
 */
export const toBroker = (space: string, topic: string) =>
  isReservedTopic(topic) ? `${space}$/${topic}` : `${space}/${topic}`;

export const fromBrokerTopic = (topic: string) => topic.slice(topic.indexOf("/") + 1);

/** Returns the space of an internal topic. */
export const spaceOf = (topic: string) => {
  const level = topic.slice(0, Math.max(0, topic.indexOf("/")));
  return level.endsWith("$") ? level.slice(0, -1) : level;
};

/** Topic of commands to the children of a gateway, and of their responses. */
export const GATEWAY_COMMANDS = "v1/gateway/rpc";

/** Topic on which devices without credentials request some. The response is on `PROVISION_RESPONSE`. */
export const PROVISION_REQUEST = "/provision/request";
export const PROVISION_RESPONSE = "/provision/response";

/** Topics that the server publishes to a device. A gateway also receives those of its children. */
const DEVICE_TOPICS = [
  "v1/devices/me/attributes",
  "v1/devices/me/attributes/response/+",
  "v1/devices/me/rpc/request/+",
  "v1/devices/me/rpc/response/+",
  "v2/a",
  "v2/a/res/+",
  "v2/r/req/+",
  "v2/r/res/+",
  PROVISION_RESPONSE,
];
const GATEWAY_TOPICS = ["v1/gateway/attributes", "v1/gateway/attributes/response", GATEWAY_COMMANDS];

/**
 * Returns whether a device may subscribe to a filter: any filter within its own topics that can match a topic of the server. `v1/devices/me/#` is
 * allowed, `#` and `v1/#` are not.
 */
export function deviceMaySubscribe(filter: string, role: "DEVICE" | "GATEWAY"): boolean {
  const own =
    filter.startsWith("v1/devices/me/") || filter.startsWith("v2/") || filter === PROVISION_RESPONSE;
  if (own) return DEVICE_TOPICS.some((topic) => filtersOverlap(filter, topic));
  if (role !== "GATEWAY" || !filter.startsWith("v1/gateway/")) return false;
  return GATEWAY_TOPICS.some((topic) => filtersOverlap(filter, topic));
}

// Short topic prefixes and the long ones they stand for, in both directions.
const SHORT_FORMS: readonly (readonly [short: string, long: string])[] = [
  ["v2/a/req/", "v1/devices/me/attributes/request/"],
  ["v2/a/res/", "v1/devices/me/attributes/response/"],
  ["v2/r/req/", "v1/devices/me/rpc/request/"],
  ["v2/r/res/", "v1/devices/me/rpc/response/"],
];

/** Returns the long form of a short topic (`v2/r/res/7` → `v1/devices/me/rpc/response/7`); other topics unchanged. */
export function longForm(topic: string): string {
  for (const [short, long] of SHORT_FORMS) {
    if (topic.startsWith(short)) return long + topic.slice(short.length);
  }
  return topic;
}

/** Returns the short form of a topic to devices; undefined if there is none. */
export function shortForm(topic: string): string | undefined {
  if (topic === "v1/devices/me/attributes") return "v2/a";
  for (const [short, long] of SHORT_FORMS) {
    if (topic.startsWith(long)) return short + topic.slice(long.length);
  }
  return undefined;
}

/** Returns whether a topic carries commands to a device. */
export const isCommandTopic = (topic: string): boolean =>
  topic.startsWith("v1/devices/me/rpc/request/") ||
  topic.startsWith("v2/r/req/") ||
  topic === GATEWAY_COMMANDS;

const bytes = (text: string) => new TextEncoder().encode(text);
const telemetryLong = bytes("v1/devices/me/telemetry");
const telemetryJson = bytes("v2/t/j");
const attributesJson = bytes("v2/a/j");
const telemetryShort = bytes("v2/t");
const attributesLong = bytes("v1/devices/me/attributes");
const attributesShort = bytes("v2/a");

function sameBytes(expected: Uint8Array, buffer: Uint8Array, start: number): boolean {
  // Backwards: the topics of one device differ at their ends.
  for (let index = expected.length - 1; index >= 0; index--) {
    if (expected[index] !== buffer[start + index]) return false;
  }
  return true;
}

export type IngestTopic = "telemetry" | "attributes";

/** Recognizes an ingest topic by its bytes, without creating a string. */
export function ingestTopic(buffer: Uint8Array, start: number, length: number): IngestTopic | undefined {
  switch (length) {
    case 23:
      return sameBytes(telemetryLong, buffer, start) ? "telemetry" : undefined;
    case 24:
      return sameBytes(attributesLong, buffer, start) ? "attributes" : undefined;
    case 6:
      if (sameBytes(telemetryJson, buffer, start)) return "telemetry";
      return sameBytes(attributesJson, buffer, start) ? "attributes" : undefined;
    case 4:
      if (sameBytes(telemetryShort, buffer, start)) return "telemetry";
      return sameBytes(attributesShort, buffer, start) ? "attributes" : undefined;
    default:
      return undefined;
  }
}

/** Returns why a device cannot publish to an unknown topic. */
export const unknownTopic = ({ role }: Pick<IngestDevice, "role">, topic: string): Text =>
  role !== "GATEWAY" && topic.startsWith("v1/gateway/")
    ? detail("topic.gateway_only", { topic: excerpt(topic) })
    : detail("topic.unknown");
