/**
 * JSON and CBOR of any program: `{k:v}`, `{ts, values}`, `{deviceToken | externalDeviceId, childDeviceId?, telemetry | payload | values}`, lists of
 * these, and bodies that the integration's paths describe. Device and time of an outer object apply to inner objects without their own; fields next
 * to an inner object are values, too.
 */
import { DomainError, detail, invalid, toText } from "../../../lib/core/domain-error.ts";
import { findDevEui } from "../../../lib/devices/dev-eui.ts";
import { decodeBody } from "../../../lib/json/body.ts";
import type { JsonValue } from "../../../lib/json/json.ts";
import { isEmptiedNumber } from "../../../lib/json/missing-value.ts";
import { toPlainJson } from "../../../lib/json/plain-json.ts";
import { type NoteLeftOut, namesShown } from "../../../lib/json/sent-json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { liveTimestamp } from "../../../lib/time/timestamp.ts";
import type {
  Adapter,
  AdapterDefinition,
  DeviceReference,
  FrameEncoding,
  InboundMessage,
  IntegrationSettings,
  Normalized,
  NormalizedMessage,
  PathTemplates,
} from "../integrations.types.ts";
import { type Fields, nameOf, objectOf } from "./fields.ts";
import { noteOnFrame, parseFrame } from "./frame.ts";
import { type BodyPath, parsePath, valueAt } from "./path.ts";
import { type TopicKey, topicKeys } from "./topic-keys.ts";

const MESSAGES_MAX = 100_000;
const NESTING_MAX = 4;
const TEXT_BYTES_MAX = 1_024;

/** Fields that name the device and the time. All other fields are telemetry. */
const ENVELOPE = new Set([
  "deviceToken",
  "externalDeviceId",
  "childDeviceId",
  "tenantId",
  "deviceName",
  "deviceType",
  "ts",
]);
const isEnvelope = (name: string, value: unknown): boolean =>
  ENVELOPE.has(name) || (name === "attributes" && objectOf(value) !== undefined);

const CONTAINERS: readonly string[] = ["payload", "telemetry", "values"];

type Paths = Partial<Record<keyof PathTemplates, BodyPath>>;

/** Device and time that an object inherits from the objects around it. */
interface Surrounding {
  readonly root: unknown;
  readonly receivedAt: number;
  readonly device: DeviceReference;
  readonly ts: number | undefined;
  readonly nesting: number;
  /** Receives notes on values that are left out or converted. */
  readonly notes: Text[];
  /** Receives the keys whose values are overwritten within the message. */
  readonly overwritten: Set<string>;
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

/** Fields that name the device, with the part of a reference that each field holds. */
const NAME_FIELDS: ReadonlyArray<readonly [field: string, part: NamePart]> = [
  ["deviceToken", "deviceToken"],
  ["externalDeviceId", "externalId"],
  ["childDeviceId", "childId"],
  ["deviceName", "name"],
  ["deviceType", "type"],
];

/** Returns a reference of the defined names only, so that it can override another reference. */
const referenceOf = (names: Partial<Record<NamePart, string | undefined>>): DeviceReference =>
  Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined));

/** Returns the reference, overridden by the names in the object itself. */
function deviceIn(body: Fields, around: DeviceReference): DeviceReference {
  let own: Partial<Record<NamePart, string>> | undefined;
  for (const [field, part] of NAME_FIELDS) {
    const name = nameIn(body, field);
    if (name === undefined) continue;
    own ??= {};
    own[part] = name;
  }
  return own === undefined ? around : { ...around, ...own };
}

const isContainer = (name: string, value: unknown): boolean =>
  CONTAINERS.includes(name) &&
  (objectOf(value) !== undefined || (Array.isArray(value) && value.length > 0 && value.every(objectOf)));

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
    : liveTimestamp(value, receivedAt, (reason) => notes.push(toText(reason)));

function addMessage(messages: NormalizedMessage[], message: NormalizedMessage): void {
  if (messages.length >= MESSAGES_MAX)
    throw bodyInvalid(detail("rule.too_many_messages", { max: MESSAGES_MAX }));
  messages.push(message);
}

function addBody(messages: NormalizedMessage[], body: unknown, around: Surrounding): void {
  if (around.nesting > NESTING_MAX) throw bodyInvalid(detail("rule.body_too_deep"));
  const inside = { ...around, nesting: around.nesting + 1 };
  if (Array.isArray(body)) {
    for (const item of body) addBody(messages, item, inside);
    return;
  }
  const fields = objectOf(body);
  if (fields === undefined) throw bodyInvalid(detail("rule.body_of_values"));
  addObject(messages, fields, {
    ...inside,
    device: deviceIn(fields, around.device),
    ts: timeIn(fields.ts, around) ?? around.ts,
  });
}

