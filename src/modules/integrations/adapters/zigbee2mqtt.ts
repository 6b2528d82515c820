/**
 * Zigbee2MQTT: `zigbee2mqtt/<friendly name>` (which may contain slashes), `…/availability`, `bridge/devices`. The base topic is configurable; here
 * it is the part before the first wildcard of the integration's filter.
 */
import { nonBlank } from "../../../lib/core/defined.ts";
import { detail } from "../../../lib/core/domain-error.ts";
import type { AdapterDefinition, Normalized, NormalizedMessage } from "../integrations.types.ts";
import { objectOf, objectsOf } from "./fields.ts";
import { textsOf } from "./lorawan.ts";
import { topicBases } from "./topic-bases.ts";
import {
  COMMAND_TO_DEVICE,
  ensureTopic,
  flatten,
  ignored,
  jsonOrText,
  NOT_MEASURED,
  type NotedMessage,
  noting,
  onOff,
  reading,
} from "./topic-devices.ts";

/** `last_seen` and `elapsed` repeat the time of receipt; `device` and `update` are descriptions, not measurements. */
const LEFT_OUT = new Set(["last_seen", "elapsed", "device", "update", "update_available"]);
const isSwitch = (key: string) => key === "state" || key.startsWith("state_");
const ACTIONS = new Set(["set", "get"]);

const telemetryOf = (body: Readonly<Record<string, unknown>>) =>
  flatten(body, {
    isLeftOut: (key, { depth }) => depth === 0 && LEFT_OUT.has(key),
    value: (value, key) => (isSwitch(key) ? onOff(value) : value),
  });

/** Returns the levels after the base, which is one level if no filter defines it. */
function withoutBase(topic: string, bases: readonly string[][]): string[] {
  const levels = topic.split("/");
  const base = bases.find((candidate) => candidate.every((level, index) => levels[index] === level));
  return levels.slice(base?.length ?? 1);
}

/** Returns the bridge's data on joined devices, without its own radio. */
function described(body: unknown): NormalizedMessage[] {
  return objectsOf(body)
    .filter(({ type }) => type !== "Coordinator")
    .flatMap((device) => {
      const name = nonBlank(device.friendly_name);
      const definition = objectOf(device.definition);
      const attributes = textsOf({
        ieeeAddress: device.ieee_address,
        vendor: definition?.vendor,
        model: definition?.model,
        description: definition?.description,
        powerSource: device.power_source,
        firmware: device.software_build_id,
      });
      if (name === undefined || Object.keys(attributes).length === 0) return [];
      const type = nonBlank(definition?.model);
      const address = nonBlank(device.ieee_address);
      return [
        {
          ...reading(name, {}),
          kind: "attributes" as const,
          device: { externalId: name, name, ...(address && { address }), ...(type && { type }) },
          attributes,
        },
      ];
    });
}

function ofBridge(topic: string, message: NotedMessage): Normalized {
  if (topic !== "devices") return ignored(detail("ignored.bridge_state"));
  const messages = described(jsonOrText(message));
  return messages.length > 0 ? { messages } : ignored(detail("ignored.no_device_joined"));
}

function availability(device: string, body: unknown): Normalized {
  const state = objectOf(body)?.state ?? body;
  return { messages: [reading(device, { online: state === "online" })] };
}

/** Reads a value from its own topic below the device's (`output: attribute`). */
function ofValue(device: string, name: string, value: unknown): Normalized {
  const telemetry = telemetryOf({ [name]: value === "" ? null : value });
  if (device === "") return ignored(detail("ignored.neither_json_nor_value"));
  return Object.keys(telemetry).length > 0
    ? { messages: [reading(device, telemetry)] }
    : ignored(detail("ignored.no_value"));
}

function ofDevice(levels: readonly string[], message: NotedMessage): Normalized {
  const above = levels.slice(0, -1).join("/");
  const last = levels.at(-1) ?? "";
  const body = jsonOrText(message);
  if (above !== "" && last === "availability") return availability(above, body);
  const fields = objectOf(body);
  if (fields === undefined) return ofValue(above, last, body);
  const telemetry = telemetryOf(fields);
  return Object.keys(telemetry).length > 0
    ? { messages: [reading(levels.join("/"), telemetry)] }
    : ignored(NOT_MEASURED);
}

function normalize(levels: readonly string[], message: NotedMessage): Normalized {
  if (levels[0] === "bridge") return ofBridge(levels.slice(1).join("/"), message);
  if (
    levels
      .slice(1)
      .slice(-2)
      .some((level) => ACTIONS.has(level))
  )
    return ignored(COMMAND_TO_DEVICE);
  return ofDevice(levels, message);
}

export const zigbee2mqtt: AdapterDefinition = {
  format: "zigbee2mqtt",
  create(settings) {
    const bases = topicBases(settings);
    return {
      normalize(message) {
        const levels = withoutBase(ensureTopic(message), bases);
        return levels.join("/") === ""
          ? ignored(detail("ignored.no_device_topic"))
          : noting(message, (noted) => normalize(levels, noted));
      },
    };
  },
};
