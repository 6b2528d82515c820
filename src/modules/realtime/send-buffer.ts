import type { DeviceId } from "../../lib/ids.ts";
import type { Reading, TelemetryValue } from "../telemetry/telemetry.types.ts";
import { ReadingTexts } from "./reading-texts.ts";
import type { RealtimeSocket, Subscription } from "./realtime.types.ts";

/** Limit of unread data of a peer; beyond it nothing more is sent. */
export const BUFFERED_BYTES_MAX = 256 * 1024;
/** Messages of one device that wait as they came; beyond that only the newest value of each key does. */
const READINGS_PER_DEVICE_MAX = 64;
const ENTRY_BYTES = 96;
/** All that waits as it came, in weight: a reading of a few numbers weighs little more than 1. */
const WEIGHT_MAX = 4_096;
/** Approximate bytes after which merged values continue in another message. */
const MERGED_BYTES_MAX = 64 * 1024;
const EVENTS_MAX = 1_000;
/** Characters of events; a single longer one may wait alone. */
const EVENTS_LENGTH_MAX = 1024 * 1024;

interface Waiting {
  readonly subscription: Subscription;
  readonly deviceId: DeviceId;
  /** Beginning of each message, which the texts of the readings continue. */
  readonly head: string;
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
  readonly #texts: ReadingTexts;
  #weight = 0;
  #mergedBytes = 0;
  #eventsLength = 0;
  #droppedEvents = 0;

  /** @param texts shared by all readers */
  constructor(socket: Omit<RealtimeSocket, "peer">, texts = new ReadingTexts()) {
    this.#socket = socket;
    this.#texts = texts;
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#events.length === 0;
  }

  /** Approximate bytes of merged values, which grow while a reader is slow. The unmerged messages are bounded per reader. */
  get bytes(): number {
    return this.#mergedBytes + this.#eventsLength;
  }

  addReading(subscription: Subscription, deviceId: DeviceId, reading: Reading): void {
    const id = waitingId(subscription, deviceId);
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      const members = { type: "data", id: subscription.id, topic: "telemetry", deviceId };
      const head = `${JSON.stringify(members).slice(0, -1)},`;
      waiting = { subscription, deviceId, head, readings: [], weight: 0, bytes: 0, merged: undefined };
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
      const weight = this.#texts.weightOf(reading);
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
      const added = this.#bytesOf(value) - (existing === undefined ? 0 : this.#bytesOf(existing.value));
      waiting.bytes += added;
      this.#mergedBytes += added;
      into.set(key, { value, ts: reading.ts });
    }
  }

  /** Returns the approximate bytes of a value with its key and time. */
  #bytesOf(value: TelemetryValue): number {
    return ENTRY_BYTES + this.#texts.lengthOf(value);
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

  /** Sends the events that the peer has room for. Yields after each message. */
  *flushEvents(): Generator<void> {
    if (this.#droppedEvents > 0 && this.#hasRoom()) {
      this.#socket.send(JSON.stringify({ type: "gap", dropped: this.#droppedEvents }));
      this.#droppedEvents = 0;
    }
    while (this.#events.length > 0 && this.#hasRoom()) {
      this.#socket.send(this.#takeEvent());
      yield;
    }
  }

  /** Sends what the peer has room for. Yields after each message. */
  *flush(isReady: (subscription: Subscription) => boolean): Generator<void> {
    yield* this.flushEvents();
    for (const [id, waiting] of [...this.#waiting]) {
      if (!this.#hasRoom()) return;
      if (this.#waiting.get(id) === waiting && isReady(waiting.subscription))
        yield* this.#flushDevice(waiting);
    }
  }

  /** Sends the readings of a device that wait now; readings that arrive meanwhile wait for the next flush. */
  *#flushDevice(waiting: Waiting): Generator<void> {
    const id = waitingId(waiting.subscription, waiting.deviceId);
    const isWaiting = () => this.#waiting.get(id) === waiting && this.#hasRoom();
    for (let left = waiting.readings.length; left > 0 && waiting.readings.length > 0; left--) {
      if (!isWaiting()) return;
      this.#sendNext(waiting);
      yield;
    }
    const { merged } = waiting;
    for (let left = merged?.size ?? 0; merged !== undefined && left > 0; ) {
      if (!isWaiting()) return;
      left -= this.#sendMerged(waiting, merged);
      yield;
    }
    const isSent = waiting.readings.length === 0 && (waiting.merged?.size ?? 0) === 0;
    if (isSent && this.#waiting.get(id) === waiting) this.#forget(id, waiting);
  }

  #sendNext(waiting: Waiting): void {
    const reading = waiting.readings.shift();
    if (reading === undefined) return;
    const weight = waiting.readings.length === 0 ? waiting.weight : this.#texts.weightOf(reading);
    waiting.weight -= weight;
    this.#weight -= weight;
    const text = this.#texts.textOf(reading, waiting.subscription.keysOf(waiting.deviceId));
    if (text !== "") this.#socket.send(waiting.head + text);
  }

  /** Sends merged values up to the length of a message. Returns their number. */
  #sendMerged(waiting: Waiting, merged: NonNullable<Waiting["merged"]>): number {
    const entries: Array<[string, { value: TelemetryValue; ts: number }]> = [];
    let sent = 0;
    for (const entry of merged) {
      if (sent >= MERGED_BYTES_MAX) break;
      entries.push(entry);
      merged.delete(entry[0]);
      sent += this.#bytesOf(entry[1].value);
    }
    waiting.bytes -= sent;
    this.#mergedBytes -= sent;
    const message = {
      ts: Math.max(...entries.map(([, { ts }]) => ts)),
      values: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
      timestamps: Object.fromEntries(entries.map(([key, { ts }]) => [key, ts])),
      merged: true,
    };
    this.#socket.send(waiting.head + JSON.stringify(message).slice(1));
    return entries.length;
  }
}

function waitingId({ id }: Subscription, deviceId: DeviceId): string {
  return `${id}\n${deviceId}`;
}
