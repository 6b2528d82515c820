import { Aedes } from "aedes";
import { TopicTree } from "../../lib/mqtt/topic-tree.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { DRAIN_TIMEOUT_MS } from "../connection/connection.ts";
import type { IncomingMessage } from "../connection/publish-intake.ts";
import { brokerClientIdOf, type Session, sessionKeyOf } from "../session/session.ts";
import type { RetainedMessage } from "../session/session-file.ts";
import type { SessionStore } from "../session/session-store.ts";
import { enclose } from "../topics/envelope.ts";
import { isApplicationSpace } from "../topics/principal.ts";
import { receiversOf } from "../topics/receivers.ts";
import { spaceOf, toBroker } from "../topics/topics.ts";
import { AedesLink } from "./aedes-link.ts";
import { BrokerPersistence } from "./broker-persistence.ts";
import type {
  ApplicationLink,
  BrokerSink,
  ClientLink,
  LinkMessage,
  LinkOptions,
} from "./client-link.types.ts";
import { DirectLink, type DirectTree } from "./direct-link.ts";
import { DurableLink } from "./durable-link.ts";
import { SharedSubscriptions } from "./shared-subscriptions.ts";

/** Shared promise of all immediately delivered messages, so that those of one turn are acknowledged together. */
const delivered = Promise.resolve();

/** Delivers messages to subscribers: to devices through Aedes, which is only reachable through links of the front. */
export class Broker {
  readonly #aedes: Aedes;
  readonly #store: SessionStore;
  readonly #clock: Clock;
  /** Links of connected clients of applications by session key. */
  readonly #links = new Map<string, ApplicationLink>();
  /** Subscriptions of clients without a durable session, by space. */
  readonly #direct = new Map<string, DirectTree>();
  readonly #shared: SharedSubscriptions;
  #newestLink = 0;

  constructor(store: SessionStore, clock: Clock, log: Logger) {
    this.#store = store;
    this.#clock = clock;
    this.#shared = new SharedSubscriptions(store, this.#links);
    this.#aedes = new Aedes({
      persistence: new BrokerPersistence(store),
      drainTimeout: DRAIN_TIMEOUT_MS,
      heartbeatInterval: 3_600_000,
      maxClientsIdLength: 256,
      authenticate: (client, _username, _password, done) => done(null, client.conn instanceof AedesLink),
      authorizePublish: (_client, _packet, done) => done(new Error("devices publish through the front only")),
      // Also called for queued messages, which have a packet identifier.
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
    this.#aedes.addListener("error", (error: unknown) => log.error("broker reported an error", { error }));
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

  /** Returns the retained messages of this space that match a filter. */
  retained(space: string, filter: string): Iterable<RetainedMessage> {
    return this.#store.retained.matching(toBroker(space, filter));
  }

  /** Resolves once the message was passed to every connected subscriber and queued for the others. */
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

  /** Delivers a message to the clients of applications of a tenant without Aedes, which takes several turns of the event loop per message. */
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
