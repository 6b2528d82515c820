/**
 * Announcements of MQTT devices as defined by Home Assistant's "MQTT discovery": retained JSON at `<prefix>/<component>/[<node>/]<object>/config`,
 * or `<prefix>/device/[<node>/]<object>/config` for several components in one message.
 */
import { nonBlank } from "../../../../lib/core/defined.ts";
import { invalid } from "../../../../lib/core/domain-error.ts";
import { isJsonObject } from "../../../../lib/json/json.ts";
import { depthOf } from "../../../../lib/json/json-depth.ts";
import { decodeText } from "../../../../lib/json/sent-json.ts";
import { isValidFilter } from "../../../../lib/mqtt/topic-filters.ts";
import { isTopicName } from "../../../../lib/mqtt/topic-names.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import { type Fields, objectOf } from "../fields.ts";

const BYTES_MAX = 256 * 1024;
const DEPTH_MAX = 16;
const COMPONENTS_MAX = 500;
const TOPIC_CHARACTERS_MAX = 1_024;
const ID_CHARACTERS_MAX = 256;

/** Abbreviated names of the fields that are read. */
const abbreviations: Readonly<Record<string, string>> = {
  avty: "availability",
  avty_mode: "availability_mode",
  avty_t: "availability_topic",
  avty_tpl: "availability_template",
  bri_cmd_t: "brightness_command_topic",
  bri_cmd_tpl: "brightness_command_template",
  bri_scl: "brightness_scale",
  bri_stat_t: "brightness_state_topic",
  bri_val_tpl: "brightness_value_template",
  cmd_t: "command_topic",
  cmd_tpl: "command_template",
  cmps: "components",
  curr_temp_t: "current_temperature_topic",
  curr_temp_tpl: "current_temperature_template",
  dev: "device",
  dev_cla: "device_class",
  mode_cmd_t: "mode_command_topic",
  mode_cmd_tpl: "mode_command_template",
  mode_stat_t: "mode_state_topic",
  mode_stat_tpl: "mode_state_template",
  ops: "options",
  p: "platform",
  pct_cmd_t: "percentage_command_topic",
  pct_cmd_tpl: "percentage_command_template",
  pct_stat_t: "percentage_state_topic",
  pct_val_tpl: "percentage_value_template",
  pl_avail: "payload_available",
  pl_cls: "payload_close",
  pl_not_avail: "payload_not_available",
  pl_off: "payload_off",
  pl_on: "payload_on",
  pl_open: "payload_open",
  pl_prs: "payload_press",
  pl_stop: "payload_stop",
  pos_t: "position_topic",
  pos_tpl: "position_template",
  ret: "retain",
  set_pos_t: "set_position_topic",
  set_pos_tpl: "set_position_template",
  stat_cla: "state_class",
  stat_clsd: "state_closed",
  stat_closing: "state_closing",
  stat_off: "state_off",
  stat_on: "state_on",
  stat_open: "state_open",
  stat_opening: "state_opening",
  stat_stopped: "state_stopped",
  stat_t: "state_topic",
  stat_val_tpl: "state_value_template",
  sug_dsp_prc: "suggested_display_precision",
  t: "topic",
  temp_cmd_t: "temperature_command_topic",
  temp_cmd_tpl: "temperature_command_template",
  temp_stat_t: "temperature_state_topic",
  temp_stat_tpl: "temperature_state_template",
  temp_unit: "temperature_unit",
  uniq_id: "unique_id",
  unit_of_meas: "unit_of_measurement",
  val_tpl: "value_template",
};
const deviceAbbreviations: Readonly<Record<string, string>> = {
  cns: "connections",
  cu: "configuration_url",
  hw: "hw_version",
  ids: "identifiers",
  mdl: "model",
  mf: "manufacturer",
  sa: "suggested_area",
  sn: "serial_number",
  sw: "sw_version",
};

/** Component of an announcement, with unabbreviated names and topics. */
export interface AnnouncedComponent {
  readonly component: string;
  /** Id within the device, from which the key of its values is derived. */
  readonly objectId: string;
  readonly config: Fields;
}

export interface AnnouncedDevice {
  readonly externalId: string;
  /** `undefined` if the announcement contains no device, or no name of it. */
  readonly name: string | undefined;
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
  /** Attributes of the device, as strings. */
  readonly details: Fields;
}

export interface Announcement {
  readonly device: AnnouncedDevice;
  readonly components: readonly AnnouncedComponent[];
}

/** Parts of the topic of an announcement. */
export interface AnnouncementTopic {
  readonly component: string;
  readonly node: string | undefined;
  readonly object: string;
}

/** Returns `undefined` for any other topic. */
export function readAnnouncementTopic(
  topic: string,
  prefixes: readonly string[],
): AnnouncementTopic | undefined {
  const prefix = prefixes.find((candidate) => topic.startsWith(`${candidate}/`));
  if (prefix === undefined || !topic.endsWith("/config")) return undefined;
  const levels = topic.slice(prefix.length + 1).split("/");
  const component = levels[0] ?? "";
  const object = levels.at(-2) ?? "";
  if (levels.length < 3 || levels.length > 4 || levels.some((level) => level === "")) return undefined;
  return { component, object, node: levels.length === 4 ? levels[1] : undefined };
}

function expandNames(fields: Fields, names: Readonly<Record<string, string>>): Record<string, unknown> {
  const expanded: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(fields))
    expanded[Object.hasOwn(names, name) ? (names[name] ?? name) : name] = value;
  return expanded;
}

/** Replaces `~` at the beginning or the end of a topic. The base itself is not expanded. */
function expandTopic(value: unknown, base: string | undefined): unknown {
  if (typeof value !== "string" || base === undefined) return value;
  if (value.startsWith("~")) return base + value.slice(1);
  return value.endsWith("~") ? value.slice(0, -1) + base : value;
}

