import { excerpt } from "../lib/excerpt.ts";
import type { RefusedMessages } from "../modules/mqtt-clients/mqtt-clients.types.ts";

const TOPIC_CHARACTERS_MAX = 256;
/** Number of clients that are remembered; beyond it the one whose newest refusal is the oldest is forgotten. */
const CLIENTS_MAX = 1_000;

/**
 * Messages that clients have published on topics that are not theirs, since the gateway started. An MQTT 3.1.1 client gets its
 * acknowledgement all the same (MQTT-3.3.5-2), so that nobody else would hear of it.
 */
export class RefusedTopics {
  readonly #now: () => number;
  /** Keyed by client; the one with the newest refusal last. */
  readonly #refused = new Map<string, RefusedMessages>();

  constructor(now: () => number) {
    this.#now = now;
  }

  add(clientId: string, topic: string): void {
    const messages = (this.#refused.get(clientId)?.messages ?? 0) + 1;
    this.#refused.delete(clientId);
    this.#refused.set(clientId, {
      messages,
      topic: excerpt(topic, TOPIC_CHARACTERS_MAX),
      refusedAt: this.#now(),
    });
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > CLIENTS_MAX && oldest !== undefined) this.#refused.delete(oldest);
  }

  of(clientId: string): RefusedMessages | undefined {
    return this.#refused.get(clientId);
  }
}
