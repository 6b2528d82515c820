import type { DeviceId } from "../../lib/ids.ts";
import { ReadingTexts } from "./reading-texts.ts";
import type { RealtimeSocket, Subscription } from "./realtime.types.ts";
import { type DeviceData, WaitingReadings, WaitingTotal } from "./waiting-readings.ts";

/** Limit of unread data of a peer; beyond it nothing more is sent. */
export const BUFFERED_BYTES_MAX = 256 * 1024;
/** All that waits as it came, in weight: a reading of a few numbers weighs little more than 1. */
const WEIGHT_MAX = 4_096;
/** Approximate bytes after which merged values continue in another message. */
const MERGED_BYTES_MAX = 64 * 1024;
const EVENTS_MAX = 1_000;
/** Characters of events; a single longer one may wait alone. */
const EVENTS_LENGTH_MAX = 1024 * 1024;

interface Waiting {
  readonly subscription: Subscription;
  readonly keys: ReadonlySet<string> | undefined;
  /** Beginning of each message, which the texts of the readings continue. */
  readonly head: string;
  readonly data: WaitingReadings;
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
  readonly #total: WaitingTotal;
  #eventsLength = 0;
  #droppedEvents = 0;

  /** @param texts shared by all readers */
  constructor(socket: Omit<RealtimeSocket, "peer">, texts = new ReadingTexts()) {
    this.#socket = socket;
    this.#total = new WaitingTotal(texts, WEIGHT_MAX);
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0 && this.#events.length === 0;
  }

  /** Approximate bytes of merged values, which grow while a reader is slow. The unmerged messages are bounded per reader. */
  get bytes(): number {
    return this.#total.mergedBytes + this.#eventsLength;
  }

  addReadings(subscription: Subscription, deviceId: DeviceId, data: DeviceData): void {
    const id = `${subscription.id}\n${deviceId}`;
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      const members = { type: "data", id: subscription.id, topic: "telemetry", deviceId };
      const head = `${JSON.stringify(members).slice(0, -1)},`;
      const keys = subscription.keysOf(deviceId);
      waiting = { subscription, keys, head, data: new WaitingReadings(this.#total, keys) };
      this.#waiting.set(id, waiting);
    }
    waiting.data.add(data);
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
    for (const [id, { subscription, data }] of this.#waiting) {
      if (subscription.id !== subscriptionId) continue;
      this.#waiting.delete(id);
      data.clear();
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
      if (isReady(waiting.subscription)) yield* this.#flushDevice(id, waiting);
    }
  }

  /** Sends the readings of a device that wait now; readings that arrive meanwhile wait for the next flush. */
  *#flushDevice(id: string, waiting: Waiting): Generator<void> {
    const { data } = waiting;
    for (let left = data.readings.length; left > 0 && data.readings.length > 0; left--) {
      if (!this.#hasRoom()) return;
      this.#sendNext(waiting);
      yield;
    }
    for (let left = data.merged?.size ?? 0; left > 0 && !data.isEmpty; ) {
      if (!this.#hasRoom()) return;
      left -= this.#sendMerged(waiting);
      yield;
    }
    if (data.isEmpty && this.#waiting.get(id) === waiting) this.#waiting.delete(id);
  }

  #sendNext({ data, head, keys }: Waiting): void {
    const reading = data.shift();
    const text = reading === undefined ? "" : this.#total.texts.textOf(reading, keys);
    if (text !== "") this.#socket.send(head + text);
  }

  /** Sends merged values up to the length of a message. Returns their number. */
  #sendMerged({ data, head }: Waiting): number {
    const entries = data.takeMerged(MERGED_BYTES_MAX);
    const message = {
      ts: Math.max(...entries.map(([, { ts }]) => ts)),
      values: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
      timestamps: Object.fromEntries(entries.map(([key, { ts }]) => [key, ts])),
      merged: true,
    };
    this.#socket.send(head + JSON.stringify(message).slice(1));
    return entries.length;
  }
}
