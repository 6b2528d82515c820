import { Readable } from "node:stream";
import type { AedesPublishPacket, Subscription } from "aedes";
import { filterMatches } from "../../lib/mqtt/topic-filters.ts";
import { type QueuedMessage, type Session, sessionKeyOf } from "../session/session.ts";
import type { SessionStore } from "../session/session-store.ts";
import { spaceOf } from "../topics/topics.ts";
import { AedesLink } from "./aedes-link.ts";

type StoredSubscription = Subscription & { readonly identifier?: number };

interface ClientRef {
  readonly id: string;
  readonly conn?: unknown;
}

/** PUBLISH to a client, or the PUBREL that follows it. */
interface OutgoingPacket {
  readonly cmd?: string;
  readonly brokerId?: string;
  readonly brokerCounter?: number;
  readonly messageId?: number | undefined;
}

const bytesOf = (payload: string | Buffer | undefined) =>
  typeof payload === "string" ? Buffer.from(payload) : (payload ?? Buffer.alloc(0));

/** Returns the first subscription above QoS 0 that matches a topic, for which the session keeps the message. */
export function keepingMatch(
  { subscriptions }: Session,
  topic: string,
): { topic: string; qos: number } | undefined {
  for (const [filter, { qos }] of subscriptions)
    if (qos > 0 && filterMatches(filter, topic)) return { topic: filter, qos };
  return undefined;
}

/**
 * Persistence for Aedes 1.2, implemented by the session store. Topics start with `<space>/`, so only the sessions of that space are searched: one
 * for a device, otherwise those of the applications of a tenant.
 */
export class BrokerPersistence {
  readonly #store: SessionStore;
  /** QoS 2 messages published by a client, by broker client id and packet identifier. */
  readonly #incoming = new Map<string, Map<number, AedesPublishPacket>>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  async setup(): Promise<void> {}

  async storeRetained(packet: AedesPublishPacket): Promise<void> {
    this.#store.retain({ topic: packet.topic, payload: bytesOf(packet.payload), qos: packet.qos });
  }

  /** Returns nothing: the front sends retained messages, because it knows the retain handling of each subscription. */
  createRetainedStreamCombi(): Readable {
    return Readable.from([]);
  }

  async addSubscriptions(client: ClientRef, subscriptions: StoredSubscription[]): Promise<void> {
    const session = this.#session(client);
    if (session === undefined) return;
    for (const { topic, qos, nl = false, rap = false, rh = 0, identifier = 0 } of subscriptions) {
      this.#store.subscribe(session, topic, { qos, nl, rap, rh, identifier });
    }
  }

  async removeSubscriptions(client: ClientRef, topics: string[]): Promise<void> {
    const session = this.#session(client);
    if (session !== undefined) this.#store.unsubscribe(session, topics);
  }

  async subscriptionsByClient(client: ClientRef): Promise<Subscription[]> {
    const subscriptions = this.#session(client)?.subscriptions ?? new Map();
    return [...subscriptions].map(([topic, subscription]) => ({ topic, ...subscription }));
  }

  async subscriptionsByTopic(topic: string): Promise<{ clientId: string; topic: string; qos: number }[]> {
    const subscribers = [];
    for (const session of this.#store.inSpace(spaceOf(topic))) {
      const match = keepingMatch(session, topic);
      if (match !== undefined) subscribers.push({ clientId: `${session.key}#`, ...match });
    }
    return subscribers;
  }

  /** Does nothing: the front has already cleared a session with a clean start. */
  async cleanSubscriptions(): Promise<void> {}

  async outgoingEnqueue(subscription: { clientId: string }, packet: AedesPublishPacket): Promise<void> {
    this.#enqueue(subscription.clientId, packet);
  }

  async outgoingEnqueueCombi(
    subscriptions: { clientId: string }[],
    packet: AedesPublishPacket,
  ): Promise<void> {
    for (const { clientId } of subscriptions) this.#enqueue(clientId, packet);
  }

  async outgoingUpdate(client: ClientRef, packet: OutgoingPacket): Promise<void> {
    const session = this.#session(client);
    const message = session?.queue.find((queued) =>
      packet.cmd === "pubrel"
        ? queued.messageId === packet.messageId
        : queued.brokerId === packet.brokerId && queued.brokerCounter === packet.brokerCounter,
    );
    // A message that was dropped from a full queue need not be found.
    if (session === undefined || message === undefined) return;
    if (packet.cmd === "pubrel") message.released = true;
    else message.messageId = packet.messageId;
    this.#store.messageChanged(session, message);
  }

  async outgoingClearMessageId(
    client: ClientRef,
    packet: OutgoingPacket,
  ): Promise<QueuedMessage | undefined> {
    const session = this.#session(client);
    if (session === undefined || packet.messageId === undefined) return undefined;
    const index = session.queue.findIndex((queued) => queued.messageId === packet.messageId);
    return index < 0 ? undefined : this.#store.remove(session, index);
  }

  outgoingStream(client: ClientRef): Readable {
    const queued = this.#session(client)?.queue ?? [];
    const queue = client.conn instanceof AedesLink ? client.conn.readQueue(queued) : queued;
    const packets = queue.map((message) =>
      message.released
        ? {
            cmd: "pubrel",
            messageId: message.messageId,
            brokerId: message.brokerId,
            brokerCounter: message.brokerCounter,
          }
        : { ...message, cmd: "publish", dup: message.messageId !== undefined },
    );
    return Readable.from(packets);
  }

  async incomingStorePacket(client: ClientRef, packet: AedesPublishPacket): Promise<void> {
    const packets = this.#incoming.get(client.id) ?? new Map<number, AedesPublishPacket>();
    this.#incoming.set(client.id, packets);
    if (packet.messageId !== undefined) packets.set(packet.messageId, packet);
  }

  async incomingGetPacket(client: ClientRef, packet: OutgoingPacket): Promise<AedesPublishPacket> {
    const found = this.#incoming.get(client.id)?.get(packet.messageId ?? 0);
    if (found === undefined) throw new Error("no such packet");
    return found;
  }

  async incomingDelPacket(client: ClientRef, packet: OutgoingPacket): Promise<void> {
    this.#incoming.get(client.id)?.delete(packet.messageId ?? 0);
  }

  async cleanIncoming(client: ClientRef): Promise<void> {
    this.#incoming.delete(client.id);
  }

  /** Does nothing: the front keeps wills. */
  async putWill(): Promise<void> {}
  async delWill(): Promise<void> {}
  streamWill(): Readable {
    return Readable.from([]);
  }

  async destroy(): Promise<void> {}

  #session(client: ClientRef): Session | undefined {
    return this.#store.get(sessionKeyOf(client.id));
  }

  #enqueue(clientId: string, packet: AedesPublishPacket): void {
    const session = this.#store.get(sessionKeyOf(clientId));
    if (session === undefined) return;
    this.#store.enqueue(session, {
      brokerId: packet.brokerId,
      brokerCounter: packet.brokerCounter,
      topic: packet.topic,
      payload: bytesOf(packet.payload),
      qos: packet.qos,
      retain: false,
    });
  }
}
