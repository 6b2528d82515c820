import { invalid } from "../../../../lib/core/domain-error.ts";
import { parseValueTemplate, renderText } from "../../../../lib/expressions/value-template.ts";
import { toNumber } from "../../../../lib/expressions/value-template-values.ts";
import type { JsonValue } from "../../../../lib/json/json.ts";
import { isEmptiedNumber } from "../../../../lib/json/missing-value.ts";
import {
  DECIMALS_MAX,
  type KeyKind,
  type KeyState,
  NAME_CHARACTERS_MAX,
  STATES_MAX,
  UNIT_CHARACTERS_MAX,
} from "../../../../lib/keys/key-metadata.ts";
import { excerpt } from "../../../../lib/strings/excerpt.ts";
import {
  type AnnouncedAvailability,
  type AnnouncedEntity,
  type AnnouncedValue,
  ComponentReader,
  lineOf,
  PAYLOAD_CHARACTERS_MAX,
  type Value,
} from "../component-reader.ts";
import { numberOf, objectsOf } from "../fields.ts";
import { type AnnouncedComponent, filterIn } from "./announcement.ts";

/*
 * Values and payloads common to several components.
 */

const TEXT_CHARACTERS_MAX = 256;

const refuseValue = (value: JsonValue) =>
  invalid("command.value_not_accepted", { value: excerpt(renderText(value)) });

const plainText: AnnouncedValue["read"] = (value) =>
  value === undefined || value === null || value === ""
    ? undefined
    : renderText(value).slice(0, TEXT_CHARACTERS_MAX);

const number: AnnouncedValue["read"] = (value) => (typeof value === "boolean" ? undefined : toNumber(value));

/** Reads a value without a unit: numbers and strings keep their types. A string becomes a number if the number is written with the same digits. */
const anything: AnnouncedValue["read"] = (value) => {
  if (typeof value === "string") {
    const found = toNumber(value);
    if (found !== undefined && String(found) === value.trim()) return found;
    return isEmptiedNumber(value) ? undefined : plainText(value);
  }
  return value === null || typeof value === "object" ? undefined : value;
};

const stateOf = (value: KeyState["value"], name: string): KeyState => ({
  value,
  name: lineOf(name, NAME_CHARACTERS_MAX) ?? String(value),
});

function onOff(reader: ComponentReader, on: string, off: string) {
  return {
    read: (value: Value): Value => {
      const text = renderText(value);
      if (text === on) return true;
      if (text === off) return false;
      // A bare `true` is JSON to the template, and a text in the announcement.
      return typeof value === "boolean" && [on, off].includes(String(value))
        ? String(value) === on
        : undefined;
    },
    metadata: {
      kind: "state" as const,
      states: [
        stateOf(true, reader.text("payload_on", "ON")),
        stateOf(false, reader.text("payload_off", "OFF")),
      ],
    },
  };
}

/** Writes true and false, or the payloads themselves. */
function switchPayload(reader: ComponentReader): (value: JsonValue) => string {
  const [on, off] = [reader.text("payload_on", "ON"), reader.text("payload_off", "OFF")];
  return (value) => {
    if (value === true || value === on || value === 1) return on;
    if (value === false || value === off || value === 0) return off;
    throw refuseValue(value);
  };
}

function numberPayload(min: number, max: number): (value: JsonValue) => number {
  return (value) => {
    const wanted = typeof value === "string" ? toNumber(value) : value;
    if (typeof wanted !== "number" || wanted < min || wanted > max) throw refuseValue(value);
    return wanted;
  };
}

function textPayload(options: readonly string[]): (value: JsonValue) => string {
  return (value) => {
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || text.length > PAYLOAD_CHARACTERS_MAX) throw refuseValue(value);
    if (options.length > 0 && !options.includes(text)) throw refuseValue(value);
    return text;
  };
}

const optionsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [])
    .filter((option) => typeof option === "string" && option !== "" && option.length <= NAME_CHARACTERS_MAX)
    .slice(0, STATES_MAX);

const statesOf = (options: readonly string[]) =>
  [...new Set(options)].map((option) => stateOf(option, option));

function measured({ config }: ComponentReader, kind: KeyKind | undefined) {
  const unit = lineOf(config.unit_of_measurement, UNIT_CHARACTERS_MAX);
  const decimals = config.suggested_display_precision;
  const hasDecimals =
    typeof decimals === "number" && Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX;
  return {
    ...(unit !== undefined && { unit }),
    ...(hasDecimals && { decimals }),
    ...(kind !== undefined && { kind }),
  };
}

/* Reads the measurements and commands of an announced component. */

const AVAILABILITY_MAX = 4;

type Parts = Pick<AnnouncedEntity, "values" | "commands">;

