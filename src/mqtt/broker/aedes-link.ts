import { Duplex } from "node:stream";
import type { Client as BrokerClient } from "aedes";
import { generate } from "mqtt-packet";
import { FrameReader, fromBroker } from "../../lib/mqtt/frame-reader.ts";
import { PacketCursor } from "../../lib/mqtt/packet-cursor.ts";
import { acknowledgement, PUBREL } from "../../lib/mqtt/packet-writer.ts";
import { readAcknowledgement, readPublish, type Subscription } from "../../lib/mqtt/packets.ts";
import type { QueuedMessage, Session } from "../session/session.ts";
import { fromBrokerTopic, toBroker } from "../topics/topics.ts";
import { ClientFilters } from "./client-filters.ts";
import type { BrokerMessage, BrokerSink, ClientLink, Done, LinkOptions } from "./client-link.types.ts";

export interface BrokerLinkOptions extends LinkOptions {
  readonly durable: boolean;
}

/** Number of a message in the broker. */
type Numbered = Pick<QueuedMessage, "brokerId" | "brokerCounter">;

const nameOf = ({ brokerId, brokerCounter }: Numbered): string => `${brokerId} ${brokerCounter}`;

const LARGEST_BODY = 268_435_455;
const goodbye = new Uint8Array([0xe0, 0]);

/**
 * Link of one client to the broker: a 3.1.1 connection for Aedes, a few calls for the front. It never blocks writes of the broker (the front bounds
 * and drops instead), so that a slow client cannot delay others.
 */
export class AedesLink extends Duplex implements ClientLink {
  readonly brokerClientId: string;
  readonly space: string;
  readonly #durable: boolean;
  readonly #sink: BrokerSink;
  readonly #reader = new FrameReader(fromBroker, LARGEST_BODY);
  readonly filters = new ClientFilters();
  /** Subscriptions of a resumed session, until the broker has them again. */
  readonly #restored: string[] = [];
  /** Calls that wait until the broker has sent the queue of the session. */
  #afterQueue: (() => void)[] | undefined = [];
  #client: BrokerClient | undefined;
  /** Calls that wait for the CONNACK of the broker. */
  #waiting: (() => void)[] | undefined = [];
  #closing = false;
  #isQueueRead = false;
  /** Number of the last message that was in the queue of the session before the client returned. */
  #lastQueued = 0;
  /** Later messages that the broker has sent itself, until the queue is read. */
  readonly #sentLive = new Set<string>();
  /** Later messages that are sent from the queue. */
  readonly #sentFromQueue = new Set<string>();

  constructor(options: BrokerLinkOptions) {
    super({ writableHighWaterMark: LARGEST_BODY });
    this.brokerClientId = options.brokerClientId;
    this.space = options.space;
    this.#durable = options.durable;
    this.#sink = options.sink;
  }

  /** Signs the client in; `client` is the object of the broker for this stream. */
  open(client: BrokerClient, { subscriptions, queue }: Pick<Session, "subscriptions" | "queue">): void {
    this.#client = client;
    this.#lastQueued = queue.at(-1)?.no ?? 0;
    // The broker begins anywhere, so that it rarely meets an identifier of the queue; a new session begins with 1.
    if (queue.length === 0) Object.assign(client, { _nextId: 1 });
    for (const [filter, { qos, identifier }] of subscriptions) {
      this.filters.add(fromBrokerTopic(filter), { qos, identifier });
      this.#restored.push(fromBrokerTopic(filter));
    }
    client.once("connected", () => this.#queueSent());
    this.push(
      generate({
        cmd: "connect",
        protocolId: "MQTT",
        protocolVersion: 4,
        clientId: this.brokerClientId,
        clean: !this.#durable,
        keepalive: 0,
      }),
    );
  }

  subscribe(subscriptions: readonly Subscription[], done: Done): void {
    for (const subscription of subscriptions) this.filters.add(subscription.topic, subscription);
    this.whenReady(() =>
      this.#client?.subscribe(
        subscriptions.map(({ topic, qos, noLocal, retainAsPublished, retainHandling, identifier }) => ({
          topic: toBroker(this.space, topic),
          qos,
          nl: noLocal,
          rap: retainAsPublished,
          rh: retainHandling,
          identifier,
        })),
        (error) => {
          if (!error) for (const { topic } of subscriptions) this.filters.activate(topic);
          done(error);
        },
      ),
    );
  }

