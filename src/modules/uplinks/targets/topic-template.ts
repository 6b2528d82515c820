import { detail } from "../../../lib/core/domain-error.ts";
import { TargetError } from "../target.errors.ts";
import type { UplinkDevice } from "../target.types.ts";

const PLACE = /\{(site|device|deviceId|type|event|key|tag\.[^{}]+)\}/g;
const ANY_PLACE = /\{[^{}]*\}/;

/** Values of placeholders that do not come from the device. */
export interface TopicValues {
  readonly event?: string;
  readonly key?: string;
}

/** Returns the text of a placeholder as exactly one level or token of the topic. */
export type ToLevel = (text: string) => string;

export interface TopicTemplate {
  /** True if the topic differs from key to key. */
  readonly hasKey: boolean;
  topicOf(device: UplinkDevice, values?: TopicValues): string;
}

function topicPart(place: string, device: UplinkDevice, values: TopicValues): string {
  if (place === "site") return device.site;
  if (place === "device") return device.name;
  if (place === "deviceId") return device.deviceId;
  if (place === "type") return device.type;
  if (place === "event") return values.event ?? "";
  if (place === "key") return values.key ?? "";
  return device.tags[place.slice("tag.".length)] ?? "";
}

/** @throws TargetError `settings` for an unknown placeholder */
export function compileTopic(
  template: string,
  { field, toLevel }: { field: string; toLevel: ToLevel },
): TopicTemplate {
  const unknown = ANY_PLACE.exec(template.replace(PLACE, ""))?.[0];
  if (unknown !== undefined)
    throw new TargetError(
      "settings",
      detail("uplink.setting_invalid", { field, reason: `${unknown} is not known` }),
    );
  return {
    hasKey: template.includes("{key}"),
    topicOf: (device, values = {}) =>
      template.replace(PLACE, (_, place: string) => toLevel(topicPart(place, device, values))),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: MQTT 1.5.4 and NATS forbid them
const NOT_IN_MQTT_LEVEL = /[/+#\u0000-\u001f\u007f-\u009f]|\p{Cs}/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const NOT_IN_NATS_TOKEN = /[.*>\s\u0000-\u001f\u007f-\u009f]|\p{Cs}/gu;

const orUnderscore = (text: string): string => (text === "" ? "_" : text);

/** Replaces `/`, `+`, `#` and control characters by `_`. */
export const toMqttLevel: ToLevel = (text) => orUnderscore(text.replace(NOT_IN_MQTT_LEVEL, "_"));

/** Replaces `.`, `*`, `>`, white space and control characters by `_`. */
export const toNatsToken: ToLevel = (text) => orUnderscore(text.replace(NOT_IN_NATS_TOKEN, "_"));
