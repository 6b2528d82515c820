/**
 * Sparkplug B: `spBv1.0/<group>/<type>/<edge node>[/<device>]`. Births name the metrics and give them aliases; later messages only have the aliases.
 * After a loss (sequence gap, unknown alias, restart of this program) the edge node is asked for a rebirth. Fields omitted by protobuf have their
 * default: some libraries write neither sequence number 0 nor alias 0.
 */
import { DomainError, detail, invalid } from "../../../../lib/core/domain-error.ts";
import type { JsonObject, JsonValue } from "../../../../lib/json/json.ts";
import { namesShown } from "../../../../lib/json/sent-json.ts";
import { rebirthRequest } from "../../../../lib/sparkplug/sparkplug-command.ts";
import { type RawMetric, type RawPayload, readPayload } from "../../../../lib/sparkplug/sparkplug-payload.ts";
import type { Text } from "../../../../lib/texts/text.ts";
import { CLOCK_SET_FROM_MS } from "../../../../lib/time/timestamp.ts";
import type {
  Adapter,
  AdapterDefinition,
  DeviceReference,
  InboundMessage,
  Normalized,
  NormalizedMessage,
} from "../../integrations.types.ts";
import { ensureTopic, ignored, NOT_MEASURED } from "../topic-devices.ts";
import { jsonOf } from "./sparkplug-values.ts";

const NODES_MAX = 10_000;
const METRICS_MAX = 50_000;
const ASK_AGAIN_AFTER_MS = 60_000;
const SEQUENCE = 256;
const FUTURE_MS_MAX = 3_600_000;
/** Max. keys stored per message; a controller has thousands of tags. */
const KEYS_MAX = 500;
const KEY_BYTES_MAX = 256;

interface Named {
  readonly name: string;
  readonly dataType: number | undefined;
}

/** Metrics of one edge node or device, by alias (`#1`) and by name (`=temperature`). */
type Table = Map<string, Named>;

interface EdgeNode {
  /** Last sequence number; undefined if unknown. */
  seq: number | undefined;
  /** Number of the birth. A death with a different number belongs to an earlier connection. */
  bdSeq: string | undefined;
  isBorn: boolean;
  /** Time of the last rebirth request. Neither a birth nor a death shortens the wait for the next request. */
  askedAt: number | undefined;
  /** True if a rebirth is needed but was too early to request. */
  isOwed: boolean;
  /** Tables by device; `""` is the edge node itself. */
  readonly tables: Map<string, Table>;
}

interface TopicParts {
  readonly group: string;
  readonly type: string;
  readonly node: string;
  /** `""` for the edge node itself. */
  readonly device: string;
}

const TYPES = new Set(["NBIRTH", "NDATA", "NDEATH", "DBIRTH", "DDATA", "DDEATH"]);

const NO_SPARKPLUG = detail("ignored.topic_of_others", { system: "Sparkplug B" });

/** Returns the place, or the reason for ignoring the message. */
function placeOf(topic: string): TopicParts | Text {
  const [namespace, group, type, node, device = "", ...rest] = topic.split("/");
  if (namespace === "STATE" || group === "STATE") return detail("ignored.host_state");
  const isNamed = group?.trim() && node?.trim();
  const isWhole = group && node && isNamed && type !== undefined && rest.length === 0;
  if (namespace !== "spBv1.0" || !isWhole) return NO_SPARKPLUG;
  if (!TYPES.has(type)) return detail("ignored.command_to_edge_node");
  return (device === "") === type.startsWith("N") ? { group, type, node, device } : NO_SPARKPLUG;
}

function payloadOf(bytes: Uint8Array): RawPayload {
  try {
    const payload = readPayload(bytes);
    if (payload.uuid !== "SPBV1.0_COMPRESSED") return payload;
  } catch (error) {
    throw error instanceof DomainError ? error : invalid("integration.body_not_sparkplug");
  }
  throw invalid("integration.body_compressed");
}

const referenceOf = ({ group, node }: TopicParts, device: string): DeviceReference => {
  const name = device === "" ? node : `${node}/${device}`;
  return { externalId: `${group}/${name}`, name };
};

/** Returns whether a metric controls the edge node instead of measuring something. */
const isControl = (name: string) => name === "bdSeq" || /^(Node|Device) (Control|Info)\//.test(name);
const PROPERTIES = "Properties/";

const bdSeqOf = ({ metrics }: RawPayload): string | undefined => {
  const value = metrics.find(({ name }) => name === "bdSeq")?.value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
};

/** Returns the first time from a set clock; `undefined` for the time of receipt. */
function timeOf(candidates: readonly (number | undefined)[], receivedAt: number): number | undefined {
  const isRight = (timeMs: number) => timeMs >= CLOCK_SET_FROM_MS && timeMs <= receivedAt + FUTURE_MS_MAX;
  return candidates.find((candidate) => candidate !== undefined && isRight(candidate));
}

