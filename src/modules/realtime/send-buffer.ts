import type { DeviceId } from "../../lib/ids.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import type { RealtimeSocket, Subscription, TelemetryMessage } from "./realtime.types.ts";

/** Limit of unread data of a peer; beyond it nothing more is sent. */
export const BUFFERED_BYTES_MAX = 256 * 1024;
/** Messages of one device that wait as they came; beyond that only the newest value of each key does. */
const READINGS_PER_DEVICE_MAX = 64;
const ENTRY_BYTES = 96;
/** All that waits as it came, in weight: a reading of a few numbers weighs little more than 1. */
const WEIGHT_MAX = 4_096;
const EVENTS_MAX = 1_000;
/** Characters of events; a single longer one may wait alone. */
const EVENTS_LENGTH_MAX = 1024 * 1024;

interface Waiting {
  readonly subscription: Subscription;
  readonly deviceId: DeviceId;
  readings: Reading[];
  weight: number;
  /** Approximate bytes of `merged`. */
  bytes: number;
  /** Newest value and time stamp by key, once there were too many readings. */
  merged: Map<string, { value: TelemetryValue; ts: number }> | undefined;
}

/**
 * Messages that still have to be sent to one reader, bounded: a reader that keeps up gets every message, a slow one the newest value
 * of each key, and of events the newest (it is told when some were left out).
 */
export class SendBuffer {
  /** Keyed by subscription id and device id. */
  readonly #waiting = new Map<string, Waiting>();
  readonly #events: string[] = [];
  readonly #socket: Omit<RealtimeSocket, "peer">;
  #weight = 0;
  #mergedBytes = 0;
  #eventsLength = 0;
  #droppedEvents = 0;

  constructor(socket: Omit<RealtimeSocket, "peer">) {
    this.#socket = socket;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#events.length === 0;
  }

  /** Approximate bytes of merged values, which grow while a reader is slow. The unmerged messages are bounded per reader. */
  get bytes(): number {
    return this.#mergedBytes + this.#eventsLength;
  }

  addReading(subscription: Subscription, deviceId: DeviceId, reading: Reading): void {
    const id = `${subscription.id}\n${deviceId}`;
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      waiting = { subscription, deviceId, readings: [], weight: 0, bytes: 0, merged: undefined };
      this.#waiting.set(id, waiting);
    }
    if (
      waiting.merged === undefined &&
      (waiting.readings.length >= READINGS_PER_DEVICE_MAX || this.#weight >= WEIGHT_MAX)
    ) {
      waiting.merged = new Map();
      const keys = subscription.keysOf(deviceId);
      for (const earlier of waiting.readings) this.#merge(waiting, waiting.merged, earlier, keys);
      this.#weight -= waiting.weight;
      waiting.weight = 0;
      waiting.readings = [];
    }
    if (waiting.merged !== undefined)
      this.#merge(waiting, waiting.merged, reading, subscription.keysOf(deviceId));
    else {
      const weight = weightOf(reading);
      waiting.readings.push(reading);
      waiting.weight += weight;
      this.#weight += weight;
    }
  }

  /** Keeps the newest value of each key. */
  #merge(
    waiting: Waiting,
    into: NonNullable<Waiting["merged"]>,
    reading: Reading,
    keys: ReadonlySet<string> | undefined,
  ): void {
    for (const [key, value] of Object.entries(reading.values)) {
      if (keys !== undefined && !keys.has(key)) continue;
      const existing = into.get(key);
      if (existing !== undefined && existing.ts > reading.ts) continue;
      const added = bytesOf(value) - (existing === undefined ? 0 : bytesOf(existing.value));
      waiting.bytes += added;
      this.#mergedBytes += added;
      into.set(key, { value, ts: reading.ts });
    }
  }

  #forget(id: string, waiting: Waiting): void {
    this.#waiting.delete(id);
    this.#weight -= waiting.weight;
    this.#mergedBytes -= waiting.bytes;
  }

  addEvent(text: string): void {
    while (
      this.#events.length >= EVENTS_MAX ||
      (this.#events.length > 0 && this.#eventsLength + text.length > EVENTS_LENGTH_MAX)
    ) {
      this.#takeEvent();
      this.#droppedEvents++;
    }
    this.#events.push(text);
    this.#eventsLength += text.length;
  }

  #takeEvent(): string {
    const text = this.#events.shift() ?? "";
    this.#eventsLength -= text.length;
    return text;
  }

  /** Forgets what waits for a subscription that has ended. */
  drop(subscriptionId: string): void {
    for (const [id, waiting] of this.#waiting) {
      if (waiting.subscription.id === subscriptionId) this.#forget(id, waiting);
    }
  }

  #hasRoom(): boolean {
    return this.#socket.bufferedBytes() < BUFFERED_BYTES_MAX;
  }

  /** Sends the events that the peer has room for. */
  flushEvents(): void {
    if (this.#droppedEvents > 0 && this.#hasRoom()) {
      this.#socket.send(JSON.stringify({ type: "gap", dropped: this.#droppedEvents }));
      this.#droppedEvents = 0;
    }
    while (this.#events.length > 0 && this.#hasRoom()) this.#socket.send(this.#takeEvent());
  }

  /** Sends what the peer has room for; false when some still waits. */
  flush(isReady: (subscription: Subscription) => boolean): boolean {
    this.flushEvents();
    for (const [id, waiting] of this.#waiting) {
      if (!this.#hasRoom()) return false;
      if (!isReady(waiting.subscription)) continue;
      this.#forget(id, waiting);
      for (const message of messagesOf(waiting)) this.#socket.send(JSON.stringify(message));
    }
    return this.isEmpty;
  }
}

/** Returns the cost of keeping a reading: long strings and JSON count, as numbers hardly do. */
function weightOf({ values }: Reading): number {
  let weight = 1;
  for (const key in values) {
    const value = values[key];
    weight += typeof value === "string" ? 0.1 + value.length / 64 : typeof value === "object" ? 16 : 0.1;
  }
  return weight;
}

/** Approximate bytes of a value with its key and time. */
function bytesOf(value: TelemetryValue): number {
  if (typeof value === "string") return ENTRY_BYTES + value.length;
  return typeof value === "object" ? ENTRY_BYTES + JSON.stringify(value).length : ENTRY_BYTES;
}

function* messagesOf({ subscription, deviceId, readings, merged }: Waiting): Generator<TelemetryMessage> {
  const head = { type: "data", id: subscription.id, topic: "telemetry", deviceId } as const;
  const keys = subscription.keysOf(deviceId);
  for (const reading of readings) {
    const entries = Object.entries(reading.values).filter(([key]) => keys?.has(key) ?? true);
    if (entries.length === 0) continue;
    const timestamps = Object.fromEntries(entries.map(([key]) => [key, reading.ts]));
    yield { ...head, ts: reading.ts, values: Object.fromEntries(entries), timestamps };
  }
  if (merged === undefined || merged.size === 0) return;
  const entries = [...merged];
  yield {
    ...head,
    ts: Math.max(...entries.map(([, { ts }]) => ts)),
    values: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
    timestamps: Object.fromEntries(entries.map(([key, { ts }]) => [key, ts])),
    merged: true,
  };
}
