import { Aedes } from "aedes";
import { TopicTree } from "../lib/mqtt/topic-tree.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { BrokerLink } from "./broker-link.ts";
import { BrokerPersistence } from "./broker-persistence.ts";
import type { BrokerSink, ClientLink } from "./client-link.types.ts";
import { drainTimeoutMs } from "./connection.ts";
import { DirectLink, type DirectSubscription, deliverDirectly } from "./direct-link.ts";
import { enclose } from "./envelope.ts";
import { isApplicationSpace } from "./principal.ts";
import type { IncomingMessage } from "./publish-intake.ts";
import type { Session } from "./session.ts";
import type { RetainedMessage } from "./session-file.ts";
import type { SessionStore } from "./session-store.ts";
import { SharedSubscriptions } from "./shared-subscriptions.ts";
import { spaceOf, toBroker } from "./topics.ts";

/** One promise for all messages that are delivered at once: those of one turn are then acknowledged together. */
const delivered = Promise.resolve();

/** Aedes, reachable only through links of the front: subscriptions, delivery, retained messages and durable sessions. */
export class Broker {
  readonly #aedes: Aedes;
  readonly #store: SessionStore;
  readonly #clock: Clock;
  /** Session key → link of the client that is here. */
  readonly #links = new Map<string, ClientLink>();
  /** Space → subscriptions of clients that receive their messages without Aedes. */
  readonly #direct = new Map<string, TopicTree<DirectSubscription>>();
  readonly #shared: SharedSubscriptions;
  #newestLink = 0;

  constructor(store: SessionStore, clock: Clock, log: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#shared = new SharedSubscriptions(store, this.#links);
    this.#aedes = new Aedes({
      persistence: new BrokerPersistence(store),
      drainTimeout: drainTimeoutMs,
      heartbeatInterval: 3_600_000,
      maxClientsIdLength: 256,
      authenticate: (client, _username, _password, done) => done(null, client.conn instanceof BrokerLink),
      authorizePublish: (_client, _packet, done) => done(new Error("devices publish through the front only")),
      // Also asked about messages of the queue, which have an identifier by then.
      authorizeForward: ({ conn }, packet) =>
        packet.messageId !== undefined || !(conn instanceof BrokerLink) || conn.sendsLive(packet)
          ? packet
          : null,
      authorizeSubscribe: ({ conn }, subscription, done) => {
        const own = conn instanceof BrokerLink && spaceOf(subscription.topic) === conn.space;
        done(null, own ? subscription : null);
      },
    });
    // Without a listener, an error event would end the process.
    this.#aedes.addListener("error", (error: unknown) =>
      log.error("the broker reported an error", { error }),
    );
    this.#aedes.on("clientError", (client, error) => {
      log.debug("the broker ended a client", { client: client.id, error: error.message });
    });
  }

  async start(): Promise<void> {
    await this.#aedes.listen();
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#aedes.close(() => resolve()));
  }

  attach(session: Session, sink: BrokerSink): ClientLink {
    const { key, space } = session;
    const durable = this.#store.get(session.key) === session;
    const options = {
      brokerClientId: `${key}#${++this.#newestLink}`,
      durable,
      space,
      sink,
      sharedChanged: () => this.#shared.changed(space),
      closed: () => {
        if (this.#links.get(key) !== link) return;
        this.#links.delete(key);
        if (link.filters.hasShared) this.#shared.changed(space);
      },
    };
    const link: ClientLink =
      durable || !isApplicationSpace(space)
        ? new BrokerLink(options)
        : new DirectLink(options, this.#directOf(space));
    // Devices share no subscriptions.
    if (isApplicationSpace(space)) {
      this.#links.set(key, link);
      this.#shared.attached(space, key);
    }
    if (link instanceof BrokerLink) link.open(this.#aedes.handle(link), session);
    return link;
  }

  #directOf(space: string): TopicTree<DirectSubscription> {
    const tree = this.#direct.get(space) ?? new TopicTree<DirectSubscription>();
    this.#direct.set(space, tree);
    return tree;
  }

  /** Retained messages that a filter of this space matches. */
  retained(space: string, filter: string): RetainedMessage[] {
    return this.#store.retained.matching(toBroker(space, filter));
  }

  /** Resolves once every subscriber that is here has been handed the message and those away have it queued. */
  publish(space: string, message: IncomingMessage): Promise<void> {
    const packet = {
      cmd: "publish" as const,
      topic: toBroker(space, message.topic),
      payload: enclose(message.payload, message.properties, this.#clock.now()),
      qos: message.qos,
      retain: message.retain,
      dup: false,
      ...(message.from === undefined ? {} : { clientId: message.from }),
    };
    const { topic: brokerTopic, payload, qos, retain } = packet;
    this.#shared.deliver(space, { topic: message.topic, brokerTopic, payload, qos });
    const direct = this.#direct.get(space)?.match(message.topic) ?? [];
    deliverDirectly(direct, { topic: message.topic, payload, qos, retain }, message.from);
    if (isApplicationSpace(space) && !this.#store.hasSessions(space)) {
      if (retain) this.#store.retain({ topic: brokerTopic, payload, qos });
      return delivered;
    }
    return new Promise((resolve, reject) =>
      this.#aedes.publish(packet, (error) => (error ? reject(error) : resolve())),
    );
  }
}
