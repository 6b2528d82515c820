import { PUBREC } from "../lib/mqtt/packet-writer.ts";
import type { Qos, Subscription } from "../lib/mqtt/packets.ts";
import type { TopicTree } from "../lib/mqtt/topic-tree.ts";
import { ClientFilters, isShared } from "./client-filters.ts";
import type { BrokerMessage, ClientLink, Done, LinkOptions } from "./client-link.types.ts";
import { fromBrokerTopic } from "./topics.ts";

const ID_MAX = 65_535;

/** A subscription of a client that has no durable session. */
export interface DirectSubscription {
  readonly link: DirectLink;
  readonly qos: Qos;
  readonly noLocal: boolean;
  readonly retainAsPublished: boolean;
}

/** A message that was just published, in its envelope and under the topic that clients name. */
export interface DirectMessage extends BrokerMessage {
  readonly retain: boolean;
}

/**
 * Place of a client whose session ends with its connection, in the space of a tenant's applications. Nothing is queued for it, so that messages reach it without
 * Aedes, which takes several turns of the event loop for each.
 */
export class DirectLink implements ClientLink {
  readonly brokerClientId: string;
  readonly space: string;
  readonly filters = new ClientFilters();
  readonly readsQueue = false;
  readonly #options: LinkOptions;
  readonly #tree: TopicTree<DirectSubscription>;
  readonly #subscriptions = new Map<string, DirectSubscription>();
  readonly #idsInUse = new Set<number>();
  #lastId = 0;
  #closed = false;

  constructor(options: LinkOptions, tree: TopicTree<DirectSubscription>) {
    this.brokerClientId = options.brokerClientId;
    this.space = options.space;
    this.#options = options;
    this.#tree = tree;
  }

  isCongested(): boolean {
    return this.#options.sink.isCongested();
  }

  subscribe(subscriptions: readonly Subscription[], done: Done): void {
    for (const { topic, qos, noLocal, retainAsPublished, identifier } of subscriptions) {
      this.#drop(topic);
      this.filters.add(topic, { qos, identifier });
      this.filters.activate(topic);
      if (isShared(topic)) continue;
      const subscription = { link: this, qos, noLocal, retainAsPublished };
      this.#subscriptions.set(topic, subscription);
      this.#tree.add(topic, subscription);
    }
    if (subscriptions.some(({ topic }) => isShared(topic))) this.#options.sharedChanged();
    done();
  }

  unsubscribe(filters: readonly string[], done: Done): void {
    for (const filter of filters) {
      this.#drop(filter);
      this.filters.delete(filter);
    }
    if (filters.some(isShared)) this.#options.sharedChanged();
    done();
  }

  sendRetained(message: BrokerMessage): void {
    this.deliver({ ...message, topic: fromBrokerTopic(message.topic), retain: true });
  }

  send(message: BrokerMessage): void {
    this.deliver({ ...message, topic: fromBrokerTopic(message.topic), retain: false });
  }

  deliver({ topic, payload, qos, retain }: DirectMessage): void {
    if (this.#closed) return;
    const packetId = qos > 0 ? this.#newId() : 0;
    this.#options.sink.deliver({ topic, payload, qos, retain, duplicate: false, packetId });
  }

  acknowledge(header: number, packetId: number): void {
    if (header === PUBREC) this.#options.sink.release(packetId);
    else this.#idsInUse.delete(packetId);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const filter of [...this.#subscriptions.keys()]) this.#drop(filter);
    this.#options.closed();
  }

  #drop(filter: string): void {
    const subscription = this.#subscriptions.get(filter);
    if (subscription === undefined) return;
    this.#subscriptions.delete(filter);
    this.#tree.delete(filter, subscription);
  }

  /** The window of a client is far smaller than the number of identifiers. */
  #newId(): number {
    do this.#lastId = this.#lastId === ID_MAX ? 1 : this.#lastId + 1;
    while (this.#idsInUse.has(this.#lastId));
    this.#idsInUse.add(this.#lastId);
    return this.#lastId;
  }
}

interface Receiver {
  qos: Qos;
  retain: boolean;
}

/** Hands a message to the subscribers among `subscriptions`, once to each client, with the best of its subscriptions. */
export function deliverDirectly(
  subscriptions: readonly DirectSubscription[],
  message: DirectMessage,
  from: string | undefined,
): void {
  const receivers = new Map<DirectLink, Receiver>();
  for (const { link, qos, noLocal, retainAsPublished } of subscriptions) {
    if (noLocal && from === link.brokerClientId) continue;
    const granted = Math.min(qos, message.qos) as Qos; // one of the two
    const retain = message.retain && retainAsPublished;
    const existing = receivers.get(link);
    if (existing === undefined) receivers.set(link, { qos: granted, retain });
    else {
      if (granted > existing.qos) existing.qos = granted;
      existing.retain ||= retain;
    }
  }
  for (const [link, { qos, retain }] of receivers) link.deliver({ ...message, qos, retain });
}
