import { Aedes } from "aedes";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { BrokerLink, type BrokerSink } from "./broker-link.ts";
import { BrokerPersistence } from "./broker-persistence.ts";
import { drainTimeoutMs } from "./connection.ts";
import { enclose } from "./envelope.ts";
import { isApplicationSpace } from "./principal.ts";
import type { IncomingMessage } from "./publish-intake.ts";
import type { Session } from "./session.ts";
import type { RetainedMessage } from "./session-file.ts";
import type { SessionStore } from "./session-store.ts";
import { SharedSubscriptions } from "./shared-subscriptions.ts";
import { spaceOf, toBroker } from "./topics.ts";

/** Aedes, reachable only through links of the front: subscriptions, delivery, retained messages and durable sessions. */
export class Broker {
  readonly #aedes: Aedes;
  readonly #store: SessionStore;
  readonly #clock: Clock;
  /** Session key → link of the client that is here. */
  readonly #links = new Map<string, BrokerLink>();
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

  attach(session: Session, sink: BrokerSink): BrokerLink {
    const { key, space } = session;
    const link: BrokerLink = new BrokerLink({
      brokerClientId: `${key}#${++this.#newestLink}`,
      durable: this.#store.get(session.key) === session,
      space,
      sink,
      sharedChanged: () => this.#shared.changed(space),
      closed: () => {
        if (this.#links.get(key) !== link) return;
        this.#links.delete(key);
        if (link.hasShared) this.#shared.changed(space);
      },
    });
    // Devices share no subscriptions.
    if (isApplicationSpace(space)) {
      this.#links.set(key, link);
      this.#shared.attached(space, key);
    }
    link.open(this.#aedes.handle(link), session.subscriptions);
    return link;
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
    const { topic: brokerTopic, payload, qos } = packet;
    this.#shared.deliver(space, { topic: message.topic, brokerTopic, payload, qos });
    return new Promise((resolve, reject) =>
      this.#aedes.publish(packet, (error) => (error ? reject(error) : resolve())),
    );
  }
}
