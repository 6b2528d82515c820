import { PUBREC } from "../lib/mqtt/packet-writer.ts";
import type { Subscription } from "../lib/mqtt/packets.ts";
import type { TopicTree } from "../lib/mqtt/topic-tree.ts";
import { ClientFilters, isShared } from "./client-filters.ts";
import type {
  ApplicationLink,
  ApplicationLinkOptions,
  BrokerMessage,
  Done,
  LinkMessage,
} from "./client-link.types.ts";
import { PacketIds } from "./packet-ids.ts";
import type { ReceiverSubscription } from "./receivers.ts";
import type { SessionOwner } from "./session.ts";
import type { SharedGroups } from "./shared-groups.ts";
import type { SubscriptionCounts } from "./subscription-counts.ts";
import { fromBrokerTopic } from "./topics.ts";

/** Subscriptions of the clients of one space that have no durable session. */
export type DirectTree = TopicTree<DirectLink, ReceiverSubscription<DirectLink>>;

/** Registries that find and count a client's subscriptions. */
export interface DirectPlace {
  /** Session key. */
  readonly key: string;
  readonly owner: SessionOwner;
  readonly tree: DirectTree;
  readonly sharedGroups: SharedGroups;
  readonly counts: SubscriptionCounts;
}

/**
 * Place of a client whose session ends with its connection, in the space of a tenant's applications. Nothing is queued for it, so that messages reach it without
 * Aedes, which takes several turns of the event loop for each.
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
