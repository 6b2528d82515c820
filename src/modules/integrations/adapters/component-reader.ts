import { nonBlank } from "../../../lib/core/defined.ts";
import { invalid } from "../../../lib/core/domain-error.ts";
import {
  parseValueTemplate,
  renderText,
  TemplateError,
  type ValueTemplate,
  wholeMessage,
} from "../../../lib/expressions/value-template.ts";
import type { JsonValue } from "../../../lib/json/json.ts";
import { type KeyMetadata, NAME_CHARACTERS_MAX } from "../../../lib/keys/key-metadata.ts";
import { reasonExcerpt } from "../../../lib/strings/excerpt.ts";
import type { Fields } from "./fields.ts";
import { filterIn, topicIn } from "./home-assistant/announcement.ts";

export const PAYLOAD_CHARACTERS_MAX = 1_024;

export type Value = JsonValue | undefined;

/** Value that is read from the messages of a topic. */
export interface AnnouncedValue {
  /** Suffix of the component's key: empty, or a part such as `brightness`. */
  readonly part: string;
  readonly topic: string;
  readonly template: ValueTemplate;
  /** Returns `undefined` if the component cannot have this value. */
  read(value: Value): Value;
  readonly metadata: Omit<KeyMetadata, "key">;
}

export interface AnnouncedCommand {
  readonly part: string;
  readonly topic: string;
  readonly retain: boolean;
  /** Returns the payload. @throws DomainError `invalid` for a value that the component does not take */
  write(value: JsonValue): string;
}

/** Topic that reports whether the device is reachable. */
export interface AnnouncedAvailability {
  readonly topic: string;
  readonly template: ValueTemplate;
  readonly available: string;
  readonly unavailable: string;
}

export interface AnnouncedEntity {
  readonly component: string;
  readonly objectId: string;
  readonly values: readonly AnnouncedValue[];
  readonly commands: readonly AnnouncedCommand[];
  readonly availability: readonly AnnouncedAvailability[];
  readonly availabilityMode: "all" | "any" | "latest";
}

/** Reads the fields of one component. */
export class ComponentReader {
  readonly values: AnnouncedValue[] = [];
  readonly commands: AnnouncedCommand[] = [];
  readonly name: string;

  constructor(readonly config: Fields) {
    this.name = lineOf(config.name, NAME_CHARACTERS_MAX) ?? "";
  }

  /** Returns a payload or state as a string; booleans and numbers are written as templates write them. */
  text(field: string, fallback: string): string {
    const value = this.config[field];
    if (typeof value === "boolean" || typeof value === "number") return renderText(value);
    return typeof value === "string" ? value.slice(0, PAYLOAD_CHARACTERS_MAX) : fallback;
  }

  template(field: string): ValueTemplate {
    const source = this.config[field];
    if (source === undefined || source === null || source === "") return wholeMessage;
    if (typeof source !== "string") throw invalid("integration.announcement_invalid", { field });
    try {
      return parseValueTemplate(source);
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      throw invalid("integration.announcement_template", { field, reason: reasonExcerpt(error.message) });
    }
  }

  addValue(
    fields: { topic: string; template: string; part?: string },
    value: { read: AnnouncedValue["read"]; metadata?: Omit<KeyMetadata, "key" | "name"> },
  ): void {
    const topic = filterIn(this.config, fields.topic);
    const { part = "" } = fields;
    if (topic === undefined) return;
    const name = lineOf(`${this.name} ${part.replaceAll("_", " ")}`, NAME_CHARACTERS_MAX);
    this.values.push({
      part,
      topic,
      template: this.template(fields.template),
      read: value.read,
      metadata: { ...(name !== undefined && { name }), ...value.metadata },
    });
  }

  addCommand(
    fields: { topic: string; template?: string; part?: string },
    payloadOf: (value: JsonValue) => JsonValue,
  ): void {
    const topic = topicIn(this.config, fields.topic);
    if (topic === undefined) return;
    const template = fields.template === undefined ? undefined : this.template(fields.template);
    this.commands.push({
      part: fields.part ?? "",
      topic,
      retain: this.config.retain === true,
      write(value) {
        const payload = payloadOf(value);
        const written = template === undefined ? payload : template({ value: payload });
        return typeof written === "string" ? written : JSON.stringify(written ?? "");
      },
    });
  }
}

/** Returns the value as one short line; `undefined` if it is empty. */
export function lineOf(value: unknown, max: number): string | undefined {
  const text = nonBlank(value)
    ?.toWellFormed()
    .slice(0, 4 * max)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ")
    .trim()
    .slice(0, max)
    .toWellFormed()
    .trim();
  return text === "" ? undefined : text;
}