function tableOf(metrics: readonly RawMetric[]): Table {
  const table: Table = new Map();
  for (const { name, alias, dataType } of metrics.slice(0, METRICS_MAX)) {
    if (name === undefined || name === "") continue;
    table.set(`=${name}`, { name, dataType });
    if (alias !== undefined) table.set(`#${alias}`, { name, dataType });
  }
  // If only one metric has no alias, its alias is 0.
  const first = metrics.find(({ name, alias }) => alias === undefined && name && !isControl(name));
  if (first?.name && table.size > metrics.length && !table.has("#0"))
    table.set("#0", { name: first.name, dataType: first.dataType });
  return table;
}

function namedIn(table: Table | undefined, { name, alias, dataType }: RawMetric): Named | undefined {
  const named = table?.get(name ? `=${name}` : `#${alias ?? "0"}`);
  if (named) return dataType ? { ...named, dataType } : named;
  return name ? { name, dataType } : undefined;
}

interface Part {
  readonly values: Record<string, unknown>;
  keys: number;
}

interface Collected {
  /** Parts by time (undefined for the time of receipt), each with at most the keys of one message. */
  readonly byTime: Map<number | undefined, Part[]>;
  readonly attributes: JsonObject;
  unknown: number;
  /** Metrics with an overlong name or an unsupported type. */
  readonly leftOut: Set<string>;
  /** Keys with several values for the same time. */
  readonly overwritten: Set<string>;
}

/** Adds a value to the messages of its time. */
function put(
  { byTime, overwritten }: Collected,
  ts: number | undefined,
  [name, value]: [string, JsonValue],
): void {
  const parts = byTime.get(ts) ?? [];
  byTime.set(ts, parts);
  let part = parts.at(-1);
  if (part === undefined || part.keys >= KEYS_MAX) {
    part = { values: Object.create(null), keys: 0 };
    parts.push(part);
  }
  if (Object.hasOwn(part.values, name) && !Bun.deepEquals(part.values[name], value)) overwritten.add(name);
  part.values[name] = value;
  part.keys++;
}

/** Returns the value of a metric; undefined if it has none, or if it cannot be stored, which is noted. */
function readValue(
  metric: RawMetric,
  { name, dataType }: Named,
  leftOut: Set<string>,
): JsonValue | undefined {
  if (metric.isNull || metric.isTransient || metric.value === undefined || isControl(name)) return undefined;
  const isTooLong = Buffer.byteLength(name) > KEY_BYTES_MAX;
  const value = isTooLong ? undefined : jsonOf(metric.value, dataType);
  if (isTooLong || (value === undefined && metric.value instanceof Uint8Array)) leftOut.add(name);
  return value;
}

function collect(payload: RawPayload, table: Table | undefined, receivedAt: number): Collected {
  // No prototype, so that any name is a plain key.
  const collected: Collected = {
    byTime: new Map(),
    attributes: Object.create(null),
    unknown: 0,
    leftOut: new Set(),
    overwritten: new Set(),
  };
  for (const metric of payload.metrics) {
    const named = namedIn(table, metric);
    if (named === undefined) collected.unknown++;
    const value = named && readValue(metric, named, collected.leftOut);
    if (named === undefined || value === undefined) continue;
    if (named.name.startsWith(PROPERTIES)) collected.attributes[named.name.slice(PROPERTIES.length)] = value;
    else put(collected, timeOf([metric.timestamp, payload.timestamp], receivedAt), [named.name, value]);
  }
  return collected;
}

/** Returns notes on the parts of a message that are not stored. */
function notesOf({ unknown, leftOut, overwritten }: Collected): Text[] {
  return [
    ...(unknown > 0 ? [detail("integration_note.unknown_aliases", { count: unknown })] : []),
    ...(leftOut.size > 0 ? [detail("integration_note.left_out", { keys: namesShown([...leftOut]) })] : []),
    ...(overwritten.size > 0
      ? [detail("telemetry.overwritten", { keys: namesShown([...overwritten]) })]
      : []),
  ];
}

function messagesOf(collected: Collected, device: DeviceReference): NormalizedMessage[] {
  const messages: NormalizedMessage[] = [...collected.byTime].flatMap(([ts, parts]) =>
    parts.map(({ values }) => ({
      kind: "uplink" as const,
      device,
      ...(ts !== undefined && { ts }),
      telemetry: values,
    })),
  );
  if (Object.keys(collected.attributes).length > 0)
    messages.push({ kind: "attributes", device, telemetry: {}, attributes: collected.attributes });
  return messages;
}

const newNode = (askedAt?: number): EdgeNode => ({
  seq: undefined,
  bdSeq: undefined,
  isBorn: false,
  askedAt,
  isOwed: false,
  tables: new Map(),
});

class SparkplugAdapter implements Adapter {
  /** Edge nodes by `group/node`. */
  readonly #nodes = new Map<string, EdgeNode>();

