import type { DeviceId } from "../../lib/core/ids.ts";
import { ReadingTexts } from "./reading-texts.ts";
import type { RealtimeSocket, Subscription } from "./realtime.types.ts";
import { type DeviceData, WaitingReadings, WaitingTotal } from "./waiting-readings.ts";

/** Max. unread bytes of a peer, beyond which sending pauses. */
export const BUFFERED_BYTES_MAX = 256 * 1024;
/** Max. weight of waiting unmerged readings; a reading of a few numbers weighs slightly more than 1. */
const WEIGHT_MAX = 4_096;
/** Approximate bytes of a waiting reading per unit of weight. */
const WEIGHT_BYTES = 128;
/** Approximate bytes of a device's queue without its readings. */
const QUEUE_BYTES = 512;
/** Approximate bytes after which merged values continue in another message. */
const MERGED_BYTES_MAX = 64 * 1024;
const EVENTS_MAX = 1_000;
/** Max. characters of waiting events; a single longer event may wait alone. */
const EVENTS_LENGTH_MAX = 1024 * 1024;
/** Approximate bytes of a waiting event in addition to its characters. */
const EVENT_BYTES = 64;

/** Readings of a device waiting for an audience. */
interface Queue {
  readonly audience: Audience;
  readonly deviceId: DeviceId;
  readonly data: WaitingReadings;
}

/** Message that some subscriptions have not received yet. */
interface Outgoing {
  readonly queue: Queue;
  readonly recipients: readonly Subscription[];
  readonly text: string;
  sent: number;
}

/** Subscriptions that receive the same keys and share the queues of their devices. */
class Audience {
  readonly keys: Subscription["keys"];
  /** True once the snapshots of all subscriptions have been sent; until then, data waits. */
  isReady = false;
  /** Subscription → beginning of its messages, up to the device. */
  readonly heads = new Map<Subscription, string>();
  readonly queues = new Map<DeviceId, Queue>();
  /** Number of the last delivery that reached the audience. */
  delivery = 0;

  constructor(keys: Subscription["keys"]) {
    this.keys = keys;
  }

  add(subscription: Subscription): void {
    const head = JSON.stringify({ type: "data", id: subscription.id, topic: "telemetry" });
    this.heads.set(subscription, `${head.slice(0, -1)},"deviceId":`);
  }

  get coversAll(): boolean {
    return [...this.heads.keys()].some(({ deviceIds }) => deviceIds === undefined);
  }

  covers(deviceId: DeviceId): boolean {
    return this.recipientsOf(deviceId).length > 0;
  }

  recipientsOf(deviceId: DeviceId): Subscription[] {
    return [...this.heads.keys()].filter(({ deviceIds }) => deviceIds?.has(deviceId) ?? true);
  }
}

/**
 * Messages waiting for one reader, limited in size: a fast reader gets every message; a slow one the newest value of each key, and the newest events
 * with a note of omissions.
 */
export class SendBuffer {
  readonly #audienceOf = new Map<Subscription, Audience>();
  /** Audiences with a subscription to every device. */
  readonly #everywhere = new Set<Audience>();
  /** Audiences of up-to-date subscriptions, by name of their keys. */
  readonly #united = new Map<string, Audience>();
  /** Subscriptions that are behind others with the same keys; each is its own audience. */
  readonly #apart = new Set<Subscription>();
  /** Non-empty queues, longest-waiting first. */
  readonly #queues = new Set<Queue>();
  readonly #events: string[] = [];
  readonly #socket: Omit<RealtimeSocket, "peer">;
  readonly #total: WaitingTotal;
  #outgoing: Outgoing | undefined;
  #deliveries = 0;
  #isDelivering = false;
  #eventsLength = 0;
  #droppedEvents = 0;

  /** @param texts shared by all readers */
  constructor(socket: Omit<RealtimeSocket, "peer">, texts = new ReadingTexts()) {
    this.#socket = socket;
    this.#total = new WaitingTotal(texts, WEIGHT_MAX);
  }

  get isEmpty(): boolean {
    const hasEvents = this.#events.length > 0 || this.#droppedEvents > 0;
    return this.#queues.size === 0 && !hasEvents && this.#outgoing === undefined;
  }