const STATE = { topic: "state_topic", template: "value_template" };
const COMMAND = { topic: "command_topic", template: "command_template" };

function sensor(reader: ComponentReader): void {
  const { config } = reader;
  if (config.device_class === "enum") {
    const options = optionsOf(config.options);
    const metadata = { kind: "state" as const, ...(options.length > 0 && { states: statesOf(options) }) };
    reader.addValue(STATE, { read: plainText, metadata });
    return;
  }
  const { state_class: stateClass } = config;
  const isCounter = stateClass === "total" || stateClass === "total_increasing";
  const metadata = measured(
    reader,
    isCounter ? "counter" : stateClass === "measurement" ? "gauge" : undefined,
  );
  const isNumber = stateClass !== undefined || metadata.unit !== undefined || metadata.decimals !== undefined;
  reader.addValue(STATE, { read: isNumber ? number : anything, metadata });
}

function binarySensor(reader: ComponentReader): void {
  reader.addValue(STATE, onOff(reader, reader.text("payload_on", "ON"), reader.text("payload_off", "OFF")));
}

/** Adds a switched state; `state_on` and `state_off` may differ from the payloads of commands. */
function switched(reader: ComponentReader, template = "value_template"): void {
  const on = reader.text("state_on", reader.text("payload_on", "ON"));
  const off = reader.text("state_off", reader.text("payload_off", "OFF"));
  reader.addValue({ topic: "state_topic", template }, onOff(reader, on, off));
}

function switchOf(reader: ComponentReader): void {
  switched(reader);
  reader.addCommand(COMMAND, switchPayload(reader));
}

function numberOfDevice(reader: ComponentReader): void {
  const { config } = reader;
  reader.addValue(STATE, { read: number, metadata: measured(reader, "gauge") });
  reader.addCommand(COMMAND, numberPayload(numberOf(config.min) ?? 1, numberOf(config.max) ?? 100));
}

function select(reader: ComponentReader): void {
  const options = optionsOf(reader.config.options);
  reader.addValue(STATE, { read: plainText, metadata: { kind: "state", states: statesOf(options) } });
  reader.addCommand(COMMAND, textPayload(options));
}

function text(reader: ComponentReader): void {
  reader.addValue(STATE, { read: plainText, metadata: { kind: "text" } });
  reader.addCommand(COMMAND, textPayload([]));
}

function button(reader: ComponentReader): void {
  const payload = reader.text("payload_press", "PRESS");
  reader.addCommand(COMMAND, () => payload);
}

/** Reads a light whose state and commands are JSON objects. */
function jsonLight(reader: ComponentReader): void {
  const scale = numberOf(reader.config.brightness_scale) ?? 255;
  const topic = filterIn(reader.config, "state_topic");
  const part = (name: string) => parseValueTemplate(`{{ value_json.${name} }}`);
  const { read, metadata } = onOff(reader, "ON", "OFF");
  if (topic !== undefined) {
    const name = reader.name === "" ? {} : { name: reader.name };
    reader.values.push({
      part: "",
      topic,
      template: part("state"),
      read,
      metadata: { ...name, ...metadata },
    });
    if (reader.config.brightness === true)
      reader.values.push({
        part: "brightness",
        topic,
        template: part("brightness"),
        read: number,
        metadata: { name: `${reader.name.slice(0, 80)} brightness`.trim(), kind: "gauge" },
      });
  }
  const payload = switchPayload(reader);
  reader.addCommand({ topic: "command_topic" }, (value) => ({
    state: payload(value) === reader.text("payload_on", "ON") ? "ON" : "OFF",
  }));
  const level = numberPayload(0, scale);
  if (reader.config.brightness === true)
    reader.addCommand({ topic: "command_topic", part: "brightness" }, (value) => ({
      state: "ON",
      brightness: level(value),
    }));
}

function light(reader: ComponentReader): void {
  const { schema = "basic" } = reader.config;
  if (schema === "json") jsonLight(reader);
  else if (schema === "basic") basicLight(reader);
  else throw invalid("integration.announcement_invalid", { field: "schema" });
}

function basicLight(reader: ComponentReader): void {
  switched(reader, "state_value_template");
  reader.addCommand({ topic: "command_topic" }, switchPayload(reader));
  const part = "brightness";
  reader.addValue(
    { topic: "brightness_state_topic", template: "brightness_value_template", part },
    { read: number, metadata: { kind: "gauge" } },
  );
  reader.addCommand(
    { topic: "brightness_command_topic", template: "brightness_command_template", part },
    numberPayload(0, numberOf(reader.config.brightness_scale) ?? 255),
  );
}

