import type { FrameReader } from "../../lib/mqtt/frame-reader.ts";
import { PacketCursor } from "../../lib/mqtt/packet-cursor.ts";
import {
  PUBACK,
  PUBCOMP,
  PUBREC,
  PUBREL,
  pingResponse,
  suback,
  unsuback,
} from "../../lib/mqtt/packet-writer.ts";
import {
  type ConnectPacket,
  type ProtocolVersion,
  readAcknowledgement,
  readDisconnect,
  readSubscribe,
  readUnsubscribe,
  type Subscription,
  type Will,
} from "../../lib/mqtt/packets.ts";
import { noProperties } from "../../lib/mqtt/properties.ts";
import { malformed, protocolError, Reason } from "../../lib/mqtt/reason.ts";
import { isValidFilter, readSharedFilter } from "../../lib/mqtt/topic-filters.ts";
import type { Peer } from "../../modules/api/request-peer.ts";
import type { IngestDevice } from "../../modules/ingest/ingest.types.ts";
import type { Logger } from "../../platform/core/log.ts";
import { keepAliveSeconds } from "../connection/admission.ts";
import type { ConnectionTurns, Turn } from "../connection/connection-turns.ts";
import type { Counters } from "../connection/counters.ts";
import type { Output } from "../connection/output.ts";
import type { PublishIntake } from "../connection/publish-intake.ts";
import type { MqttLimits, StateReceiver } from "../mqtt.types.ts";
import type { Session } from "../session/session.ts";
import type { RetainedMessage } from "../session/session-file.ts";
import { enclose } from "../topics/envelope.ts";
import type { Principal } from "../topics/principal.ts";
import { toBroker } from "../topics/topics.ts";
import type { ClientLink } from "./client-link.types.ts";
import type { ClientLimits, Delivery } from "./delivery.ts";
import { FILTER_LEVELS_MAX } from "./subscription-counts.ts";

/**
 * Retained messages of new subscriptions. Each filter is compared with all retained messages of the tenant, and may match thousands: after its share
 * of a turn, the rest waits for the next one.
 */
export class RetainedReplay implements Turn {
  /** Subscriptions with unsent retained messages, by filter. */
  readonly #pending = new Map<string, Subscription>();
  /** Sends the pending messages, one per step. */
  #sending: Iterator<void> | undefined;
  readonly #connectionTurns: ConnectionTurns;
  readonly #send: (subscription: Subscription) => Iterable<void>;

  /** @param send sends one retained message of a subscription per step, while the client has the subscription */
  constructor(connectionTurns: ConnectionTurns, send: (subscription: Subscription) => Iterable<void>) {
    this.#connectionTurns = connectionTurns;
    this.#send = send;
  }

