import { Aedes } from "aedes";
import { PUBREC } from "../../lib/mqtt/packet-writer.ts";
import type { Qos, Subscription } from "../../lib/mqtt/packets.ts";
import { TopicTree } from "../../lib/mqtt/topic-tree.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { DRAIN_TIMEOUT_MS } from "../connection/connection.ts";
import type { IncomingMessage } from "../connection/publish-intake.ts";
import { brokerClientIdOf, type Session, type SessionOwner, sessionKeyOf } from "../session/session.ts";
import type { RetainedMessage } from "../session/session-file.ts";
import type { SessionStore } from "../session/session-store.ts";
import { enclose } from "../topics/envelope.ts";
import { isApplicationSpace } from "../topics/principal.ts";
import { type ReceiverSubscription, receiversOf } from "../topics/receivers.ts";
import { fromBrokerTopic, spaceOf, toBroker } from "../topics/topics.ts";
import { AedesLink } from "./aedes-link.ts";
import { BrokerPersistence } from "./broker-persistence.ts";
import { ClientFilters, isShared } from "./client-filters.ts";
import type {
  ApplicationLink,
  ApplicationLinkOptions,
  BrokerMessage,
  BrokerSink,
  ClientLink,
  Done,
  LinkMessage,
  LinkOptions,
} from "./client-link.types.ts";
import { DurableLink } from "./durable-link.ts";
import { PacketIds } from "./packet-ids.ts";
import type { SharedGroup, SharedGroups } from "./shared-groups.ts";
import type { SubscriptionCounts } from "./subscription-counts.ts";

/** Subscriptions of clients without a durable session in one space. */
export type DirectTree = TopicTree<DirectLink, ReceiverSubscription<DirectLink>>;

/** Registries for finding and counting subscriptions of a client. */
interface DirectPlace {
  /** Session key. */
  readonly key: string;
  readonly owner: SessionOwner;
  readonly tree: DirectTree;
  readonly sharedGroups: SharedGroups;
  readonly counts: SubscriptionCounts;
}

/**
 * Link of a client whose session ends with its connection, in the space of the applications of a tenant. Nothing is queued, so messages bypass
 * Aedes, which takes several turns of the event loop per message.
 */
export class DirectLink implements ApplicationLink {
  readonly brokerClientId: string;
  readonly space: string;
  readonly filters = new ClientFilters();
  readonly isQueueSent = true;
  readonly #options: ApplicationLinkOptions;
  readonly #place: DirectPlace;
  readonly #ids = new PacketIds();
  #closed = false;

  constructor(options: ApplicationLinkOptions, place: DirectPlace) {
    this.brokerClientId = options.brokerClientId;
    this.space = options.space;
    this.#options = options;
    this.#place = place;
  }

  isCongested(): boolean {
    return this.#options.sink.isCongested();
  }

  subscribe(subscriptions: readonly Subscription[], done: Done): void {
    for (const { topic, qos, noLocal, retainAsPublished, identifier } of subscriptions) {
      const { key, owner, tree, sharedGroups, counts } = this.#place;
      if (!this.filters.has(topic)) counts.add(owner, topic);
      this.filters.add(topic, { qos, identifier });
      this.filters.activate(topic);
      if (isShared(topic)) sharedGroups.join(this.space, topic, { key, qos, by: this });
      else tree.set(topic, this, { receiver: this, qos, noLocal, retainAsPublished });
    }
    done();
  }

  unsubscribe(filters: readonly string[], done: Done): void {
    for (const filter of filters)
      if (this.filters.has(filter)) {
        this.#leave(filter);
        this.filters.delete(filter);
      }
    done();
  }

  sendRetained(message: BrokerMessage): void {
    this.deliver({ ...message, topic: fromBrokerTopic(message.topic), retain: true });
  }

  send(message: BrokerMessage): void {
    this.deliver({ ...message, topic: fromBrokerTopic(message.topic), retain: false });
  }

  deliver(message: LinkMessage): void {
    if (this.#closed) return;
    const packetId = message.qos > 0 ? this.#ids.take() : 0;
    this.#options.sink.deliver({ ...message, duplicate: false, packetId });
  }

  whenReady(call: () => void): void {
    call();
  }

  whenQueueSent(call: () => void): void {
    call();
  }

  acknowledge(header: number, packetId: number): void {
    if (header === PUBREC) this.#options.sink.release(packetId);
    else this.#ids.release(packetId);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const filter of this.filters.names()) this.#leave(filter);
    this.#options.closed();
  }

  #leave(filter: string): void {
    const { key, owner, tree, sharedGroups, counts } = this.#place;
    counts.remove(owner, filter);
    if (isShared(filter)) sharedGroups.leave(this.space, filter, { key, by: this });
    else tree.delete(filter, this);
  }
}

interface SharedMessage {
  /** Topic in the notation of clients. */
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
}

/**
 * Shared subscriptions (MQTT 5, 4.8.2): one member of each group receives a message, in turn. Connected members take precedence; the message waits
 * in the session of a disconnected member only if no member is connected.
 */
class SharedSubscriptions {
  readonly #store: SessionStore;
  /** Links of connected clients by session key. */
  readonly #links: ReadonlyMap<string, ApplicationLink>;

  constructor(store: SessionStore, links: ReadonlyMap<string, ApplicationLink>) {
    this.#store = store;
    this.#links = links;
  }

  deliver(space: string, message: SharedMessage): void {
    for (const group of this.#store.sharedGroups.match(space, message.topic)) this.#deliverTo(group, message);
  }

  #deliverTo(group: SharedGroup, message: SharedMessage): void {
    const keys = [...group.members.keys()];
    const from = group.turn++ % keys.length;
    const inTurn = [...keys.slice(from), ...keys.slice(0, from)];
    const here = inTurn.filter((key) => this.#links.has(key));
    const key = here.find((member) => this.#links.get(member)?.isCongested() === false) ?? here[0];
    const link = key === undefined ? undefined : this.#links.get(key);
    if (key === undefined || link === undefined) this.#queue(group, inTurn, message);
    else link.deliver({ ...message, retain: false, qos: qosOf(group, key, message) });
  }

  #queue(group: SharedGroup, keys: readonly string[], message: SharedMessage): void {
    for (const key of keys) {
      const session = this.#store.get(key);
      const qos = qosOf(group, key, message);
      if (session === undefined || qos === 0) continue;
      const { topic, payload } = message;
      this.#store.enqueue(session, { topic: toBroker(session.space, topic), payload, qos, retain: false });
      return;
    }
  }
}

const qosOf = ({ members }: SharedGroup, key: string, { qos }: SharedMessage): Qos => {
  const granted = members.get(key)?.qos ?? 0;
  return qos < granted ? qos : granted;
};

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