  unsubscribe(filters: readonly string[], done: Done): void {
    for (const filter of filters) this.filters.delete(filter);
    const unsubscriptions = filters.map((filter) => toBroker(this.space, filter));
    this.whenReady(() =>
      this.#client?.unsubscribe({ cmd: "unsubscribe", messageId: 1, unsubscriptions }, done),
    );
  }

  sendRetained({ topic, payload, qos }: BrokerMessage): void {
    this.whenReady(() =>
      // The broker calls its callback without looking whether there is one.
      this.#client?.publish({ topic, payload, qos, cmd: "publish", retain: true, dup: false }, () => {}),
    );
  }

  /**
   * Returns the messages from the queue of the session that the broker must send. The subscriptions are active again, so messages in between are in
   * the queue, and the broker may have sent them already.
   */
  readQueue(queue: readonly QueuedMessage[]): QueuedMessage[] {
    this.#isQueueRead = true;
    const waiting = queue.filter(({ no }) => no <= this.#lastQueued);
    const newer = queue.filter(
      (message) => message.no > this.#lastQueued && !this.#sentLive.has(nameOf(message)),
    );
    for (const message of newer) this.#sentFromQueue.add(nameOf(message));
    this.#sentLive.clear();
    return [...waiting, ...newer];
  }

  /** Called before the broker sends a message that was just published. Returns false if the client gets it from the queue. */
  sendsLive(message: Numbered): boolean {
    if (!this.#durable) return true;
    if (!this.#isQueueRead) this.#sentLive.add(nameOf(message));
    else if (this.#sentFromQueue.size > 0) return !this.#sentFromQueue.delete(nameOf(message));
    return true;
  }

  acknowledge(header: number, packetId: number): void {
    this.whenReady(() => this.push(acknowledgement(header, packetId)));
  }

  whenReady(call: () => void): void {
    if (this.#closing) return;
    if (this.#waiting === undefined) call();
    else this.#waiting.push(call);
  }

  get isQueueSent(): boolean {
    return this.#afterQueue === undefined;
  }

  whenQueueSent(call: () => void): void {
    if (this.#closing) return;
    if (this.#afterQueue === undefined) call();
    else this.#afterQueue.push(call);
  }

  /** Closes the link after the client has gone: the broker still reads acknowledgements of the client, then ends the stream. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    // Before the CONNACK, the broker would miss the end and keep the client forever.
    if (this.#waiting === undefined) this.#end();
    else this.#waiting = [() => this.#end()];
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Done): void {
    if (!this.#closing || this.#waiting !== undefined) {
      this.#reader.push(chunk);
      while (this.#reader.next()) this.#fromBroker();
    }
    done();
  }

  override _destroy(error: Error | null, done: Done): void {
    if (!this.#closing) {
      this.#closing = true;
      this.#sink.lost();
    }
    done(error);
  }

  #end(): void {
    this.push(goodbye);
    this.push(null);
  }

  #queueSent(): void {
    const waiting = this.#afterQueue ?? [];
    this.#afterQueue = undefined;
    for (const call of waiting) if (!this.#closing) call();
  }

  #fromBroker(): void {
    const { header, buffer, start, end } = this.#reader;
    const cursor = new PacketCursor(buffer, start, end);
    if (header === 0x20) {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      // The broker has restored the subscriptions of the session.
      for (const filter of this.#restored.splice(0)) this.filters.activate(filter);
      for (const call of waiting) call();
    } else if (this.#closing) {
      return;
    } else if ((header & 0xf0) === 0x30) {
      const message = readPublish(header, cursor);
      this.#sink.deliver({ ...message, topic: fromBrokerTopic(message.topic) });
    } else if (header === PUBREL) {
      this.#sink.release(readAcknowledgement(cursor, 4).packetId);
    }
  }
}