  add(subscriptions: readonly Subscription[]): void {
    const isWaiting = this.#sending !== undefined;
    for (const subscription of subscriptions) this.#pending.set(subscription.topic, subscription);
    if (isWaiting) return;
    // Many connections may subscribe in the same turn; after its end, they wait.
    if (this.#connectionTurns.isTurnOver) this.#connectionTurns.enqueue(this);
    else this.resume();
  }

  resume(): void {
    this.#sending ??= this.#sendPending();
    while (this.#sending.next().done !== true) {
      if (!this.#connectionTurns.isTurnOver) continue;
      this.#connectionTurns.enqueue(this);
      return;
    }
    this.#sending = undefined;
  }

  *#sendPending(): Generator<void> {
    for (const [filter, subscription] of this.#pending) {
      this.#pending.delete(filter);
      yield* this.#send(subscription);
      if (this.#pending.size > 0) yield;
    }
  }

  stop(): void {
    this.#pending.clear();
    this.#sending = undefined;
    this.#connectionTurns.remove(this);
  }
}

/** Current states for new subscriptions, sent for one filter after the other: a client may subscribe to many, and again, without reading. */
class Greetings {
  readonly #filters = new Set<string>();
  readonly #greet: (filter: string) => Promise<void>;
  #isGreeting = false;

  constructor(greet: (filter: string) => Promise<void>) {
    this.#greet = greet;
  }

  async add(filter: string): Promise<void> {
    this.#filters.add(filter);
    if (this.#isGreeting) return;
    this.#isGreeting = true;
    try {
      for (const next of this.#filters) {
        this.#filters.delete(next);
        await this.#greet(next);
      }
    } finally {
      this.#isGreeting = false;
    }
  }

  stop(): void {
    this.#filters.clear();
  }
}

/** Runs a task once, two iterations of the event loop from now. */
class DelayedTurn implements Turn {
  readonly #connectionTurns: ConnectionTurns;
  readonly #work: () => void;
  #remaining = 2;

  constructor(connectionTurns: ConnectionTurns, work: () => void) {
    this.#connectionTurns = connectionTurns;
    this.#work = work;
    connectionTurns.enqueue(this);
  }

  resume(): void {
    this.#remaining--;
    if (this.#remaining > 0) this.#connectionTurns.enqueue(this);
    else this.#work();
  }

  stop(): void {
    this.#connectionTurns.remove(this);
  }
}

const SUBSCRIBE = 0x82;
const UNSUBSCRIBE = 0xa2;
const PINGREQ = 0xc0;
const DISCONNECT = 0xe0;
const AUTH = 0xf0;

/** Max. subscriptions of one client: all are kept in memory, and each change of a durable session rewrites the list. */
const SUBSCRIPTIONS_MAX = 1_000;

/** Server of a signed-in client, reduced to the needs of the client. */
export interface ClientHost {
  readonly log: Logger;
  readonly limits: MqttLimits;
  readonly counters: Counters;
  readonly connectionTurns: ConnectionTurns;
  /** Attaches the client to the broker. */
  attach(client: Client): ClientLink;
  /** Returns the retained messages of a space that match a filter. */
  retained(space: string, filter: string): Iterable<RetainedMessage>;
  /** Called when subscriptions of the client are active. */
  subscribed(client: Client): void;
  /** Returns a function that checks an additional filter against the limits of the client's credential and tenant. */
  subscriptionRoom(client: Client): (filter: string) => boolean;
  /** Called when `count` subscriptions of the client were refused because of a limit. */
  subscriptionsLimited(client: Client, count: number): void;
  /** Called with the first filter of a packet to which the client may not subscribe. */
  subscriptionForbidden(client: Client, filter: string): void;
  /** Called when the client has fewer subscriptions. */
  unsubscribed(client: Client): void;
  /** Called when the client asks for current values, in addition to retained messages. Resolves when they were sent. */
  greet(client: Client, filter: string): Promise<void>;
  /** Called when a device has acknowledged a command. */
  delivered(device: IngestDevice, topic: string, payload: Uint8Array): void;
  /** Called when the connection has ended. `will` must be published after its delay. */
  clientLeft(client: Client, will: Will | undefined): void;
}

/** Connection of the client, reduced to the needs of the client. */
interface ClientConnection {
  readonly output: Output;
  readonly peer: Peer;
  readonly ended: boolean;
  /** Sends the reason to an MQTT 5 client, and flushes the last bytes. */
  end(reason: number): void;
  /** Resumes reading, unless something else prevents it. */
  answered(): void;
}

export interface ClientParts {
  readonly connection: ClientConnection;
  readonly connect: ConnectPacket;
  readonly principal: Principal;
  readonly session: Session;
  readonly intake: PublishIntake;
  readonly limits: ClientLimits;
  /** Sent when the client starts. */
  readonly connack: Uint8Array;
}

/** Creates parts of a client on demand. */
interface DeliveryFactory {
  createDelivery(client: Client): Delivery;
}

/** Returns a subscription of another broker: its own messages would circulate, and retained ones are retained there, too. */
const ofBridge = (subscription: Subscription): Subscription => ({
  ...subscription,
  noLocal: !subscription.topic.startsWith("$share/"),
  retainAsPublished: true,
});

/** Signed-in client, which handles every packet after CONNECT. It joins the broker only once it has something to receive. */
export class Client implements StateReceiver {
  readonly connection: ClientConnection;
  readonly principal: Principal;
  readonly session: Session;
  readonly intake: PublishIntake;
  readonly version: ProtocolVersion;
  readonly #isBridge: boolean;
  readonly limits: ClientLimits;
  /** 1.5 times the requested keep-alive (3.1.2.10); 0 for none. */
  readonly keepAliveMs: number;
  readonly #host: ClientHost;
  readonly #factory: DeliveryFactory;
  #connack: Uint8Array | undefined;
  #will: Will | undefined;
  // Created with their first use: a device often only publishes, and a connection has to stay small.
  #link: ClientLink | undefined;
  #delivery: Delivery | undefined;
  #replay: RetainedReplay | undefined;
  #greetings: Greetings | undefined;
  #queueTurn: DelayedTurn | undefined;
  /** Number of subscriptions that are not active yet, of a resumed session and of SUBSCRIBE packets. */
  #subscribing = 0;

  constructor(host: ClientHost, factory: DeliveryFactory, parts: ClientParts) {
    this.connection = parts.connection;
    this.principal = parts.principal;
    this.session = parts.session;
    this.intake = parts.intake;
    this.version = parts.connect.version;
    this.#isBridge = parts.connect.isBridge === true;
    this.limits = parts.limits;
    this.keepAliveMs = keepAliveSeconds(parts.connect, host.limits) * 1500;
    this.#host = host;
    this.#factory = factory;
    this.#connack = parts.connack;
    this.#will = parts.connect.will;
  }

  get delivery(): Delivery {
    this.#delivery ??= this.#factory.createDelivery(this);
    return this.#delivery;
  }

  start(): void {
    const connack = this.#connack;
    this.#connack = undefined;
    // MQTT 5, 3.1.2.11.4: a packet beyond what the client takes is not sent, and without a CONNACK there is no connection.
    if (connack === undefined || connack.length > this.limits.packetBytesMax) {
      this.connection.end(Reason.success);
      return;
    }
    this.connection.output.write(connack);
    // Devices that only publish need no client in the broker (15 KB); applications subscribe.
    const { hasSubscriptions, hasQueue } = this.session;
    if (this.principal.device === undefined || hasSubscriptions || hasQueue) this.#joined();
    if (!hasSubscriptions) return;
    this.#subscribing++;
    this.#link?.whenReady(() => this.#subscribed());
  }

  /** Returns whether subscriptions are not active yet. Later packets of the client must wait, because responses to them would be lost. */
  get isSubscribing(): boolean {
    return this.#subscribing > 0;
  }

  /** Drops the will of a client that lost its right to publish, so that no more of its messages are accepted. */
  dropWill(): void {
    this.#will = undefined;
  }

  /** Returns whether the client would receive a message on the topic. */
  listensTo(topic: string): boolean {
    return this.#link?.filters.listensTo(topic) === true;
  }

  /** Returns whether the client would receive a command on the topic, after those kept by its session. */
  takesCommands(topic: string): boolean {
    return this.#link?.isQueueSent === true && this.listensTo(topic);
  }

  filters(): Iterable<string> {
    return this.#link?.filters.names() ?? [];
  }

  get readiness(): StateReceiver["readiness"] {
    if (this.connection.ended || this.#link === undefined) return "gone";
    return this.connection.output.congested ? "later" : "ready";
  }

  /** Sends a message to this client alone, like a retained one. */
  send(topic: string, payload: Uint8Array): void {
    const enclosed = enclose(payload, noProperties, 0);
    this.#link?.sendRetained({ topic: toBroker(this.session.space, topic), payload: enclosed, qos: 0 });
  }

  /** Name of the client in the broker, once it has one. */
  get brokerClientId(): string | undefined {
    return this.#link?.brokerClientId;
  }

  packet(reader: FrameReader): void {
    const cursor = new PacketCursor(reader.buffer, reader.start, reader.end);
    switch (reader.header) {
      case PUBACK:
      case PUBREC:
      case PUBCOMP:
        this.#acknowledged(reader.header, cursor);
        break;
      case PUBREL:
        this.intake.release(readAcknowledgement(cursor, this.version).packetId);
        break;
      case SUBSCRIBE:
        this.#subscribe(cursor);
        break;
      case UNSUBSCRIBE:
        this.#unsubscribe(cursor);
        break;
      case PINGREQ:
        cursor.end();
        this.connection.output.write(pingResponse);
        break;
      case DISCONNECT:
        this.#disconnect(cursor);
        break;
      case AUTH:
        // No enhanced authentication is in progress (MQTT 5, 4.12).
        if (this.version < 5) throw malformed("AUTH does not exist before MQTT 5");
        throw protocolError("AUTH without an authentication method");
      default:
        throw protocolError("CONNECT sent twice, or a packet that only a server sends");
    }
  }

  /** Called when the connection accepts more data. */
  drained(): void {
    this.#link?.resume?.();
  }

  /** Called when the connection has ended for any reason. */
  left(): void {
    this.#replay?.stop();
    this.#greetings?.stop();
    this.#queueTurn?.stop();
    this.#link?.close();
    this.#link = undefined;
    const will = this.#will;
    this.#will = undefined;
    this.#host.clientLeft(this, will);
  }

  #joined(): ClientLink {
    if (this.#link !== undefined) return this.#link;
    const link = this.#host.attach(this);
    this.#link = link;
    // Programs often set their handler once connected, so queued messages are sent two turns after CONNACK.
    if (link.resume !== undefined)
      this.#queueTurn = new DelayedTurn(this.#host.connectionTurns, () => this.#link?.resume?.());
    return link;
  }

  #acknowledged(header: number, cursor: PacketCursor): void {
    const { packetId, reason } = readAcknowledgement(cursor, this.version);
    this.delivery.acknowledged(header, packetId, reason);
  }

  #subscribe(cursor: PacketCursor): void {
    const { packetId, subscriptions: asked } = readSubscribe(cursor, this.version);
    const subscriptions = this.#isBridge ? asked.map(ofBridge) : asked;
    const codes = this.#codesOf(subscriptions);
    const granted = subscriptions.filter((_, index) => codes[index]! <= 2);
    const retained = granted.filter(({ topic, retainHandling }) => {
      if (topic.startsWith("$share/")) return false;
      return retainHandling === 0 || (retainHandling === 1 && this.#link?.filters.has(topic) !== true);
    });
    const response = (error?: Error | null) => {
      if (this.connection.ended) return;
      const final = error ? codes.map((code) => (code <= 2 ? Reason.unspecified : code)) : codes;
      this.connection.output.write(suback(this.version, packetId, final));
      if (retained.length > 0) this.#sendRetainedOf(retained);
    };
    if (granted.length === 0) response();
    else {
      this.#subscribing++;
      this.#joined().subscribe(granted, (error) => {
        response(error);
        this.#subscribed(error);
      });
    }
  }

  /** Called when subscriptions are active or refused. Resumes reading later packets of the client. */
  #subscribed(error?: Error | null): void {
    this.#subscribing--;
    if (!error) this.#link?.whenQueueSent(() => this.#host.subscribed(this));
    this.connection.answered();
  }

  /** Returns the reason codes for the filters of a packet. Existing filters do not count again. */
  #codesOf(subscriptions: readonly Subscription[]): number[] {
    let ownRemaining = SUBSCRIPTIONS_MAX - (this.#link?.filters.size ?? 0);
    const hasRoom = this.#host.subscriptionRoom(this);
    const codes = subscriptions.map((subscription) => {
      const code = this.#authorize(subscription);
      if (code > 2 || this.#link?.filters.has(subscription.topic) === true) return code;
      return ownRemaining-- > 0 && hasRoom(subscription.topic) ? code : Reason.quotaExceeded;
    });
    const refused = codes.filter((code) => code === Reason.quotaExceeded).length;
    if (refused > 0) this.#host.subscriptionsLimited(this, refused);
    const forbidden = subscriptions[codes.indexOf(Reason.notAuthorized)];
    if (forbidden !== undefined) this.#host.subscriptionForbidden(this, forbidden.topic);
    return codes;
  }

  #sendRetainedOf(subscriptions: readonly Subscription[]): void {
    this.#replay ??= new RetainedReplay(this.#host.connectionTurns, (subscription) =>
      this.#sendRetained(subscription),
    );
    this.#replay.add(subscriptions);
  }