/** Adds an object, with the device and time that apply to it. */
function addObject(messages: NormalizedMessage[], fields: Fields, around: Surrounding): void {
  const { device, ts } = around;
  const attributes = attributesOf(fields);
  const own = { device, ...(ts !== undefined && { ts }) };
  const inner = Object.keys(fields).filter((name) => isContainer(name, fields[name]));
  const beside = without(fields, (name, value) => isEnvelope(name, value) || inner.includes(name));
  const hasBeside = Object.keys(beside).length > 0;
  if (inner.length === 0 && hasBeside)
    addMessage(messages, { kind: "uplink", ...own, telemetry: beside, ...(attributes && { attributes }) });
  else if (attributes) addMessage(messages, { kind: "attributes", ...own, telemetry: {}, attributes });
  const start = messages.length;
  for (const name of inner) addBody(messages, fields[name], around);
  if (inner.length > 0 && hasBeside) addBeside(messages, { start, around }, { ...own, telemetry: beside });
}

/** Adds the values next to containers: to their only message, otherwise as a message of their own. */
function addBeside(
  messages: NormalizedMessage[],
  { start, around }: { start: number; around: Surrounding },
  beside: Pick<NormalizedMessage, "device" | "ts" | "telemetry">,
): void {
  const [inner, second] = messages.slice(start, start + 2);
  const isOne = inner !== undefined && second === undefined && inner.kind === "uplink";
  if (!isOne || inner.device !== beside.device || (beside.ts ?? inner.ts) !== inner.ts) {
    addMessage(messages, { kind: "uplink", ...beside });
    return;
  }
  for (const key of Object.keys(beside.telemetry))
    if (Object.hasOwn(inner.telemetry, key)) around.overwritten.add(key);
  messages[start] = { ...inner, telemetry: { ...beside.telemetry, ...inner.telemetry } };
}

/** Returns the message for the attributes at their path; `undefined` if nothing is there. */
function attributesMessage(found: unknown, device: DeviceReference): NormalizedMessage | undefined {
  const attributes = attributesOf({ attributes: found });
  return attributes && Object.keys(attributes).length > 0
    ? { kind: "attributes", device, telemetry: {}, attributes }
    : undefined;
}

/** Returns the reference; a DevEUI given as an id becomes `devEui`, by which LoRaWAN devices are found. */
function networkDevice({ externalId, ...rest }: DeviceReference): DeviceReference {
  if (externalId === undefined) return rest;
  const devEui = findDevEui(externalId);
  return devEui === undefined ? { ...rest, externalId } : { ...rest, devEui };
}

interface FoundFrame {
  readonly data: unknown;
  readonly fPort: unknown;
  readonly telemetry: unknown;
  readonly encoding: FrameEncoding | undefined;
}

/** Adds the frame of a device; adds nothing for a message without a frame, such as a join. */
function addFrame(
  messages: NormalizedMessage[],
  { device, ts }: Pick<NormalizedMessage, "device"> & { readonly ts: number | undefined },
  found: FoundFrame,
): void {
  const frame = parseFrame(found.data, found.fPort, found.encoding);
  if (frame === undefined) return;
  addMessage(messages, {
    kind: "uplink",
    device,
    ...(ts !== undefined && { ts }),
    telemetry: objectOf(found.telemetry) ?? {},
    frame,
  });
}

/** Adds an item according to the integration's paths. */
function addItem(
  messages: NormalizedMessage[],
  item: unknown,
  { paths, around, encoding }: Pick<Reading, "paths" | "around" | "encoding">,
) {
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
  if (paths.frame) {
    around.notes.push(...noteOnFrame(find("frame"), encoding));
    const place = { device: networkDevice(device), ts };
    addFrame(messages, place, {
      data: find("frame"),
      fPort: find("fPort"),
      telemetry: find("telemetry"),
      encoding,
    });
    return;
  }
  if (paths.telemetry) {
    const found = find("telemetry");
    if ((found === undefined || found === null) && described !== undefined) return;
    addTelemetry(messages, { found, path: paths.telemetry }, { ...around, device, ts });
    return;
  }
  // Fields that paths select as device or time are not telemetry.
  const taken = new Set(
    Object.values(paths).flatMap(({ segments }) => (segments.length === 1 ? [String(segments[0])] : [])),
  );
  const body = objectOf(item) ? without(fields, (name) => taken.has(name)) : item;
  addBody(messages, body, { ...around, device, ts });
}

