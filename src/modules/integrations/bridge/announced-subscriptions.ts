import type { BrokerConnection } from "../../../platform/broker/broker-connection.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Logger } from "../../../platform/log.ts";
import type { MqttSettings } from "../integrations.types.ts";
import type { AnnouncedTopics } from "./bridge.types.ts";

/** Announcements come in bursts: the broker is asked once for all of them. */
const BATCH_DELAY_MS = 200;
const TOPICS_PER_REQUEST_MAX = 100;

interface AnnouncedSubscriptionsDeps {
  readonly integrationId: string;
  readonly settings: MqttSettings;
  readonly announced?: AnnouncedTopics | undefined;
  readonly clock: Pick<Clock, "schedule">;
  readonly log: Logger;
}

/** Subscriptions of one connection to the topics that devices have announced. */
export class AnnouncedSubscriptions {
  readonly #subscribed = new Set<string>();
  #isPending = false;

  constructor(
    private readonly connection: Pick<BrokerConnection, "subscribe" | "unsubscribe">,
    private readonly deps: AnnouncedSubscriptionsDeps,
  ) {}

  /** Subscribes to what is missing, and unsubscribes from what is no longer announced, after a delay. */
  update(): void {
    const { announced, clock, integrationId, log } = this.deps;
    if (announced === undefined || this.#isPending) return;
    this.#isPending = true;
    clock.schedule(BATCH_DELAY_MS, () => {
      this.#apply(announced)
        .catch((error) => log.debug("announced topics were not subscribed to", { integrationId, error }))
        .finally(() => {
          this.#isPending = false;
          if (this.#isBehind(announced)) this.update();
        });
    });
  }

  /** Returns whether topics were announced while the broker was asked. A broker that refuses a topic is not asked again. */
  #isBehind({ topics }: AnnouncedTopics): boolean {
    return [...topics.keys()].some((topic) => !this.#subscribed.has(topic));
  }

  async #apply({ topics }: AnnouncedTopics): Promise<void> {
    const { settings } = this.deps;
    const missing = [...topics.keys()].filter((topic) => !this.#subscribed.has(topic));
    const former = [...this.#subscribed].filter((topic) => !topics.has(topic));
    for (const topic of missing) this.#subscribed.add(topic);
    for (const topic of former) this.#subscribed.delete(topic);
    for (let start = 0; start < missing.length; start += TOPICS_PER_REQUEST_MAX)
      await this.connection.subscribe({
        filters: missing.slice(start, start + TOPICS_PER_REQUEST_MAX),
        qos: settings.qos ?? 1,
        takeRetained: settings.takeRetained ?? false,
      });
    for (let start = 0; start < former.length; start += TOPICS_PER_REQUEST_MAX)
      await this.connection.unsubscribe(former.slice(start, start + TOPICS_PER_REQUEST_MAX));
  }
}
