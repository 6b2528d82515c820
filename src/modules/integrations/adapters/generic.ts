import { decodeBody } from "../../../lib/body.ts";
import { DomainError, detail, invalid, textOf } from "../../../lib/domain-error.ts";
import type { JsonValue } from "../../../lib/json.ts";
import { toPlainJson } from "../../../lib/plain-json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { liveTimestamp } from "../../../lib/timestamp.ts";
import type {
  AdapterDefinition,
  DeviceReference,
  InboundMessage,
  IntegrationSettings,
  Normalized,
  NormalizedMessage,
  PathTemplates,
} from "../integrations.types.ts";
import { type Fields, nameOf, objectOf } from "./fields.ts";
import { type BodyPath, parsePath, valueAt } from "./path.ts";

/**
 * JSON and CBOR of anybody: `{k:v}`, `{ts, values}`, `{deviceToken | externalDeviceId, childDeviceId?, telemetry | payload |
 * values}`, lists of these, and whatever the integration's paths point at. What an outer object says of device and time holds
 * for the inner ones that do not say it themselves.
 */

const MESSAGES_MAX = 100_000;
const NESTING_MAX = 4;
const TEXT_BYTES_MAX = 1_024;

/** Fields that name the device and the time. All other fields are telemetry. */
const envelope = new Set([
  "deviceToken",
  "externalDeviceId",
  "childDeviceId",
  "tenantId",
  "deviceName",
  "deviceType",
  "ts",
]);
const isEnvelope = (name: string, value: unknown): boolean =>
  envelope.has(name) || (name === "attributes" && objectOf(value) !== undefined);

const containers = ["payload", "telemetry", "values"] as const;

type Paths = Partial<Record<keyof PathTemplates, BodyPath>>;

/** Describes what holds for an object, from those around it. */
interface Surrounding {
  readonly root: unknown;
  readonly receivedAt: number;
  readonly device: DeviceReference;
  readonly ts: number | undefined;
  readonly nesting: number;
  /** Collects what was read in another way than it was sent. */
  readonly notes: Text[];
}

const bodyInvalid = (rule: Text) => invalid("integration.body_invalid", { rule });

function nameIn(body: Fields, key: string): string | undefined {
  const value = body[key];
  if (value === undefined || value === null) return undefined;
  const name = nameOf(value);
  if (name === undefined) throw bodyInvalid(detail("rule.text_not_empty", { key }));
  return name;
}

type NamePart = Exclude<keyof DeviceReference, "route" | "creation" | "isAnnounced" | "devEui">;

/** Fields that name the device, with the parts of a reference that they are. */
const nameFields: ReadonlyArray<readonly [field: string, part: NamePart]> = [
  ["deviceToken", "deviceToken"],
  ["externalDeviceId", "externalId"],
  ["childDeviceId", "childId"],
  ["deviceName", "name"],
  ["deviceType", "type"],
];

/** Returns the parts of a reference that exist, so that it can overlay another reference. */
const referenceOf = (names: Partial<Record<NamePart, string | undefined>>): DeviceReference =>
  Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined));

/** Returns the reference with what the object says of the device itself. */
function deviceIn(body: Fields, around: DeviceReference): DeviceReference {
  let own: Partial<Record<NamePart, string>> | undefined;
  for (const [field, part] of nameFields) {
    const name = nameIn(body, field);
    if (name === undefined) continue;
    own ??= {};
    own[part] = name;
  }
  return own === undefined ? around : { ...around, ...own };
}

/** The object's telemetry where it is in an object or list of its own: there is nothing else beside it that could be meant. */
function containerOf(body: Fields): unknown {
  const key = containers.find((name) => typeof body[name] === "object" && body[name] !== null);
  if (key === undefined) return undefined;
  const isAlone = Object.keys(body).every((name) => name === key || isEnvelope(name, body[name]));
  return isAlone || key === "payload" ? body[key] : undefined;
}

function without(body: Fields, isTaken: (name: string, value: unknown) => boolean): Fields {
  if (!Object.keys(body).some((name) => isTaken(name, body[name]))) return body;
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !isTaken(name, value)));
}

function attributesOf(body: Fields): Record<string, JsonValue> | undefined {
  const attributes = objectOf(body.attributes);
  return attributes && (toPlainJson(attributes, "attribute") as Record<string, JsonValue>); // of an object an object
}

const timeIn = (value: unknown, { receivedAt, notes }: Surrounding): number | undefined =>
  value === undefined || value === null
    ? undefined
    : liveTimestamp(value, receivedAt, (reason) => notes.push(textOf(reason)));

function addMessage(messages: NormalizedMessage[], message: NormalizedMessage): void {
  if (messages.length >= MESSAGES_MAX)
    throw bodyInvalid(detail("rule.too_many_messages", { max: MESSAGES_MAX }));
  messages.push(message);
}

function addBody(messages: NormalizedMessage[], body: unknown, around: Surrounding): void {
  if (around.nesting > NESTING_MAX) throw bodyInvalid(detail("rule.body_too_deep"));
  const nesting = around.nesting + 1;
  if (Array.isArray(body)) {
    for (const item of body) addBody(messages, item, { ...around, nesting });
    return;
  }
  const fields = objectOf(body);
  if (fields === undefined) throw bodyInvalid(detail("rule.body_of_values"));
  const device = deviceIn(fields, around.device);
  const ts = timeIn(fields.ts, around) ?? around.ts;
  const attributes = attributesOf(fields);
  const time = ts === undefined ? {} : { ts };
  const inner = containerOf(fields);
  const telemetry = inner === undefined ? without(fields, isEnvelope) : {};
  const hasTelemetry = Object.keys(telemetry).length > 0;
  if (hasTelemetry || attributes)
    addMessage(messages, {
      kind: hasTelemetry ? "uplink" : "attributes",
      device,
      ...time,
      telemetry,
      ...(attributes && { attributes }),
    });
  if (inner !== undefined) addBody(messages, inner, { ...around, device, ts, nesting });
}

