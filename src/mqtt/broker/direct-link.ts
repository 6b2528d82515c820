import { PUBREC } from "../../lib/mqtt/packet-writer.ts";
import type { Subscription } from "../../lib/mqtt/packets.ts";
import type { TopicTree } from "../../lib/mqtt/topic-tree.ts";
import type { SessionOwner } from "../session/session.ts";
import type { ReceiverSubscription } from "../topics/receivers.ts";
import { fromBrokerTopic } from "../topics/topics.ts";
import { ClientFilters, isShared } from "./client-filters.ts";
import type {
  ApplicationLink,
  ApplicationLinkOptions,
  BrokerMessage,
  Done,
  LinkMessage,
} from "./client-link.types.ts";
import { PacketIds } from "./packet-ids.ts";
import type { SharedGroups } from "./shared-groups.ts";
import type { SubscriptionCounts } from "./subscription-counts.ts";

/** Subscriptions of clients without a durable session in one space. */
export type DirectTree = TopicTree<DirectLink, ReceiverSubscription<DirectLink>>;

/** Registries for finding and counting subscriptions of a client. */
export interface SubscriptionRegistries {
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
  readonly #registries: SubscriptionRegistries;
  readonly #ids = new PacketIds();
  #closed = false;

  constructor(options: ApplicationLinkOptions, registries: SubscriptionRegistries) {
    this.brokerClientId = options.brokerClientId;
    this.space = options.space;
    this.#options = options;
    this.#registries = registries;
  }

  isCongested(): boolean {
    return this.#options.sink.isCongested();
  }

  subscribe(subscriptions: readonly Subscription[], done: Done): void {
    for (const { topic, qos, noLocal, retainAsPublished, identifier } of subscriptions) {
      const { key, owner, tree, sharedGroups, counts } = this.#registries;
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
    const { key, owner, tree, sharedGroups, counts } = this.#registries;
    counts.remove(owner, filter);
    if (isShared(filter)) sharedGroups.leave(this.space, filter, { key, by: this });
    else tree.delete(filter, this);
  }
}