  /** Approximate memory of all waiting messages, in bytes. */
  get bytes(): number {
    const { weight, mergedBytes } = this.#total;
    const events = this.#eventsLength + this.#events.length * EVENT_BYTES;
    const readings = this.#queues.size * QUEUE_BYTES + Math.ceil(weight * WEIGHT_BYTES) + mergedBytes;
    return readings + events + (this.#outgoing?.text.length ?? 0);
  }

  /** Starts collecting data for the subscription, to be sent after `setReady`. */
  add(subscription: Subscription): void {
    this.#apart.add(subscription);
    this.#join(subscription, new Audience(subscription.keys));
  }

  /** Records that the snapshot of the subscription has been sent, so that its data can follow. */
  setReady(subscription: Subscription): void {
    const audience = this.#audienceOf.get(subscription);
    if (audience !== undefined) audience.isReady = true;
    this.#unite();
  }

  /** Discards waiting messages of an ended subscription. */
  drop(subscription: Subscription): void {
    this.#apart.delete(subscription);
    const audience = this.#audienceOf.get(subscription);
    if (audience === undefined) return;
    this.#leave(subscription, audience);
    for (const queue of audience.queues.values()) if (!audience.covers(queue.deviceId)) this.#forget(queue);
  }

  #join(subscription: Subscription, audience: Audience): void {
    audience.add(subscription);
    this.#audienceOf.set(subscription, audience);
    if (subscription.deviceIds === undefined) this.#everywhere.add(audience);
  }

  #leave(subscription: Subscription, audience: Audience): void {
    audience.heads.delete(subscription);
    this.#audienceOf.delete(subscription);
    if (!audience.coversAll) this.#everywhere.delete(audience);
    const { name } = audience.keys;
    if (audience.heads.size === 0 && this.#united.get(name) === audience) this.#united.delete(name);
  }

  /**
   * Adds readings of a device. Yields after each audience, which is all subscriptions with the same keys.
   * @param named subscriptions that name the device
   */
  *addReadings(deviceId: DeviceId, data: DeviceData, named: readonly Subscription[]): Generator<void> {
    const delivery = ++this.#deliveries;
    this.#isDelivering = true;
    for (const audience of this.#everywhere) {
      audience.delivery = delivery;
      this.#queueOf(audience, deviceId).data.add(data);
      yield;
    }
    for (const subscription of named) {
      const audience = this.#audienceOf.get(subscription);
      if (audience === undefined || audience.delivery === delivery) continue; // it has ended, or has the data
      audience.delivery = delivery;
      this.#queueOf(audience, deviceId).data.add(data);
      yield;
    }
    this.#isDelivering = false;
  }

  #queueOf(audience: Audience, deviceId: DeviceId): Queue {
    const existing = audience.queues.get(deviceId);
    if (existing !== undefined) return existing;
    const data = new WaitingReadings(this.#total, audience.keys.of(deviceId));
    const queue = { audience, deviceId, data };
    audience.queues.set(deviceId, queue);
    this.#queues.add(queue);
    return queue;
  }