  normalize(message: InboundMessage): Normalized {
    const place = placeOf(ensureTopic(message));
    if ("code" in place) return ignored(place);
    const payload = payloadOf(message.bytes);
    if (place.type === "NDEATH") return this.#nodeDeath(place, payload, message.receivedAt);
    const node = this.#nodeOf(place);
    const isGap = this.#follow(node, place, payload);
    if (place.type === "DDEATH") {
      node.tables.delete(place.device);
      const died = this.#presence(place, [place.device], {
        isOnline: false,
        payload,
        receivedAt: message.receivedAt,
      });
      return { messages: died, ...this.#replies(node, place, { isNeeded: isGap, now: message.receivedAt }) };
    }
    return this.#metrics(node, place, { payload, isGap, now: message.receivedAt });
  }

  metricType(externalId: string, name: string): number | undefined {
    const [group = "", node = "", device = ""] = externalId.split("/");
    return this.#nodes.get(`${group}/${node}`)?.tables.get(device)?.get(`=${name}`)?.dataType;
  }

  #metrics(
    node: EdgeNode,
    place: TopicParts,
    input: { payload: RawPayload; isGap: boolean; now: number },
  ): Normalized {
    const { payload, isGap, now } = input;
    const isBirth = place.type.endsWith("BIRTH");
    if (isBirth) node.tables.set(place.device, tableOf(payload.metrics));
    const table = node.tables.get(place.device);
    const collected = collect(payload, table, now);
    const online = isBirth
      ? this.#presence(place, [place.device], { isOnline: true, payload, receivedAt: now })
      : [];
    const messages = [...online, ...messagesOf(collected, referenceOf(place, place.device))];
    const isNeeded = isGap || collected.unknown > 0 || table === undefined;
    const asked = this.#replies(node, place, { isNeeded: isNeeded && place.type !== "NBIRTH", now });
    const notes = notesOf(collected);
    if (messages.length > 0) return { messages, ...(notes.length > 0 && { notes }), ...asked };
    const reason = collected.unknown > 0 ? detail("ignored.unknown_aliases") : NOT_MEASURED;
    return { ...ignored(reason), ...asked };
  }

  #nodeOf({ group, node }: TopicParts): EdgeNode {
    const key = `${group}/${node}`;
    let edgeNode = this.#nodes.get(key);
    if (!edgeNode) {
      edgeNode = newNode();
      const [oldest] = this.#nodes.keys();
      if (this.#nodes.size >= NODES_MAX && oldest !== undefined) this.#nodes.delete(oldest);
      this.#nodes.set(key, edgeNode);
    }
    return edgeNode;
  }

  /** Returns whether messages are missing before this one. */
  #follow(node: EdgeNode, place: TopicParts, payload: RawPayload): boolean {
    const { seq = 0 } = payload;
    if (place.type === "NBIRTH") {
      node.tables.clear();
      node.isBorn = true;
      node.bdSeq = bdSeqOf(payload);
      node.seq = seq;
      node.isOwed = false;
      return false;
    }
    const isNext = node.seq !== undefined && seq === (node.seq + 1) % SEQUENCE;
    node.seq = seq;
    return !node.isBorn || !isNext;
  }

  #replies(
    node: EdgeNode,
    { group, node: name }: TopicParts,
    { isNeeded, now }: { isNeeded: boolean; now: number },
  ) {
    const isAsked = node.askedAt !== undefined && Math.abs(now - node.askedAt) < ASK_AGAIN_AFTER_MS;
    if (!isNeeded && !node.isOwed) return {};
    node.isOwed = isAsked;
    if (isAsked) return {};
    node.askedAt = now;
    return {
      replies: [{ topic: `spBv1.0/${group}/NCMD/${name}`, payload: rebirthRequest(now), qos: 0 as const }],
    };
  }

  #presence(
    place: TopicParts,
    devices: readonly string[],
    { isOnline, payload, receivedAt }: { isOnline: boolean; payload: RawPayload; receivedAt: number },
  ): NormalizedMessage[] {
    // The will was written when the edge node connected, so the time of receipt applies.
    const ts = isOnline ? timeOf([payload.timestamp], receivedAt) : undefined;
    return devices.map((device) => ({
      kind: "uplink",
      device: referenceOf(place, device),
      ...(ts !== undefined && { ts }),
      telemetry: { online: isOnline },
    }));
  }

  /** Marks an edge node and all of its devices as offline. */
  #nodeDeath(place: TopicParts, payload: RawPayload, receivedAt: number): Normalized {
    const key = `${place.group}/${place.node}`;
    const node = this.#nodes.get(key);
    const bdSeq = bdSeqOf(payload);
    if (node?.bdSeq !== undefined && bdSeq !== undefined && bdSeq !== node.bdSeq)
      return ignored(detail("ignored.earlier_will"));
    if (node !== undefined) this.#nodes.set(key, newNode(node.askedAt));
    const devices = new Set(["", ...(node?.tables.keys() ?? [])]);
    return { messages: this.#presence(place, [...devices], { isOnline: false, payload, receivedAt }) };
  }
}

export const sparkplug: AdapterDefinition = { format: "sparkplug", create: () => new SparkplugAdapter() };
