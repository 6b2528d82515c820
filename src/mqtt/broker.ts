import { Aedes } from "aedes";
import { TopicTree } from "../lib/mqtt/topic-tree.ts";
import type { Clock } from "../platform/clock.ts";
import type { Logger } from "../platform/log.ts";
import { AedesLink } from "./aedes-link.ts";
import { BrokerPersistence } from "./broker-persistence.ts";
import type {
  ApplicationLink,
  BrokerSink,
  ClientLink,
  LinkMessage,
  LinkOptions,
} from "./client-link.types.ts";
import { drainTimeoutMs } from "./connection.ts";
import { DirectLink, type DirectTree } from "./direct-link.ts";
import { DurableLink } from "./durable-link.ts";
import { enclose } from "./envelope.ts";
import { isApplicationSpace } from "./principal.ts";
import type { IncomingMessage } from "./publish-intake.ts";
import { receiversOf } from "./receivers.ts";
import { brokerClientIdOf, type Session, sessionKeyOf } from "./session.ts";
import type { RetainedMessage } from "./session-file.ts";
import type { SessionStore } from "./session-store.ts";
import { SharedSubscriptions } from "./shared-subscriptions.ts";
import { spaceOf, toBroker } from "./topics.ts";

/** Shared promise of all messages that are delivered immediately: those of one turn are then acknowledged together. */
const delivered = Promise.resolve();

/** Takes messages to their subscribers: to those of devices through Aedes, which is reachable only through links of the front. */
export class Broker {
  readonly #aedes: Aedes;
  readonly #store: SessionStore;
  readonly #clock: Clock;
  /** Session key → link of the client of an application that is here. */
  readonly #links = new Map<string, ApplicationLink>();
  /** Space → subscriptions of the clients that have no durable session. */
  readonly #direct = new Map<string, DirectTree>();
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
      authenticate: (client, _username, _password, done) => done(null, client.conn instanceof AedesLink),
      authorizePublish: (_client, _packet, done) => done(new Error("devices publish through the front only")),
      // Also asked about messages of the queue, which have an identifier by then.
      authorizeForward: ({ conn }, packet) =>
        packet.messageId !== undefined || !(conn instanceof AedesLink) || conn.sendsLive(packet)
          ? packet
          : null,
      authorizeSubscribe: ({ conn }, subscription, done) => {
        const own = conn instanceof AedesLink && spaceOf(subscription.topic) === conn.space;
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
    const brokerClientId = brokerClientIdOf(key, ++this.#newestLink);
    const durable = this.#store.get(key) === session;
    if (isApplicationSpace(space))
      return this.#attachApplication({ brokerClientId, space, sink }, session, durable);
    const link = new AedesLink({ brokerClientId, space, sink, durable });
    link.open(this.#aedes.handle(link), session);
    return link;
  }

  #attachApplication(place: LinkOptions, session: Session, durable: boolean): ApplicationLink {
    const { key, space, owner } = session;
    const options = {
      ...place,
      closed: () => {
        if (this.#links.get(key) === link) this.#links.delete(key);
      },
    };
    const { sharedGroups, subscriptions: counts } = this.#store;
    const link: ApplicationLink = durable
      ? new DurableLink(options, session, this.#store)
      : new DirectLink(options, { key, owner, tree: this.#directOf(space), sharedGroups, counts });
    this.#links.set(key, link);
    return link;
  }

  #directOf(space: string): DirectTree {
    const tree: DirectTree = this.#direct.get(space) ?? new TopicTree();
    this.#direct.set(space, tree);
    return tree;
  }

  /** Retained messages that a filter of this space matches. */
  retained(space: string, filter: string): RetainedMessage[] {
    return this.#store.retained.matching(toBroker(space, filter));
  }

  /** Resolves once every subscriber that is here has been handed the message and those away have it queued. */
  publish(space: string, message: IncomingMessage): Promise<void> {
    const { topic, qos, retain, from } = message;
    const payload = enclose(message.payload, message.properties, this.#clock.now());
    if (isApplicationSpace(space)) {
      this.#deliver(space, { topic, payload, qos, retain }, from);
      return delivered;
    }
    const packet = {
      cmd: "publish" as const,
      topic: toBroker(space, topic),
      payload,
      qos,
      retain,
      dup: false,
    };
    return new Promise((resolve, reject) =>
      this.#aedes.publish({ ...packet, ...(from !== undefined && { clientId: from }) }, (error) =>
        error ? reject(error) : resolve(),
      ),
    );
  }

  /** Delivers a message to the clients of a tenant's applications, without Aedes, which takes several turns of the event loop for each. */
  #deliver(space: string, message: LinkMessage, from: string | undefined): void {
    const { topic, payload, qos, retain } = message;
    this.#shared.deliver(space, message);
    const direct = this.#direct.get(space)?.match(topic) ?? [];
    const isSender = ({ brokerClientId }: DirectLink) => brokerClientId === from;
    for (const [link, grant] of receiversOf(direct, message, isSender))
      link.deliver({ ...message, ...grant });
    const stored = this.#store.subscribersOf(space, topic);
    const sender = from === undefined ? undefined : sessionKeyOf(from);
    for (const [session, grant] of receiversOf(stored, message, ({ key }) => key === sender)) {
      const link = this.#links.get(session.key);
      if (link !== undefined) link.deliver({ ...message, ...grant });
      else if (grant.qos > 0)
        this.#store.enqueue(session, { payload, topic: toBroker(space, topic), ...grant });
    }
    if (retain) this.#store.retain({ topic: toBroker(space, topic), payload, qos });
  }
}