  *#sendRetained({ topic, qos }: Subscription): Generator<void> {
    const isSubscribed = () => this.#link?.filters.has(topic) === true;
    if (!isSubscribed()) return;
    for (const message of this.#host.retained(this.session.space, topic)) {
      this.#link?.sendRetained({ ...message, qos: message.qos < qos ? message.qos : qos });
      yield;
      if (!isSubscribed()) return;
    }
    if (this.principal.application === undefined) return;
    this.#greetings ??= new Greetings((filter) => this.#host.greet(this, filter));
    void this.#greetings.add(topic);
  }

  #authorize({ topic, qos, noLocal }: Subscription): number {
    if (!isValidFilter(topic)) throw malformed("topic filter is invalid");
    if (this.principal.application !== undefined && topic.split("/").length > FILTER_LEVELS_MAX)
      return Reason.quotaExceeded;
    if (!topic.startsWith("$share/")) return this.principal.maySubscribe(topic) ? qos : Reason.notAuthorized;
    if (this.principal.application === undefined) return Reason.sharedSubscriptionsNotSupported;
    const shared = readSharedFilter(topic);
    if (shared === undefined) throw malformed("topic filter is invalid");
    if (noLocal) throw protocolError("no-local on a shared subscription"); // MQTT 5, 3.8.3.1
    return this.principal.maySubscribe(shared.filter) ? qos : Reason.notAuthorized;
  }

  #unsubscribe(cursor: PacketCursor): void {
    const { packetId, topics } = readUnsubscribe(cursor, this.version);
    if (!topics.every(isValidFilter)) throw malformed("topic filter is invalid");
    const link = this.#link;
    const codes = topics.map((topic) =>
      link?.filters.has(topic) === true ? Reason.success : Reason.noSubscriptionExisted,
    );
    const response = () => {
      if (this.connection.ended) return;
      this.connection.output.write(unsuback(this.version, packetId, codes));
      this.#host.unsubscribed(this);
    };
    if (link === undefined) response();
    else link.unsubscribe(topics, response);
  }

  #disconnect(cursor: PacketCursor): void {
    const { reason, sessionExpirySeconds } = readDisconnect(cursor, this.version);
    if (sessionExpirySeconds !== undefined) {
      // MQTT 5, 3.14.2.2.2: a session that was to end with its connection cannot be prolonged now.
      if (this.session.expirySeconds === 0 && sessionExpirySeconds > 0)
        throw protocolError("session expiry raised from zero");
      this.session.expirySeconds = Math.min(this.#host.limits.sessionExpirySecondsMax, sessionExpirySeconds);
    }
    if (reason !== Reason.disconnectWithWill) this.#will = undefined;
    this.connection.end(Reason.success);
  }
}