/** Adds the value found at the telemetry path. */
function addTelemetry(
  messages: NormalizedMessage[],
  { found, path }: { found: unknown; path: BodyPath },
  around: Surrounding,
): void {
  if (found === undefined || found === null) throw bodyInvalid(detail("rule.telemetry_path_empty"));
  if (typeof found === "object") {
    addBody(messages, found, around);
    return;
  }
  const { device, ts } = around;
  const name = path.segments.findLast((segment) => typeof segment === "string") ?? "value";
  addMessage(messages, {
    kind: "uplink",
    device,
    ...(ts !== undefined && { ts }),
    telemetry: { [name]: found },
  });
}

/** Decodes a message. MQTT messages may be text that is not JSON (`ON`, `open`), which many simple devices send. */
function decode(message: InboundMessage, settings: IntegrationSettings, note: NoteLeftOut): unknown {
  const encoding = settings.encoding ?? message.encoding;
  try {
    return decodeBody(message.bytes, encoding, note);
  } catch (error) {
    const isShort = message.bytes.byteLength <= TEXT_BYTES_MAX && message.bytes.byteLength > 0;
    if (message.topic === undefined || encoding === "CBOR" || !isShort) throw error;
    const text = textOfBytes(message.bytes);
    if (text === undefined || /^\s*[[{"]/.test(text)) throw error;
    return isEmptiedNumber(text) ? null : text;
  }
}

function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes).trim();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a body with them was not written as text
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

/** Names the fields of a body with `value` by its topic, if only the topic distinguishes the measurement from others. */
function namedBy({ key, isOwn }: TopicKey, body: unknown): unknown {
  const fields = objectOf(body);
  if (!isOwn || fields === undefined || !Object.hasOwn(fields, "value")) return body;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) =>
      isEnvelope(name, value) ? [name, value] : [name === "value" ? key : `${key}_${name}`, value],
    ),
  );
}

interface Reading {
  readonly paths: Paths;
  readonly around: Surrounding;
  readonly topicKey: TopicKey | undefined;
  readonly encoding: FrameEncoding | undefined;
}

function read(body: unknown, { paths, around, topicKey, encoding }: Reading): NormalizedMessage[] {
  const messages: NormalizedMessage[] = [];
  if ((typeof body !== "object" || body === null) && topicKey !== undefined) {
    if (body !== null)
      addMessage(messages, { kind: "uplink", device: {}, telemetry: { [topicKey.key]: body } });
    return messages;
  }
  const { items, ...fields } = paths;
  if (Object.keys(paths).length === 0) {
    addBody(messages, topicKey ? namedBy(topicKey, body) : body, around);
    return messages;
  }
  const list = items ? valueAt(items, body, body) : body;
  if (items && !Array.isArray(list)) throw bodyInvalid(detail("rule.items_path_empty"));
  for (const item of Array.isArray(list) ? list : [list])
    addItem(messages, item, { paths: fields, around, encoding });
  return messages;
}

class GenericAdapter implements Adapter {
  readonly #paths: Paths;
  readonly #topicKeyOf: ReturnType<typeof topicKeys>;

  readonly #settings: IntegrationSettings;

  constructor(settings: IntegrationSettings) {
    this.#settings = settings;
    this.#paths = parsePaths(settings.paths);
    this.#topicKeyOf = topicKeys(settings);
  }

  normalize(message: InboundMessage): Normalized {
    try {
      return this.#read(message);
    } catch (error) {
      if (error instanceof DomainError) throw error;
      throw bodyInvalid(detail("rule.body_unreadable"));
    }
  }

  #read(message: InboundMessage): Normalized {
    const notes: Text[] = [];
    const body = decode(message, this.#settings, (reason) => void notes.push(toText(reason)));
    const overwritten = new Set<string>();
    const { receivedAt } = message;
    const around = { root: body, receivedAt, device: {}, ts: undefined, nesting: 0, notes, overwritten };
    const messages = read(body, {
      paths: this.#paths,
      around,
      topicKey: this.#topicKeyOf(message),
      encoding: this.#settings.frameEncoding,
    });
    if (overwritten.size > 0)
      notes.push(detail("telemetry.overwritten", { keys: namesShown([...overwritten]) }));
    if (messages.length > 0) return { messages, ...(notes.length > 0 && { notes }) };
    return { messages, ignored: detail(this.#paths.frame ? "ignored.no_frame" : "ignored.empty") };
  }
}

export const generic: AdapterDefinition = {
  format: "generic",
  create: (settings) => new GenericAdapter(settings),
};
