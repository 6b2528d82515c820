import { Duplex } from "node:stream";
import type { Client as BrokerClient } from "aedes";
import { generate } from "mqtt-packet";
import { FrameReader, fromBroker } from "../lib/mqtt/frame-reader.ts";
import { PacketCursor } from "../lib/mqtt/packet-cursor.ts";
import { acknowledgement, PUBREL } from "../lib/mqtt/packet-writer.ts";
import {
  type PublishPacket,
  type Qos,
  readAcknowledgement,
  readPublish,
  type Subscription,
} from "../lib/mqtt/packets.ts";
import { clientFilterMatches } from "../lib/mqtt/reserved-topics.ts";
import { withoutShare } from "../lib/mqtt/topic-filters.ts";
import { fromBrokerTopic, toBroker } from "./topics.ts";

/** Describes where the broker's packets for one client go. */
export interface BrokerSink {
  deliver(message: PublishPacket): void;
  release(packetId: number): void;
  /** The broker gave the client up. */
  lost(): void;
  /** Returns whether the client reads too slowly. */
  isCongested(): boolean;
}

export interface BrokerLinkOptions {
  /** The client's name in the broker: its session's key and a number, so that a successor never meets it. */
  readonly brokerClientId: string;
  readonly durable: boolean;
  /** States where all topics of the client are, inside the broker. */
  readonly space: string;
  readonly sink: BrokerSink;
  /** Called when the shared subscriptions of the client have changed. */
  sharedChanged(): void;
  closed(): void;
}

interface ClientSubscription {
  readonly qos: Qos;
  readonly identifier: number;
}

/** A message under its topic inside the broker. */
interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
}

const SHARE = "$share/";
const largestBody = 268_435_455;
const goodbye = new Uint8Array([0xe0, 0]);
type Done = (error?: Error | null) => void;

/**
 * One client's place in the broker: to Aedes a 3.1.1 connection, to the front a few calls. It never resists the broker's
 * writes (the front bounds and drops instead), so that one slow client cannot hold up the others.
 */
export class BrokerLink extends Duplex {
  readonly brokerClientId: string;
  readonly space: string;
  readonly #durable: boolean;
  readonly #sink: BrokerSink;
  readonly #options: BrokerLinkOptions;
  readonly #reader = new FrameReader(fromBroker, largestBody);
  /** Filter, as the client names it → what it asked for. */
  readonly #filters = new Map<string, ClientSubscription>();
  /** Those of them that the broker has: what is published before would be lost. */
  readonly #active = new Set<string>();
  /** Subscriptions of the session that the client came back to, until the broker has them again. */
  readonly #restored: string[] = [];
  #client: BrokerClient | undefined;
  /** Calls that wait for the broker's CONNACK. */
  #waiting: (() => void)[] | undefined = [];
  #closing = false;
  #identified = false;
  #isQueueRead = false;

  constructor(options: BrokerLinkOptions) {
    super({ writableHighWaterMark: largestBody });
    this.brokerClientId = options.brokerClientId;
    this.space = options.space;
    this.#durable = options.durable;
    this.#sink = options.sink;
    this.#options = options;
  }

  /** Signs the client in; `client` is what the broker made of this stream. */
  open(client: BrokerClient, subscriptions: Iterable<readonly [filter: string, ClientSubscription]>): void {
    this.#client = client;
    for (const [filter, { qos, identifier }] of subscriptions) {
      this.#remember(fromBrokerTopic(filter), { qos, identifier });
      this.#restored.push(fromBrokerTopic(filter));
    }
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

  /** Some subscription carries an identifier. */
  get identified(): boolean {
    return this.#identified;
  }

  get subscriptions(): number {
    return this.#filters.size;
  }

  filters(): Iterable<string> {
    return this.#filters.keys();
  }

  get hasShared(): boolean {
    return [...this.#filters.keys()].some((filter) => filter.startsWith(SHARE));
  }

  /** Returns its subscriptions with the QoS that each was granted. */
  *subscribed(): Iterable<readonly [filter: string, qos: Qos]> {
    for (const [filter, { qos }] of this.#filters) yield [filter, qos];
  }

  isCongested(): boolean {
    return this.#sink.isCongested();
  }

  has(filter: string): boolean {
    return this.#filters.has(filter);
  }

  subscribe(subscriptions: readonly Subscription[], done: Done): void {
    for (const subscription of subscriptions) this.#remember(subscription.topic, subscription);
    if (subscriptions.some(({ topic }) => topic.startsWith(SHARE))) this.#options.sharedChanged();
    this.#whenReady(() =>
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
          if (!error) for (const { topic } of subscriptions) this.#activate(topic);
          done(error);
        },
      ),
    );
  }

