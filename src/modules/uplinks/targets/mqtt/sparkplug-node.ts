import { ByteWriter } from "../../../../lib/data/byte-writer.ts";
import {
  TAG_ABSENT,
  TAG_FALSE,
  TAG_JSON,
  TAG_NUMBER,
  TAG_STRING,
  TAG_TRUE,
} from "../../../../lib/data/value-kind.ts";
import type { JsonValue } from "../../../../lib/json/json.ts";
import { readPayload } from "../../../../lib/sparkplug/sparkplug-payload.ts";
import {
  DataType,
  type DataTypeCode,
  type Metric,
  writeMetric,
  writeSequence,
  writeTimestamp,
} from "../../../../lib/sparkplug/sparkplug-writer.ts";
import type { BrokerMessage } from "../../../../platform/broker/broker.types.ts";
import type {
  AlarmRecord,
  AttributesRecord,
  RowsRecord,
  UplinkColumn,
  UplinkDevice,
} from "../../target.types.ts";
import { toMqttLevel } from "../topic-template.ts";

const SEQUENCE = 256;
/** Bytes of the sequence number with its field. */
const SEQUENCE_BYTES = 3;
/** Age in ms from which values are marked as historical, so that they do not change the current value shown to operators. */
const HISTORICAL_AFTER_MS = 60_000;
/** Max. characters of last values kept for births; longer strings are null there. */
const KEPT_CHARACTERS_MAX = 256;
const ID_DIGITS = 6;
const REBIRTH = "Node Control/Rebirth";

const utf8 = new TextEncoder();

interface KnownMetric {
  readonly name: Uint8Array;
  /** Type in the birth. A value of another type states its own. */
  readonly dataType: DataTypeCode;
  value: Metric["value"];
  ts: number;
}

interface KnownDevice {
  /** Id in topics. */
  readonly id: string;
  /** Metrics by name. */
  readonly metrics: Map<string, KnownMetric>;
  isBorn: boolean;
}

const typeOfTag: readonly DataTypeCode[] = [
  DataType.string,
  DataType.double,
  DataType.boolean,
  DataType.boolean,
  DataType.string,
  DataType.string,
];

function valueAt({ tags, numbers, texts }: UplinkColumn, row: number): Metric["value"] {
  const tag = tags[row];
  if (tag === TAG_NUMBER) return numbers[row] ?? 0;
  if (tag === TAG_TRUE || tag === TAG_FALSE) return tag === TAG_TRUE;
  return texts?.[row] ?? "";
}

const keptOf = (value: Metric["value"]): Metric["value"] =>
  typeof value === "string" && value.length > KEPT_CHARACTERS_MAX ? null : value;

/**
 * Edge node for a site in Sparkplug B 3.0, and its devices. Births define the metrics, data messages contain names, and a new metric causes another
 * birth of its device. JSON values are strings. Attributes are metrics `Properties/<key>` and alarms `Alarms/<type>`, with the severity or
 * `CLEARED`. Sparkplug requires QoS 0; data is sent with QoS 1 here, because unacknowledged values may be lost.
 */
export class SparkplugNode {
  readonly #group: string;
  readonly #node: string;
  readonly #now: () => number;
  readonly #writer = new ByteWriter(64 * 1024);
  /** Devices by id. */
  readonly #devices = new Map<string, KnownDevice>();
  /** Ids of devices in topics. */
  readonly #ids = new Set<string>();
  /** Number of the connection, which distinguishes old death certificates from the current one. */
  #birthSequence: number;
  #sequence = 0;
  #isRebirthWanted = false;

  constructor(options: { readonly group: string; readonly node: string; readonly now: () => number }) {
    this.#group = toMqttLevel(options.group);
    this.#node = toMqttLevel(options.node);
    this.#now = options.now;
    this.#birthSequence = Math.floor(options.now() / 1000) % SEQUENCE;
  }

  /** Topic of commands for the node. */
  get commandTopic(): string {
    return this.#topicOf("NCMD");
  }

  /** True if a command has requested births that have not begun. Any number of such commands is served by the same births. */
  get isRebirthWanted(): boolean {
    return this.#isRebirthWanted;
  }

