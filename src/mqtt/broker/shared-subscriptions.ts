import type { Qos } from "../../lib/mqtt/packets.ts";
import type { SessionStore } from "../session/session-store.ts";
import { toBroker } from "../topics/topics.ts";
import type { ApplicationLink } from "./client-link.types.ts";
import type { SharedGroup } from "./shared-groups.ts";

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
export class SharedSubscriptions {
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
