import { PUBREC } from "../../lib/mqtt/packet-writer.ts";
import type { Subscription } from "../../lib/mqtt/packets.ts";
import type { QueuedMessage, Session } from "../session/session.ts";
import type { SessionStore } from "../session/session-store.ts";
import { fromBrokerTopic, toBroker } from "../topics/topics.ts";
import { ClientFilters } from "./client-filters.ts";
import type {
  ApplicationLink,
  ApplicationLinkOptions,
  BrokerMessage,
  Done,
  LinkMessage,
} from "./client-link.types.ts";
import { PacketIds } from "./packet-ids.ts";

/**
 * Link of a client with a durable session, in the space of the applications of a tenant. Messages of QoS 1 and 2 are in the queue of the session
 * from their publication until the client has acknowledged them. They are sent from there in order, within the window of the client.
 */
export class DurableLink implements ApplicationLink {
  readonly brokerClientId: string;
  readonly space: string;
  readonly filters = new ClientFilters();
  readonly isQueueSent = true;
  readonly #options: ApplicationLinkOptions;
  readonly #session: Session;
  readonly #store: SessionStore;
  readonly #ids = new PacketIds();
  /** Number of the last queued message sent on this connection. */
  #sentNo = 0;
  #isReady = false;
  #isSending = false;
  #closed = false;

  constructor(options: ApplicationLinkOptions, session: Session, store: SessionStore) {
    this.brokerClientId = options.brokerClientId;
    this.space = options.space;
    this.#options = options;
    this.#session = session;
    this.#store = store;
    for (const [filter, subscription] of session.subscriptions)
      this.#add(fromBrokerTopic(filter), subscription);
    for (const { messageId } of session.queue) if (messageId !== undefined) this.#ids.reserve(messageId);
  }

  isCongested(): boolean {
    return this.#options.sink.isCongested();
  }

  subscribe(subscriptions: readonly Subscription[], done: Done): void {
    for (const subscription of subscriptions) {
      const {
        topic,
        qos,
        noLocal: nl,
        retainAsPublished: rap,
        retainHandling: rh,
        identifier,
      } = subscription;
      this.#store.subscribe(this.#session, toBroker(this.space, topic), { qos, nl, rap, rh, identifier });
      this.#add(topic, subscription);
    }
    done();
  }

  unsubscribe(filters: readonly string[], done: Done): void {
    const stored = filters.map((filter) => toBroker(this.space, filter));
    this.#store.unsubscribe(this.#session, stored);
    for (const filter of filters) this.filters.delete(filter);
    done();
  }

  sendRetained(message: BrokerMessage): void {
    this.deliver({ ...message, topic: fromBrokerTopic(message.topic), retain: true });
  }

  deliver(message: LinkMessage): void {
    if (this.#closed) return;
    if (message.qos === 0) this.#options.sink.deliver({ ...message, duplicate: false, packetId: 0 });
    else {
      this.#store.enqueue(this.#session, { ...message, topic: toBroker(this.space, message.topic) });
      this.#sendMore();
    }
  }

  resume(): void {
    this.#isReady = true;
    this.#sendMore();
  }

  whenReady(call: () => void): void {
    call();
  }

  whenQueueSent(call: () => void): void {
    call();
  }

  acknowledge(header: number, packetId: number): void {
    const { queue } = this.#session;
    const index = queue.findIndex(({ messageId }) => messageId === packetId);
    const message = queue[index];
    if (header === PUBREC) {
      if (message !== undefined) {
        message.released = true;
        this.#store.messageChanged(this.#session, message);
      }
      this.#options.sink.release(packetId);
    } else {
      this.#ids.release(packetId);
      if (message !== undefined) this.#store.remove(this.#session, index);
      this.#sendMore();
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.closed();
  }

  #sendMore(): void {
    // A message that the client cannot accept is dropped while it is sent, which calls this again.
    if (!this.#isReady || this.#isSending || this.#closed) return;
    this.#isSending = true;
    while (this.#options.sink.hasRoom()) {
      const message = this.#nextMessage();
      if (message === undefined) break;
      this.#sentNo = message.no;
      this.#send(message);
    }
    this.#isSending = false;
  }

  #add(filter: string, subscription: Pick<Subscription, "qos" | "identifier">): void {
    this.filters.add(filter, subscription);
    this.filters.activate(filter);
  }

  /** Returns the first unsent message of this connection by binary search, because the numbers of a queue ascend. */
  #nextMessage(): QueuedMessage | undefined {
    const { queue } = this.#session;
    let low = 0;
    let high = queue.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((queue[middle]?.no ?? 0) <= this.#sentNo) low = middle + 1;
      else high = middle;
    }
    return queue[low];
  }

  #send(message: QueuedMessage): void {
    const { topic, payload, qos, retain, messageId } = message;
    const { sink } = this.#options;
    if (messageId !== undefined && message.released) {
      sink.release(messageId);
      return;
    }
    const packetId = messageId ?? this.#ids.take();
    if (messageId === undefined) {
      message.messageId = packetId;
      this.#store.messageChanged(this.#session, message);
    }
    const duplicate = messageId !== undefined;
    sink.deliver({ topic: fromBrokerTopic(topic), payload, qos, retain, duplicate, packetId });
  }
}