  /** Returns the death certificate of the next connection. */
  will(): BrokerMessage {
    this.#birthSequence = (this.#birthSequence + 1) % SEQUENCE;
    this.#writer.truncate();
    writeTimestamp(this.#writer, this.#now());
    this.#metric("bdSeq", DataType.int64, BigInt(this.#birthSequence));
    return { topic: this.#topicOf("NDEATH"), payload: this.#writer.bytes().slice(), qos: 1 };
  }

  /** Yields the births of the node and of all known devices. */
  *births(): Generator<BrokerMessage> {
    this.#isRebirthWanted = false;
    this.#sequence = 0;
    for (const device of this.#devices.values()) device.isBorn = false;
    this.#begin();
    this.#metric("bdSeq", DataType.int64, BigInt(this.#birthSequence));
    this.#metric(REBIRTH, DataType.boolean, false);
    yield this.#finish("NBIRTH");
    // A batch that is sent meanwhile may have told of some.
    for (const device of this.#devices.values()) if (!device.isBorn) yield this.#birthOf(device);
  }

  /** Records whether a command requests births. They precede the next data unless the caller sends them earlier. */
  command(payload: Uint8Array): void {
    try {
      const { metrics } = readPayload(payload);
      this.#isRebirthWanted ||= metrics.some(({ name, value }) => name === REBIRTH && value === true);
    } catch {
      // An unreadable command is ignored.
    }
  }

  *rows(record: RowsRecord, bytesMax: number): Generator<BrokerMessage> {
    if (this.#isRebirthWanted) yield* this.births();
    const device = this.#deviceOf(record.device);
    if (this.#learn(device, record.columns) || !device.isBorn) yield this.#birthOf(device);
    const metrics = record.columns.map(({ key }) => device.metrics.get(key));
    const historicalBefore = this.#now() - HISTORICAL_AFTER_MS;
    const writer = this.#writer;
    this.#begin();
    let begun = writer.length;
    for (const [row, time] of record.ts.entries()) {
      for (const [position, column] of record.columns.entries()) {
        const metric = metrics[position];
        if (metric === undefined || column.tags[row] === TAG_ABSENT) continue;
        const before = writer.length;
        this.#value(metric, column, { row, time, isHistorical: time < historicalBefore });
        if (before === begun || writer.length + SEQUENCE_BYTES <= bytesMax) continue;
        const carried = writer.bytes().slice(before);
        writer.truncate(before);
        yield this.#finish("DDATA", device);
        this.#begin();
        begun = writer.length;
        writer.raw(carried);
      }
    }
    if (writer.length > begun) yield this.#finish("DDATA", device);
  }

  attributes({ device, ts, values }: AttributesRecord, bytesMax: number): Generator<BrokerMessage> {
    const named = Object.entries(values).map(([key, value]): [string, JsonValue] => [
      `Properties/${key}`,
      value,
    ]);
    return this.rows(rowOf(device, ts, named), bytesMax);
  }

  alarm({ device, ts, type, status, severity }: AlarmRecord, bytesMax: number): Generator<BrokerMessage> {
    const value = status.startsWith("CLEARED") ? "CLEARED" : severity;
    return this.rows(rowOf(device, ts, [[`Alarms/${type}`, value]]), bytesMax);
  }

  *death({ deviceId }: UplinkDevice): Generator<BrokerMessage> {
    const device = this.#devices.get(deviceId);
    if (device === undefined) return;
    this.#devices.delete(deviceId);
    this.#ids.delete(device.id);
    this.#begin();
    yield this.#finish("DDEATH", device);
  }

  #deviceOf({ deviceId, name }: UplinkDevice): KnownDevice {
    const existing = this.#devices.get(deviceId);
    if (existing !== undefined) return existing;
    const plain = toMqttLevel(name);
    const id = this.#ids.has(plain) ? `${plain} (${deviceId.slice(-ID_DIGITS)})` : plain;
    const device: KnownDevice = { id, metrics: new Map(), isBorn: false };
    this.#devices.set(deviceId, device);
    this.#ids.add(id);
    return device;
  }

  /** Returns whether there are metrics without a birth. */
  #learn({ metrics }: KnownDevice, columns: readonly UplinkColumn[]): boolean {
    let isNew = false;
    for (const { key, tags } of columns) {
      if (metrics.has(key)) continue;
      const first = tags.find((tag) => tag !== TAG_ABSENT);
      if (first === undefined) continue;
      const dataType = typeOfTag[first] ?? DataType.string;
      metrics.set(key, { name: utf8.encode(key), dataType, value: null, ts: 0 });
      isNew = true;
    }
    return isNew;
  }

  #birthOf(device: KnownDevice): BrokerMessage {
    device.isBorn = true;
    this.#begin();
    const now = this.#now();
    for (const { name, dataType, value, ts } of device.metrics.values())
      writeMetric(this.#writer, {
        name,
        dataType,
        value,
        ts: value === null ? now : ts,
        isHistorical: false,
      });
    return this.#finish("DBIRTH", device);
  }

  #value(
    metric: KnownMetric,
    column: UplinkColumn,
    { row, time, isHistorical }: { row: number; time: number; isHistorical: boolean },
  ): void {
    const type = typeOfTag[column.tags[row] ?? TAG_ABSENT] ?? DataType.string;
    const hasNewType = type !== metric.dataType;
    const value = valueAt(column, row);
    writeMetric(this.#writer, {
      name: metric.name,
      ts: time,
      dataType: hasNewType ? type : 0,
      isHistorical,
      value,
    });
    if (time < metric.ts || hasNewType) return;
    metric.ts = time;
    metric.value = keptOf(value);
  }

  #metric(name: string, dataType: DataTypeCode, value: Metric["value"]): void {
    const ts = this.#now();
    writeMetric(this.#writer, { name: utf8.encode(name), ts, dataType, isHistorical: false, value });
  }

  #begin(): void {
    this.#writer.truncate();
    writeTimestamp(this.#writer, this.#now());
  }

  #finish(type: "NBIRTH" | "DBIRTH" | "DDATA" | "DDEATH", device?: KnownDevice): BrokerMessage {
    writeSequence(this.#writer, this.#sequence);
    this.#sequence = (this.#sequence + 1) % SEQUENCE;
    return { topic: this.#topicOf(type, device?.id), payload: this.#writer.bytes().slice(), qos: 1 };
  }

  #topicOf(type: string, device?: string): string {
    const node = `spBv1.0/${this.#group}/${type}/${this.#node}`;
    return device === undefined ? node : `${node}/${device}`;
  }
}

function tagOf(value: JsonValue): number {
  if (value === null) return TAG_ABSENT;
  if (typeof value === "number") return TAG_NUMBER;
  if (typeof value === "boolean") return value ? TAG_TRUE : TAG_FALSE;
  return typeof value === "string" ? TAG_STRING : TAG_JSON;
}

/** Returns a row of values other than telemetry. */
function rowOf(
  device: UplinkDevice,
  ts: number,
  values: readonly (readonly [string, JsonValue])[],
): RowsRecord {
  const columns = values.map(([key, value]): UplinkColumn => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return {
      key,
      tags: Uint8Array.of(tagOf(value)),
      numbers: Float64Array.of(typeof value === "number" ? value : 0),
      texts: [text],
    };
  });
  return { kind: "rows", device, ts: Float64Array.of(ts), columns };
}
