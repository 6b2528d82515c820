import { SYSTEM_LEVEL } from "../../lib/mqtt/reserved-topics.ts";
import { filterMatches } from "../../lib/mqtt/topic-filters.ts";
import type { TenantsService } from "../../modules/tenants/tenants.service.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { MqttApplication, MqttServer, StateReceiver } from "../mqtt.types.ts";

/** Interval of publications, like the default `sys_interval` of Mosquitto. */
const INTERVAL_MS = 10_000;

interface SystemTopicsDeps {
  readonly mqtt: MqttServer;
  readonly tenants: Pick<TenantsService, "find" | "list">;
  /** Version of the product. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Counters of the broker under `$SYS/broker/…`, with the names of Mosquitto (mosquitto(8), "Broker status"). They describe the whole gateway, so
 * only clients of its own tenant receive them, and require a filter that starts with `$SYS/`.
 */
export class SystemTopics {
  readonly #deps: SystemTopicsDeps;
  readonly #publishing: ReturnType<typeof createPeriodic>;
  readonly #startedAt: number;

  constructor(deps: SystemTopicsDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#startedAt = clock.monotonic();
    this.#publishing = createPeriodic({ clock, log, intervalMs: INTERVAL_MS, work: () => this.#publish() });
  }

  start(): void {
    this.#publishing.start();
  }

  stop(): void {
    this.#publishing.stop();
  }

  /** Sends the current counters to a new subscription, like retained messages. */
  onSubscribed({ tenantId }: MqttApplication, filter: string, receiver: StateReceiver): void {
    if (!filter.startsWith(`${SYSTEM_LEVEL}/`) || this.#deps.tenants.find(tenantId)?.isHost !== true) return;
    for (const [topic, value] of this.#counters())
      if (filterMatches(filter, topic)) receiver.send(topic, value);
  }

  #publish(): void {
    const { mqtt, tenants, log } = this.#deps;
    const { applications } = mqtt;
    if (applications.idle) return;
    const host = tenants.list().find(({ isHost }) => isHost);
    if (host === undefined) return;
    for (const [topic, value] of this.#counters())
      applications
        .publish(host.tenantId, topic, value, { qos: 0, retain: false })
        .catch((error) => log.debug("a counter was not published", { error }));
  }

  #counters(): [topic: string, value: Uint8Array][] {
    const { mqtt, clock, version } = this.#deps;
    const stats = mqtt.stats();
    const uptimeSeconds = Math.floor((clock.monotonic() - this.#startedAt) / 1000);
    const values = {
      version: `Lineside ${version}`,
      uptime: `${uptimeSeconds} seconds`,
      "clients/connected": stats.connections,
      "messages/received": stats.messagesIn,
      "messages/sent": stats.messagesOut,
      "publish/messages/dropped": stats.messagesDropped,
      "bytes/received": stats.bytesIn,
    };
    return Object.entries(values).map(([name, value]) => [
      `${SYSTEM_LEVEL}/broker/${name}`,
      Buffer.from(String(value)),
    ]);
  }
}