/** Returns the message for the attributes at their path; `undefined` if nothing is there. */
function attributesMessage(found: unknown, device: DeviceReference): NormalizedMessage | undefined {
  const attributes = attributesOf({ attributes: found });
  return attributes && Object.keys(attributes).length > 0
    ? { kind: "attributes", device, telemetry: {}, attributes }
    : undefined;
}

/** Adds an item as the paths of the integration read it. */
function addItem(messages: NormalizedMessage[], item: unknown, rest: { paths: Paths; around: Surrounding }) {
  const { paths, around } = rest;
  const find = (name: keyof PathTemplates) => {
    const path = paths[name];
    return path && valueAt(path, item, around.root);
  };
  const fields = objectOf(item) ?? {};
  const device = {
    ...deviceIn(fields, {}),
    ...referenceOf({
      externalId: nameOf(find("deviceId")),
      name: nameOf(find("deviceName")),
      type: nameOf(find("deviceType")),
    }),
  };
  const ts = timeIn(paths.ts ? find("ts") : fields.ts, around);
  const described = attributesMessage(find("attributes"), device);
  if (described !== undefined) addMessage(messages, described);
  if (paths.attributes?.segments.length === 0) return;
  if (!paths.telemetry) {
    // What the paths have taken as who and when is not telemetry beside.
    const taken = new Set(
      Object.values(paths).flatMap(({ segments }) => (segments.length === 1 ? [String(segments[0])] : [])),
    );
    addBody(messages, objectOf(item) ? without(fields, (name) => taken.has(name)) : item, {
      ...around,
      device,
      ts,
    });
    return;
  }
  const found = find("telemetry");
  if ((found === undefined || found === null) && described !== undefined) return;
  if (found === undefined || found === null) throw bodyInvalid(detail("rule.telemetry_path_empty"));
  if (typeof found === "object") {
    addBody(messages, found, { ...around, device, ts });
    return;
  }
  const name = paths.telemetry.segments.findLast((segment) => typeof segment === "string") ?? "value";
  addMessage(messages, {
    kind: "uplink",
    device,
    ...(ts !== undefined && { ts }),
    telemetry: { [name]: found },
  });
}

/** A bare value says what it is in its topic: `sensors/kitchen/temperature`. */
function keyOfTopic({ topic, topicDevice }: InboundMessage): string | undefined {
  const last = topic?.split("/").findLast((level) => level !== "");
  return last !== undefined && last === topicDevice ? "value" : last;
}

/** Decodes a message. MQTT messages may be text that is not JSON (`ON`, `open`), which many simple devices send. */
function decode(message: InboundMessage, settings: IntegrationSettings): unknown {
  const encoding = settings.encoding ?? message.encoding;
  try {
    return decodeBody(message.bytes, encoding);
  } catch (error) {
    const isShort = message.bytes.byteLength <= TEXT_BYTES_MAX && message.bytes.byteLength > 0;
    if (message.topic === undefined || encoding === "CBOR" || !isShort) throw error;
    const text = textOfBytes(message.bytes);
    if (text === undefined || /^\s*[[{"]/.test(text)) throw error;
    return text;
  }
}

function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a body with them is no text of a person or device
    return text === "" || /[\u0000-\u0008\u000e-\u001f\u007f]/.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function parsePaths(templates: PathTemplates = {}): Paths {
  const paths: Paths = {};
  for (const [name, text] of Object.entries(templates))
    if (typeof text === "string" && text !== "") paths[name as keyof PathTemplates] = parsePath(text); // its own keys
  return paths;
}

function read(
  body: unknown,
  message: InboundMessage,
  { paths, notes }: { paths: Paths; notes: Text[] },
): NormalizedMessage[] {
  const messages: NormalizedMessage[] = [];
  const around = { root: body, receivedAt: message.receivedAt, device: {}, ts: undefined, nesting: 0, notes };
  const key = keyOfTopic(message);
  if ((typeof body !== "object" || body === null) && key !== undefined) {
    if (body !== null) addMessage(messages, { kind: "uplink", device: {}, telemetry: { [key]: body } });
    return messages;
  }
  const { items, ...fields } = paths;
  if (Object.keys(paths).length === 0) {
    addBody(messages, body, around);
    return messages;
  }
  const list = items ? valueAt(items, body, body) : body;
  if (items && !Array.isArray(list)) throw bodyInvalid(detail("rule.items_path_empty"));
  for (const item of Array.isArray(list) ? list : [list]) addItem(messages, item, { paths: fields, around });
  return messages;
}

export const generic: AdapterDefinition = {
  format: "generic",
  create(settings) {
    const paths = parsePaths(settings.paths);
    return {
      normalize(message): Normalized {
        try {
          const notes: Text[] = [];
          const messages = read(decode(message, settings), message, { paths, notes });
          if (messages.length === 0) return { messages, ignored: detail("ignored.empty") };
          return notes.length > 0 ? { messages, notes } : { messages };
        } catch (error) {
          if (error instanceof DomainError) throw error;
          throw bodyInvalid(detail("rule.body_unreadable"));
        }
      },
    };
  },
};