  #forget(queue: Queue): void {
    queue.data.clear();
    this.#queues.delete(queue);
    if (queue.audience.queues.get(queue.deviceId) === queue) queue.audience.queues.delete(queue.deviceId);
  }

  /** Joins ready subscriptions with the same keys if nothing is waiting for them, so that each gets every message once and in order. */
  #unite(): void {
    if (this.#isDelivering) return;
    const isBusy = (audience: Audience) =>
      audience.queues.size > 0 || this.#outgoing?.queue.audience === audience;
    for (const subscription of this.#apart) {
      const apart = this.#audienceOf.get(subscription);
      const united = this.#united.get(subscription.keys.name);
      if (!apart?.isReady || isBusy(apart) || (united !== undefined && isBusy(united))) continue;
      this.#apart.delete(subscription);
      if (united === undefined) {
        this.#united.set(subscription.keys.name, apart);
        continue;
      }
      this.#leave(subscription, apart);
      this.#join(subscription, united);
    }
  }

  addEvent(text: string): void {
    while (
      this.#events.length >= EVENTS_MAX ||
      (this.#events.length > 0 && this.#eventsLength + text.length > EVENTS_LENGTH_MAX)
    ) {
      this.#takeEvent();
      this.leaveOutEvents(1);
    }
    this.#events.push(text);
    this.#eventsLength += text.length;
  }

  /** Records that events were omitted, which the peer is notified of. */
  leaveOutEvents(count: number): void {
    this.#droppedEvents += count;
  }

  #takeEvent(): string {
    const text = this.#events.shift() ?? "";
    this.#eventsLength -= text.length;
    return text;
  }

  get hasRoom(): boolean {
    return this.#socket.bufferedBytes() < BUFFERED_BYTES_MAX;
  }

  /** Sends the events for which the peer has room. Yields after each message. */
  *flushEvents(): Generator<void> {
    if (this.#droppedEvents > 0 && this.hasRoom) {
      this.#socket.send(JSON.stringify({ type: "gap", dropped: this.#droppedEvents }));
      this.#droppedEvents = 0;
    }
    while (this.#events.length > 0 && this.hasRoom) {
      this.#socket.send(this.#takeEvent());
      yield;
    }
  }

  /** Sends the messages for which the peer has room. Yields after each message. */
  *flush(): Generator<void> {
    yield* this.flushEvents();
    yield* this.#sendOutgoing();
    let left = this.#queues.size; // those that are added meanwhile wait for the next flush
    for (const queue of this.#queues) {
      if (left-- === 0 || !this.hasRoom || this.#outgoing !== undefined) break;
      if (queue.audience.isReady) yield* this.#flushQueue(queue);
    }
    this.#unite();
  }

  /** Sends the waiting readings of a device; readings that arrive meanwhile wait for the next flush. */
  *#flushQueue(queue: Queue): Generator<void> {
    const { data, audience, deviceId } = queue;
    const recipients = audience.recipientsOf(deviceId);
    for (let left = data.readings.length; left > 0 && data.readings.length > 0; left--) {
      if (!this.hasRoom || this.#outgoing !== undefined) return;
      yield* this.#send(queue, recipients, this.#nextText(queue));
    }
    for (let left = data.merged?.size ?? 0; left > 0 && !data.isEmpty; ) {
      if (!this.hasRoom || this.#outgoing !== undefined) return;
      const merged = data.takeMerged(MERGED_BYTES_MAX);
      left -= merged.length;
      yield* this.#send(queue, recipients, mergedText(merged));
    }
    if (data.isEmpty) this.#forget(queue);
  }

  /** Returns the text of the oldest reading; empty if it has none of the keys. */
  #nextText({ data, audience, deviceId }: Queue): string {
    const reading = data.shift();
    return reading === undefined ? "" : this.#total.texts.textOf(reading, audience.keys.of(deviceId));
  }

  *#send(queue: Queue, recipients: readonly Subscription[], text: string): Generator<void> {
    if (text === "") return;
    this.#outgoing = { queue, recipients, text, sent: 0 };
    yield* this.#sendOutgoing();
  }

  *#sendOutgoing(): Generator<void> {
    const outgoing = this.#outgoing;
    if (outgoing === undefined) return;
    const { queue, recipients, text } = outgoing;
    const tail = `${JSON.stringify(queue.deviceId)},${text}`;
    for (; outgoing.sent < recipients.length; outgoing.sent++) {
      if (!this.hasRoom) return;
      const head = queue.audience.heads.get(recipients[outgoing.sent]!);
      if (head === undefined) continue; // the subscription has ended
      this.#socket.send(head + tail);
      if (outgoing.sent + 1 < recipients.length) yield;
    }
    this.#outgoing = undefined;
    yield;
  }
}

/** Returns the members of a message of merged values with the closing brace. */
function mergedText(entries: ReturnType<WaitingReadings["takeMerged"]>): string {
  const message = {
    ts: Math.max(...entries.map(([, { ts }]) => ts)),
    values: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
    timestamps: Object.fromEntries(entries.map(([key, { ts }]) => [key, ts])),
    merged: true,
  };
  return JSON.stringify(message).slice(1);
}
