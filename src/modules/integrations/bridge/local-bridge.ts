import { DomainError, unavailable } from "../../../lib/core/domain-error.ts";
import type { TenantId } from "../../../lib/core/ids.ts";
import type { BodyEncoding } from "../../../lib/json/body.ts";
import { filterMatches, withoutShare } from "../../../lib/mqtt/topic-filters.ts";
import type { BrokerMessage } from "../../../platform/broker/broker.types.ts";
import type { Logger } from "../../../platform/core/log.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { LocalMessage, LocalTopics, TopicState } from "../../mqtt-clients/mqtt-clients.types.ts";
import type { MqttSettings } from "../integrations.types.ts";
import type { AnnouncedTopics, Bridge, BridgeMessage, BridgeState } from "./bridge.types.ts";
import { BridgeRecord } from "./bridge-record.ts";
import { MessageTaker } from "./message-taker.ts";
import { compileTopicDevice, filtersOf } from "./topic-device.ts";

/** `brokerUrl` of an integration that follows the topics of the tenant's own MQTT clients. */
export const LOCAL_BROKER = "local:";

/** Max. wait, and max. number of waiting messages, while the rate of a device is exhausted. Clients do not wait by themselves. */
const LIMITED_WAIT_MS = 60_000;
const LIMITED_MESSAGES_MAX = 1_000;

interface LocalBridgeDeps {
  readonly integrationId: string;
  readonly tenantId: TenantId;
  readonly settings: MqttSettings;
  readonly encoding?: BodyEncoding | undefined;
  readonly announced?: AnnouncedTopics | undefined;
  /** True if the integration has not received a message yet; it then starts with the newest message of each topic. */
  readonly isNew?: boolean | undefined;
  readonly topics: LocalTopics;
  /** Resolves when the message or its error is on disk. */
  readonly handle: (message: BridgeMessage) => Promise<void>;
  readonly onState: (state: BridgeState) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Bridge to the embedded broker: processes the messages of the tenant's MQTT clients without a network connection. A client gets its acknowledgement
 * once the message is stored.
 */
export class LocalBridge implements Bridge {
  readonly #deps: LocalBridgeDeps;
  readonly #record: BridgeRecord;
  readonly #stopping = new AbortController();
  #unfollow: (() => void) | undefined;

  constructor(deps: LocalBridgeDeps) {
    this.#deps = deps;
    this.#record = new BridgeRecord(deps);
  }

  get state(): BridgeState {
    return this.#record.state;
  }

  start(): void {
    const { integrationId, log } = this.#deps;
    this.#follow().catch((error) => log.error("starting a local mapping failed", { integrationId, error }));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unfollow?.();
    this.#unfollow = undefined;
    this.#record.change({ status: "stopped", subscriptions: [] });
  }

  /** Stops the bridge. The embedded broker keeps no session for it. */
  end(): Promise<void> {
    return this.stop();
  }

  /** Does nothing: the embedded broker checks for each message whether its topic was announced. */
  topicsChanged(): void {}

  async publish({ topic, payload, qos, retain = false }: BrokerMessage): Promise<void> {
    if (this.#unfollow === undefined) throw unavailable("integration.not_connected");
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    await this.#deps.topics.publish(this.#deps.tenantId, {
      topic,
      payload: bytes,
      qos: qos > 0 ? 1 : 0,
      retain,
    });
  }

  async reply(message: BrokerMessage): Promise<boolean> {
    await this.publish(message);
    return true;
  }

  async #follow(): Promise<void> {
    const { integrationId, settings, tenantId, encoding, announced, topics, handle, clock, log } = this.#deps;
    const taker = new MessageTaker({
      integrationId,
      settings,
      encoding,
      announced,
      deviceIn: await compileTopicDevice(settings),
      handle,
      counts: this.#record.counts,
      limits: { waitMs: LIMITED_WAIT_MS, waiting: LIMITED_MESSAGES_MAX },
      note: (lastError) => this.#record.change({ lastError, lastErrorAt: clock.now() }),
      signal: this.#stopping.signal,
      clock,
      log,
    });
    if (this.#stopping.signal.aborted) return;
    const filters = filtersOf(settings).map(withoutShare);
    // Subscribed before listing, so that nothing published meanwhile is missed.
    const newest = this.#deps.isNew === true ? topics.newest(tenantId) : [];
    this.#unfollow = topics.follow(
      tenantId,
      filters,
      (message) => take(taker, message, { retain: false }),
      announced?.topics,
    );
    this.#record.change({
      status: "connected",
      subscriptions: filtersOf(settings).map((filter) => ({ filter, qos: 2 as const })),
    });
    const earlier = (message: LocalMessage, retain: boolean, receivedAt?: number) =>
      take(taker, message, { retain, receivedAt }).catch((error) =>
        log.warn("earlier message not accepted", { integrationId, topic: message.topic, error }),
      );
    for (const message of this.#retained(filters)) {
      await earlier(message, true);
      await workShare.pause(); // ignored messages are taken without waiting
    }
    for (const message of newest.toSorted((a, b) => a.receivedAt - b.receivedAt)) {
      if (this.#isEarlier(message, filters)) await earlier(message, false, message.receivedAt);
      await workShare.pause();
    }
  }

  /** Returns whether a new mapping starts with the message, so that its devices appear immediately. */
  #isEarlier({ topic, payload, bytes, isRetained }: TopicState, filters: readonly string[]): boolean {
    const { announced, settings } = this.#deps;
    const isFollowed = filters.some((filter) => filterMatches(filter, topic));
    const isTaken = isRetained && (settings.takeRetained === true || (announced !== undefined && isFollowed));
    return !isTaken && payload.length === bytes && (isFollowed || announced?.topics.has(topic) === true);
  }

  /** Yields announcements first, so that the retained states of announced topics can be read. */
  *#retained(filters: readonly string[]): Iterable<LocalMessage> {
    const { announced, settings, tenantId, topics } = this.#deps;
    if (settings.takeRetained !== true && announced === undefined) return;
    for (const filter of filters) yield* topics.retained(tenantId, filter);
    if (settings.takeRetained === true)
      for (const topic of [...(announced?.topics.keys() ?? [])]) yield* topics.retained(tenantId, topic);
  }
}

/** Passes a message to the taker. @throws DomainError `unavailable` if nothing can be stored now, so that the client sends the message again */
async function take(
  taker: MessageTaker,
  { topic, payload, qos }: LocalMessage,
  { retain, receivedAt }: { readonly retain: boolean; readonly receivedAt?: number | undefined },
): Promise<void> {
  const packetId = qos === 0 ? 0 : 1;
  const copy = Buffer.from(payload); // the bytes are the connection's
  const outcome = await taker.take(
    { topic, payload: copy, qos, retain, packetId, duplicate: false },
    receivedAt,
  );
  if (outcome.kind === "later" && qos > 0) throw new DomainError("unavailable", outcome.reason);
}
