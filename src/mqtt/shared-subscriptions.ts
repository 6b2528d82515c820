import type { Qos } from "../lib/mqtt/packets.ts";
import { clientFilterMatches } from "../lib/mqtt/reserved-topics.ts";
import { readSharedFilter } from "../lib/mqtt/topic-filters.ts";
import type { ApplicationLink } from "./client-link.types.ts";
import { isApplicationSpace } from "./principal.ts";
import type { SessionStore } from "./session-store.ts";
import { fromBrokerTopic, toBroker } from "./topics.ts";

interface Group {
  readonly filter: string;
  /** Session key → highest QoS of the member. */
  readonly members: Map<string, Qos>;
  /** Number of messages that the group was sent; it selects the next member. */
  turn: number;
}

interface SharedMessage {
  /** As clients name it. */
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
}

/**
 * Shared subscriptions (MQTT 5, 4.8.2): one member of each group receives a message, in turn. Connected members come first; the
 * message waits in the session of a disconnected member only if no member of the group is connected.
 */
export class SharedSubscriptions {
  readonly #store: SessionStore;
  /** Session key → link of the connected client. */
  readonly #links: ReadonlyMap<string, ApplicationLink>;
  /** Space → its groups, by their subscription. */
  readonly #spaces = new Map<string, Map<string, Group>>();
  readonly #changed = new Set<string>();

  constructor(store: SessionStore, links: ReadonlyMap<string, ApplicationLink>) {
    this.#store = store;
    this.#links = links;
    for (const { space } of store.all()) if (isApplicationSpace(space)) this.#changed.add(space);
  }

  /** Marks the subscriptions of a space as changed: its next message reads them again. */
  changed(space: string): void {
    this.#changed.add(space);
  }

  /** A client is here. If it began a new session, the subscriptions of its last one are no longer its own. */
  attached(space: string, key: string): void {
    for (const { members } of this.#spaces.get(space)?.values() ?? [])
      if (members.has(key)) {
        this.changed(space);
        return;
      }
  }

  deliver(space: string, message: SharedMessage): void {
    if (this.#changed.delete(space)) this.#learn(space);
    for (const group of this.#spaces.get(space)?.values() ?? [])
      if (clientFilterMatches(group.filter, message.topic)) this.#deliverTo(group, message);
  }

  #learn(space: string): void {
    const before = this.#spaces.get(space);
    const groups = new Map<string, Group>();
    const add = (name: string, key: string, qos: Qos) => {
      const filter = readSharedFilter(name)?.filter;
      if (filter === undefined) return;
      const group = groups.get(name) ?? { filter, members: new Map(), turn: before?.get(name)?.turn ?? 0 };
      group.members.set(key, qos);
      groups.set(name, group);
    };
    for (const { key, subscriptions } of this.#store.inSpace(space))
      for (const [filter, { qos }] of subscriptions) add(fromBrokerTopic(filter), key, qos);
    for (const [key, link] of this.#links)
      if (link.space === space) for (const [filter, qos] of link.filters.granted()) add(filter, key, qos);
    if (groups.size === 0) this.#spaces.delete(space);
    else this.#spaces.set(space, groups);
  }

  #deliverTo(group: Group, message: SharedMessage): void {
    const keys = [...group.members.keys()];
    const from = group.turn++ % keys.length;
    const inTurn = [...keys.slice(from), ...keys.slice(0, from)];
    const here = inTurn.filter((key) => this.#links.has(key));
    const key = here.find((member) => this.#links.get(member)?.isCongested() === false) ?? here[0];
    const link = key === undefined ? undefined : this.#links.get(key);
    if (key === undefined || link === undefined) this.#queue(group, inTurn, message);
    else link.deliver({ ...message, retain: false, qos: qosOf(group, key, message) });
  }

  #queue(group: Group, keys: readonly string[], message: SharedMessage): void {
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

const qosOf = ({ members }: Group, key: string, { qos }: SharedMessage): Qos => {
  const granted = members.get(key) ?? 0;
  return qos < granted ? qos : granted;
};