function cover(reader: ComponentReader): void {
  const states = ["open", "opening", "closed", "closing", "stopped"];
  const payloads = new Map(states.map((state) => [reader.text(`state_${state}`, state), state]));
  reader.addValue(STATE, {
    read: (value) => payloads.get(renderText(value)),
    metadata: { kind: "state", states: statesOf(states) },
  });
  const commands: Record<string, string> = {
    open: reader.text("payload_open", "OPEN"),
    close: reader.text("payload_close", "CLOSE"),
    stop: reader.text("payload_stop", "STOP"),
  };
  reader.addCommand({ topic: "command_topic" }, (value) => {
    const name = value === true ? "open" : value === false ? "close" : String(value).toLowerCase();
    const payload = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (payload === undefined) throw refuseValue(value);
    return payload;
  });
  const part = "position";
  const position = { topic: "position_topic", template: "position_template", part };
  reader.addValue(position, { read: number, metadata: { unit: "%", kind: "gauge" } });
  const [low, high] = [
    numberOf(reader.config.position_closed) ?? 0,
    numberOf(reader.config.position_open) ?? 100,
  ];
  reader.addCommand(
    { topic: "set_position_topic", template: "set_position_template", part },
    numberPayload(Math.min(low, high), Math.max(low, high)),
  );
}

function climate(reader: ComponentReader): void {
  const { config } = reader;
  const unit = config.temperature_unit === "F" ? "°F" : "°C";
  const metadata = { unit, kind: "gauge" as const };
  const current = "current_temperature";
  reader.addValue(
    { topic: `${current}_topic`, template: `${current}_template`, part: current },
    { read: number, metadata },
  );
  const setpoint = {
    topic: "temperature_state_topic",
    template: "temperature_state_template",
    part: "temperature",
  };
  reader.addValue(setpoint, { read: number, metadata });
  reader.addCommand(
    { topic: "temperature_command_topic", template: "temperature_command_template", part: "temperature" },
    numberPayload(numberOf(config.min_temp) ?? -100, numberOf(config.max_temp) ?? 1_000),
  );
  const modes = optionsOf(config.modes);
  const mode = { topic: "mode_state_topic", template: "mode_state_template", part: "mode" };
  reader.addValue(mode, {
    read: plainText,
    metadata: { kind: "state", ...(modes.length > 0 && { states: statesOf(modes) }) },
  });
  const change = { topic: "mode_command_topic", template: "mode_command_template", part: "mode" };
  reader.addCommand(change, textPayload(modes));
}

function fan(reader: ComponentReader): void {
  switched(reader, "state_value_template");
  reader.addCommand(COMMAND, switchPayload(reader));
  const part = "percentage";
  reader.addValue(
    { topic: "percentage_state_topic", template: "percentage_value_template", part },
    { read: number, metadata: { unit: "%", kind: "gauge" } },
  );
  reader.addCommand(
    { topic: "percentage_command_topic", template: "percentage_command_template", part },
    numberPayload(0, 100),
  );
}

const readers: ReadonlyMap<string, (reader: ComponentReader) => void> = new Map([
  ["sensor", sensor],
  ["binary_sensor", binarySensor],
  ["switch", switchOf],
  ["number", numberOfDevice],
  ["select", select],
  ["text", text],
  ["button", button],
  ["light", light],
  ["cover", cover],
  ["climate", climate],
  ["fan", fan],
] as [string, (reader: ComponentReader) => void][]);

function availabilityOf(reader: ComponentReader): AnnouncedAvailability[] {
  const { config } = reader;
  const single = {
    ...config,
    topic: config.availability_topic,
    value_template: config.availability_template,
  };
  const entries = config.availability_topic === undefined ? objectsOf(config.availability) : [single];
  return entries.slice(0, AVAILABILITY_MAX).flatMap((entry) => {
    const fields = new ComponentReader(entry);
    const topic = filterIn(entry, "topic");
    if (topic === undefined) return [];
    const template = fields.template("value_template");
    const available = fields.text("payload_available", "online");
    return [{ topic, template, available, unavailable: fields.text("payload_not_available", "offline") }];
  });
}

export const isReadComponent = (component: string): boolean => readers.has(component);

/** @throws DomainError `invalid` that names the unreadable field */
export function readEntity({ component, objectId, config }: AnnouncedComponent): AnnouncedEntity {
  const read = readers.get(component);
  if (read === undefined)
    throw invalid("integration.announcement_component", { component: excerpt(component) });
  const reader = new ComponentReader(config);
  read(reader);
  const { values, commands }: Parts = reader;
  if (values.length === 0 && commands.length === 0)
    throw invalid("integration.announcement_invalid", { field: "state_topic" });
  const mode = config.availability_mode;
  return {
    component,
    objectId,
    values,
    commands,
    availability: availabilityOf(reader),
    availabilityMode: mode === "all" || mode === "any" ? mode : "latest",
  };
}