function expandConfig(input: Fields): Record<string, unknown> {
  const config = expandNames(input, abbreviations);
  const base = nonBlank(config["~"]);
  for (const [name, value] of Object.entries(config))
    if (name.endsWith("_topic") || name === "topic") config[name] = expandTopic(value, base);
  if (Array.isArray(config.availability))
    config.availability = config.availability.slice(0, COMPONENTS_MAX).map((entry) => {
      const fields = expandNames(objectOf(entry) ?? {}, abbreviations);
      return { ...fields, topic: expandTopic(fields.topic, base) };
    });
  return config;
}

const firstText = (value: unknown): string | undefined => {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === "number" ? String(first) : nonBlank(first);
};

/** Returns the address of a connection, which is a pair such as `["mac", "02:5b:26:a8:dc:12"]`. */
const connectionOf = (value: unknown): string | undefined =>
  Array.isArray(value) && Array.isArray(value[0]) ? nonBlank(value[0][1]) : undefined;

function deviceOf(config: Fields, { component, node, object }: AnnouncementTopic): AnnouncedDevice {
  const fields = expandNames(objectOf(config.device) ?? {}, deviceAbbreviations);
  const own = [component, node, object].filter((level) => level !== undefined).join("/");
  const externalId = firstText(fields.identifiers) ?? connectionOf(fields.connections) ?? own;
  if (externalId.length > ID_CHARACTERS_MAX)
    throw invalid("integration.device_id_long", { max: ID_CHARACTERS_MAX });
  return {
    externalId,
    name: nonBlank(fields.name) ?? (externalId === own ? nonBlank(config.name) : undefined),
    manufacturer: nonBlank(fields.manufacturer),
    model: nonBlank(fields.model),
    details: {
      vendor: fields.manufacturer,
      model: fields.model,
      firmware: fields.sw_version,
      hardware: fields.hw_version,
      serialNumber: fields.serial_number,
      area: fields.suggested_area,
    },
  };
}

/** Fields of a device's announcement that apply to each of its components. */
const SHARED = [
  "availability",
  "availability_mode",
  "availability_template",
  "availability_topic",
  "command_topic",
  "payload_available",
  "payload_not_available",
  "state_topic",
];

function componentsOf(config: Fields): AnnouncedComponent[] {
  const components = objectOf(config.components);
  if (components === undefined) throw invalid("integration.announcement_invalid", { field: "components" });
  const entries = Object.entries(components);
  if (entries.length > COMPONENTS_MAX)
    throw invalid("integration.announcement_components", { max: COMPONENTS_MAX });
  const common = Object.fromEntries(SHARED.map((name) => [name, config[name]]));
  return entries.flatMap(([objectId, input]) => {
    const fields = objectOf(input) ?? {};
    const own = expandConfig({ "~": config["~"], ...fields });
    const component = nonBlank(own.platform);
    // A component with nothing but its platform has been removed.
    if (component === undefined || Object.keys(fields).length < 2) return [];
    return [{ component, objectId, config: { ...common, ...own } }];
  });
}

/** Returns the id of a component without the device id in front, so that devices of a model have the same keys. */
function withoutDevice(objectId: string, device: Fields): string {
  const { identifiers, connections, name } = device;
  const ids = [firstText(identifiers), connectionOf(connections)?.replaceAll(":", ""), nonBlank(name)];
  for (const id of ids) {
    const prefix = id?.toLowerCase().replaceAll(/[^a-z0-9]/g, "_");
    const plain = objectId.toLowerCase().replaceAll("-", "_");
    if (prefix && plain.startsWith(`${prefix}_`) && plain.length > prefix.length + 1)
      return objectId.slice(prefix.length + 1);
  }
  return objectId;
}

/** @throws DomainError `invalid` if the body is not an announcement */
export function readAnnouncement(bytes: Uint8Array, topic: AnnouncementTopic): Announcement {
  if (bytes.length > BYTES_MAX) throw invalid("integration.announcement_large", { max: BYTES_MAX / 1024 });
  const text = decodeText(bytes);
  if (depthOf(text) > DEPTH_MAX) throw invalid("integration.announcement_deep", { max: DEPTH_MAX });
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  if (!isJsonObject(body)) throw invalid("integration.body_not_object");
  const config = expandConfig(body);
  const device = deviceOf(config, topic);
  if (topic.component === "device") return { device, components: componentsOf(config) };
  const described = expandNames(objectOf(config.device) ?? {}, deviceAbbreviations);
  const objectId = topic.node === undefined ? withoutDevice(topic.object, described) : topic.object;
  return { device, components: [{ component: topic.component, objectId, config }] };
}

/** Returns a topic to publish to; `undefined` if the field is not set. @throws DomainError `invalid` for an invalid topic name */
export const topicIn = (config: Fields, field: string): string | undefined =>
  topicOrFilter(config, field, isTopicName);

/** Returns a topic or topic filter to follow, as Home Assistant subscribes to them. @throws DomainError `invalid` */
export const filterIn = (config: Fields, field: string): string | undefined =>
  topicOrFilter(config, field, (value) => isValidFilter(value) && !/^\$|\p{Cc}/u.test(value));

function topicOrFilter(
  config: Fields,
  field: string,
  isRight: (value: string) => boolean,
): string | undefined {
  const value = config[field];
  if (value === undefined || value === null || value === "") return undefined;
  const isGood =
    typeof value === "string" &&
    value.length <= TOPIC_CHARACTERS_MAX &&
    isRight(value) &&
    !value.startsWith("lineside/");
  if (isGood) return value;
  throw invalid("integration.announcement_topic", {
    field,
    topic: excerpt(typeof value === "string" ? value : JSON.stringify(value)),
  });
}