  unsubscribe(filters: readonly string[], done: Done): void {
    for (const filter of filters) {
      this.#filters.delete(filter);
      this.#active.delete(filter);
    }
    if (filters.some((filter) => filter.startsWith(SHARE))) this.#options.sharedChanged();
    const unsubscriptions = filters.map((filter) => toBroker(this.space, filter));
    this.#whenReady(() =>
      this.#client?.unsubscribe({ cmd: "unsubscribe", messageId: 1, unsubscriptions }, done),
    );
  }

  /** Returns whether a message on the topic reaches the client by some subscription. */
  listensTo(topic: string): boolean {
    for (const filter of this.#active) if (clientFilterMatches(filter, topic)) return true;
    return false;
  }

  /** Returns the highest QoS and all identifiers of the client's subscriptions that match. */
  match(topic: string): { readonly qos: Qos; readonly identifiers: number[] } {
    let qos: Qos = 0;
    const identifiers: number[] = [];
    for (const [filter, subscription] of this.#filters) {
      if (!clientFilterMatches(withoutShare(filter), topic)) continue;
      if (subscription.qos > qos) qos = subscription.qos;
      if (subscription.identifier > 0) identifiers.push(subscription.identifier);
    }
    return { qos, identifiers };
  }

  /** Sends a retained message to this client alone. */
  sendRetained(message: BrokerMessage): void {
    this.#sendAlone(message, true);
  }

  /** The broker has read the queue of the client's session, and sends what is in it. */
  queueRead(): void {
    this.#isQueueRead = true;
  }

  /** Returns whether the broker will still read the session's queue: what is added to it now is sent, and lost by no early end. */
  get readsQueue(): boolean {
    return this.#durable && !this.#isQueueRead;
  }

  /** Sends a message to this client alone. */
  send(message: BrokerMessage): void {
    this.#sendAlone(message, false);
  }

  /** The client's answer to a message of the broker's. */
  acknowledge(header: number, packetId: number): void {
    this.#whenReady(() => this.push(acknowledgement(header, packetId)));
  }

  /** The client is gone: the broker still reads what the client had acknowledged, then ends the stream. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#options.closed();
    // Before its CONNACK the broker would miss the end, and keep the client for ever.
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
      this.#options.closed();
      this.#sink.lost();
    }
    done(error);
  }

  #sendAlone({ topic, payload, qos }: BrokerMessage, retain: boolean): void {
    this.#whenReady(() =>
      // The broker calls its callback without looking whether there is one.
      this.#client?.publish({ topic, payload, qos, cmd: "publish", retain, dup: false }, () => {}),
    );
  }

  /** It may have been unsubscribed meanwhile. */
  #activate(filter: string): void {
    if (this.#filters.has(filter)) this.#active.add(filter);
  }

  #remember(filter: string, { qos, identifier }: ClientSubscription): void {
    this.#filters.set(filter, { qos, identifier });
    if (identifier > 0) this.#identified = true;
  }

  #end(): void {
    this.push(goodbye);
    this.push(null);
  }

  #whenReady(call: () => void): void {
    if (this.#closing) return;
    if (this.#waiting === undefined) call();
    else this.#waiting.push(call);
  }

  #fromBroker(): void {
    const { header, buffer, start, end } = this.#reader;
    const cursor = new PacketCursor(buffer, start, end);
    if (header === 0x20) {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      // The broker has restored the subscriptions of the session.
      for (const filter of this.#restored.splice(0)) this.#activate(filter);
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
