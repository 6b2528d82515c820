import { invalid } from "../../lib/core/domain-error.ts";
import { settingOf } from "../../lib/devices/command-setting.ts";
import { isJsonObject, type JsonValue } from "../../lib/json/json.ts";
import { isTopicName } from "../../lib/mqtt/topic-names.ts";
import { commandPayload, WrongMetricType } from "../../lib/sparkplug/sparkplug-command.ts";
import { excerpt } from "../../lib/strings/excerpt.ts";
import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import type { Command } from "../commands/commands.types.ts";
import {
  type IntegrationSettings,
  type MessageFormat,
  SHELLY_GEN1_BASE,
} from "../integrations/integrations.types.ts";

interface AnnouncedCommand {
  readonly topic: string;
  readonly retain: boolean;
  /** Returns the payload. @throws DomainError `invalid` for a value that is not accepted */
  write(value: JsonValue): string;
}

type AskedCommand = Pick<Command, "rpcId" | "method" | "params">;

export interface CommandTarget {
  readonly settings: IntegrationSettings;
  /** The device's name in its topics. */
  readonly externalId: string;
  /** Epoch ms. */
  readonly now: number;
  /** Returns the command that the device has announced under a key. */
  readonly announced?: (key: string) => AnnouncedCommand | undefined;
  /** Returns the data type that a Sparkplug birth of the device gave a metric. */
  readonly metricType?: (name: string) => number | undefined;
}

type Writer = (target: CommandTarget, command: AskedCommand) => BrokerMessage;

const onOff = (value: JsonValue): JsonValue => (value === true ? "ON" : value === false ? "OFF" : value);

const SHOWN_CHARACTERS = 100;

const filtersOf = ({ mqtt }: IntegrationSettings): readonly string[] => [mqtt?.topicFilter ?? []].flat();

