import type { TenantId } from "../lib/ids.ts";
import type { TopicState } from "../modules/mqtt-clients/mqtt-clients.types.ts";
import type { Clock } from "../platform/clock.ts";
import type { PublishedMessage } from "./mqtt.types.ts";

/** Max. topics that are kept for one tenant; the least recently used are dropped. */
const TOPICS_MAX = 5_000;
const PAYLOAD_BYTES_MAX = 4_096;
/** Characters of their names and bytes of their payloads together: a name may have 65,535. */
const BYTES_MAX = 16 * 1024 * 1024;
/** Time constant of the rate. */
const RATE_MS = 10_000;

interface Topic extends Omit<TopicState, "topic" | "perSecond"> {
  /** Number of messages with exponential decay, from which the rate is computed. */
  readonly weight: number;
  /** Monotonic ms. */
  readonly seenAt: number;
}

interface Topics {
  /** Those with the newest messages last. */
  readonly byName: Map<string, Topic>;
  bytes: number;
}

function forgetTopic(topics: Topics, name: string): Topic | undefined {
  const topic = topics.byName.get(name);
  if (topic === undefined) return undefined;
  topics.byName.delete(name);
  topics.bytes -= name.length + topic.payload.length;
  return topic;
}

const decayed = (weight: number, elapsedMs: number): number => weight * Math.exp(-elapsedMs / RATE_MS);

/** Newest message of each topic on which the clients of a tenant publish, for the topic browser. */
export class TopicLog {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #tenants = new Map<TenantId, Topics>();

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
  }

  record(tenantId: TenantId, { topic, payload, qos, retain }: PublishedMessage): void {
    const topics = this.#tenants.get(tenantId) ?? { byName: new Map<string, Topic>(), bytes: 0 };
    this.#tenants.set(tenantId, topics);
    const before = forgetTopic(topics, topic);
    const seenAt = this.#clock.monotonic();
    const shown = new Uint8Array(payload.subarray(0, PAYLOAD_BYTES_MAX)); // a copy: the bytes are the sender's
    topics.bytes += topic.length + shown.length;
    topics.byName.set(topic, {
      payload: shown,
      bytes: payload.length,
      qos,
      isRetained: retain ? payload.length > 0 : (before?.isRetained ?? false),
      receivedAt: this.#clock.now(),
      messages: (before?.messages ?? 0) + 1,
      weight: 1 + (before === undefined ? 0 : decayed(before.weight, seenAt - before.seenAt)),
      seenAt,
    });
    for (const name of topics.byName.keys()) {
      if (topics.byName.size <= TOPICS_MAX && topics.bytes <= BYTES_MAX) return;
      forgetTopic(topics, name);
    }
  }

  list(tenantId: TenantId, prefix: string): TopicState[] {
    const now = this.#clock.monotonic();
    const found: TopicState[] = [];
    for (const [topic, { weight, seenAt, ...state }] of this.#tenants.get(tenantId)?.byName ?? []) {
      if (!topic.startsWith(prefix)) continue;
      const perSecond = Math.round((decayed(weight, now - seenAt) / RATE_MS) * 100_000) / 100;
      found.push({ topic, ...state, perSecond });
    }
    return found.sort((a, b) => (a.topic < b.topic ? -1 : 1));
  }

  forget(tenantId: TenantId): void {
    this.#tenants.delete(tenantId);
  }
}