const isLevel = (name: string): boolean => name !== "" && !/[/+#\0]/.test(name);

/** Returns the messages for changed SHARED attributes, on the integration's attributes topic. */
export function attributeMessages(
  { settings, externalId }: Pick<CommandTarget, "settings" | "externalId">,
  values: ReadonlyMap<string, JsonValue>,
): BrokerMessage[] {
  const topic = settings.mqtt?.attributesTopic?.replace("{device}", () => externalId);
  if (topic === undefined || values.size === 0) return [];
  const isSwitched = settings.format === "tasmota";
  const messages: readonly BrokerMessage[] = topic.includes("{key}")
    ? [...values]
        .filter(([key]) => isLevel(key))
        .map(([key, value]) => ({
          topic: topic.replaceAll("{key}", () => key),
          payload: commandText(isSwitched ? onOff(value) : value),
          qos: 1,
        }))
    : [{ topic, payload: JSON.stringify(Object.fromEntries(values)), qos: 1 }];
  return messages.filter((message) => isTopicName(message.topic));
}

/** Returns the name if it is valid as a topic level. @throws DomainError `command.method_no_topic` */
function ensureLevel(name: string): string {
  if (!isLevel(name)) throw invalid("command.method_no_topic", { method: name });
  return name;
}

function commandText(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const isReport = (level: string | undefined): boolean => level === "tele" || level === "stat";

/** Publishes to `cmnd/<device>/<command>`, or to `<device>/cmnd/<command>` if the topics have the prefix after the device (`%topic%/%prefix%/`). */
const tasmota: Writer = ({ settings, externalId }, command) => {
  const { name, value } = settingOf(command);
  const isBehind = filtersOf(settings).some((filter) => {
    const levels = filter.split("/");
    return !isReport(levels[0]) && isReport(levels.at(-2));
  });
  const place = isBehind ? `${externalId}/cmnd` : `cmnd/${externalId}`;
  return { topic: `${place}/${ensureLevel(name)}`, payload: commandText(onOff(value)), qos: 1 };
};

/** Publishes to `<base>/<device>/set`, or to `…/get` for the method `get`. */
const zigbee2mqtt: Writer = ({ settings, externalId }, command) => {
  const levels = filtersOf(settings)[0]?.split("/") ?? [];
  const end = levels.findIndex((level) => level === "+" || level === "#");
  const base = (end < 0 ? [] : levels.slice(0, end)).join("/") || "zigbee2mqtt";
  const { method, params } = command;
  const isWhole = (method === "set" || method === "get") && isJsonObject(params);
  const { name, value } = settingOf(command);
  const isSwitch = name === "state" || name.startsWith("state_");
  const body = isWhole ? params : { [name]: isSwitch ? onOff(value) : value };
  return {
    topic: `${base}/${externalId}/${method === "get" ? "get" : "set"}`,
    payload: JSON.stringify(body),
    qos: 1,
  };
};

/** Returns the RPC of a command. `switch_0_output` with a boolean switches the component `switch:0`. */
function shellyCall(command: AskedCommand): { readonly method: string; readonly params?: JsonValue } {
  const { name, value } = settingOf(command);
  const [, kind, id] = /^(switch|light)_(\d{1,3})_output$/.exec(name) ?? [];
  if (kind !== undefined && typeof value === "boolean")
    return { method: kind === "switch" ? "Switch.Set" : "Light.Set", params: { id: Number(id), on: value } };
  const { method, params } = command;
  return { method, ...(params !== null && { params }) };
}

/** Methods for the device itself, sent to its own command topic. */
const DEVICE_COMMANDS = new Set(["announce", "update", "update_fw"]);
const PART = /^(relay|roller|light|color|white|valve|thermostat)_(\d{1,2})(?:_([a-z_]{1,32}))?$/;
/** Output keys that later generations also have. */
const LATER = /^(?:switch|light)_\d{1,3}_output$/;
const COVERS = new Set(["roller", "valve"]);
const LIGHTS = new Set(["light", "color", "white"]);

function partPayload(kind: string, value: JsonValue): string {
  if (typeof value === "boolean") return COVERS.has(kind) ? (value ? "open" : "close") : value ? "on" : "off";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function partTopic([, kind = "", index, property]: RegExpExecArray, value: JsonValue) {
  const part = `${kind}/${index}`;
  if (LIGHTS.has(kind) && property !== undefined)
    return { topic: `${part}/set`, payload: JSON.stringify({ [property]: value }) };
  if (typeof value === "object" && value !== null)
    return { topic: `${part}/set`, payload: JSON.stringify(value) };
  const topic = property === undefined ? `${part}/command` : `${part}/command/${property}`;
  return { topic, payload: partPayload(kind, value) };
}

/** Returns `undefined` for a device or command of a later generation. */
function gen1Command(
  externalId: string,
  command: { readonly method: string; readonly params: JsonValue },
): BrokerMessage | undefined {
  const { name, value } = settingOf(command);
  if (!externalId.startsWith(SHELLY_GEN1_BASE) || LATER.test(name)) return undefined;
  if (DEVICE_COMMANDS.has(name)) return { topic: `${externalId}/command`, payload: name, qos: 1 };
  const part = PART.exec(name);
  if (part === null) return undefined;
  const { topic, payload } = partTopic(part, value);
  return { topic: `${externalId}/${topic}`, payload, qos: 1 };
}

/** Publishes to a command topic of a Shelly of the first generation, or a JSON-RPC request to `<device>/rpc`. */
const shelly: Writer = ({ externalId }, command) =>
  gen1Command(externalId, command) ?? {
    topic: `${externalId}/rpc`,
    payload: JSON.stringify({ id: command.rpcId, src: "lineside", ...shellyCall(command) }),
    qos: 1,
  };

/** Publishes a metric in a DCMD, or in an NCMD to the edge node itself; `externalId` is `<group>/<edge node>[/<device>]`. */
const sparkplug: Writer = ({ externalId, now, metricType }, command) => {
  const [group = "", node = "", device] = externalId.split("/");
  const { name, value } = settingOf(command);
  if ([group, node, device ?? node].includes(""))
    throw invalid("command.topic_unusable", { topic: externalId.slice(0, SHOWN_CHARACTERS) });
  if (typeof value === "object") throw invalid("command.value_not_plain", { method: command.method });
  const place = device === undefined ? `NCMD/${node}` : `DCMD/${node}/${device}`;
  try {
    const payload = commandPayload(now, { name, value, bornType: metricType?.(name) });
    return { topic: `spBv1.0/${group}/${place}`, payload, qos: 0 };
  } catch (error) {
    if (!(error instanceof WrongMetricType)) throw error;
    throw invalid("command.metric_type", { metric: excerpt(name), type: error.type });
  }
};

/** Publishes the announced payload to the announced topic. */
const homeAssistant: Writer = ({ announced }, command) => {
  const { name, value } = settingOf(command);
  const way = announced?.(name);
  if (way === undefined) throw invalid("command.not_announced", { key: excerpt(name) });
  return { topic: way.topic, payload: way.write(value), qos: 1, retain: way.retain };
};

const writers: ReadonlyMap<MessageFormat, Writer> = new Map([
  ["tasmota", tasmota],
  ["zigbee2mqtt", zigbee2mqtt],
  ["shelly", shelly],
  ["sparkplug", sparkplug],
  ["home-assistant", homeAssistant],
]);

/** Returns whether devices of the format take commands over MQTT. */
export const hasCommands = (format: MessageFormat | undefined): boolean =>
  format !== undefined && writers.has(format);

/**
 * Returns the message that carries a command to a device of an integration's broker.
 * @throws DomainError `invalid` for a command that the format cannot express
 */
export function commandMessage(target: CommandTarget, command: AskedCommand): BrokerMessage {
  const writer = target.settings.format && writers.get(target.settings.format);
  if (!writer) throw invalid("command.format_without");
  const message = writer(target, command);
  if (!isTopicName(message.topic)) {
    // A broker ends the connection of a client that publishes there, and the command would be sent again after each reconnect.
    throw invalid("command.topic_unusable", { topic: message.topic.slice(0, SHOWN_CHARACTERS) });
  }
  return message;
}
