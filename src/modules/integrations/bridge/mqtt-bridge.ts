import {
  DomainError,
  detail,
  inEnglish,
  invalid,
  unavailable,
  unavailableDueTo,
} from "../../../lib/core/domain-error.ts";
import type { BodyEncoding } from "../../../lib/json/body.ts";
import { networkErrorText } from "../../../lib/network/network-error.ts";
import { backOffMs } from "../../../lib/network/retry-policy.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { BrokerMessage, GrantedSubscription } from "../../../platform/broker/broker.types.ts";
import { type BrokerConnection, openConnection } from "../../../platform/broker/broker-connection.ts";
import { clientIdOf } from "../../../platform/broker/client-id.ts";
import { InboundSession } from "../../../platform/broker/inbound-session.ts";
import type { TenantSpace } from "../../../platform/broker/inbound-space.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { OutboundRule } from "../../../platform/network/outbound-address.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { waitFor } from "../../../platform/time/wait-for.ts";
import type { MqttSettings } from "../integrations.types.ts";
import type { AnnouncedTopics, Bridge, BridgeMessage, BridgeState } from "./bridge.types.ts";
import { BridgeRecord } from "./bridge-record.ts";
import { MessageTaker } from "./message-taker.ts";
import { compileTopicDevice, filtersOf } from "./topic-device.ts";

/** Announcements arrive in bursts, which are subscribed to by one request. */
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
class AnnouncedSubscriptions {
  readonly #subscribed = new Set<string>();
  #isPending = false;

  readonly #connection: Pick<BrokerConnection, "subscribe" | "unsubscribe">;
  readonly #deps: AnnouncedSubscriptionsDeps;

  constructor(
    connection: Pick<BrokerConnection, "subscribe" | "unsubscribe">,
    deps: AnnouncedSubscriptionsDeps,
  ) {
    this.#connection = connection;
    this.#deps = deps;
  }

  /** Subscribes to missing topics, and unsubscribes from topics that are no longer announced, after a delay. */
  update(): void {
    const { announced, clock, integrationId, log } = this.#deps;
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

  /** Returns whether topics were announced during the last request. Topics that the broker refused are not requested again. */
  #isBehind({ topics }: AnnouncedTopics): boolean {
    return [...topics.keys()].some((topic) => !this.#subscribed.has(topic));
  }

  async #apply({ topics }: AnnouncedTopics): Promise<void> {
    const { settings } = this.#deps;
    const missing = [...topics.keys()].filter((topic) => !this.#subscribed.has(topic));
    const former = [...this.#subscribed].filter((topic) => !topics.has(topic));
    for (const topic of missing) this.#subscribed.add(topic);
    for (const topic of former) this.#subscribed.delete(topic);
    for (let start = 0; start < missing.length; start += TOPICS_PER_REQUEST_MAX)
      await this.#connection.subscribe({
        filters: missing.slice(start, start + TOPICS_PER_REQUEST_MAX),
        qos: settings.qos ?? 1,
        takeRetained: settings.takeRetained ?? false,
      });
    for (let start = 0; start < former.length; start += TOPICS_PER_REQUEST_MAX)
      await this.#connection.unsubscribe(former.slice(start, start + TOPICS_PER_REQUEST_MAX));
  }
}

const WAIT_MS_MAX = 60_000;
/** Time after which a connection counts as successful and resets the back-off. */
const HELD_MS = 30_000;

/** Fixed header, lengths and packet id, with empty properties. */
const PACKET_HEAD_BYTES = 10;

export interface MqttBridgeDeps {
  readonly integrationId: string;
  /** Settings with the decrypted secrets. */
  readonly settings: MqttSettings;
  readonly encoding?: BodyEncoding | undefined;
  readonly announced?: AnnouncedTopics | undefined;
  /** Filters of earlier settings to which the broker's session may still be subscribed. */
  readonly formerFilters?: readonly string[] | undefined;
  readonly addresses: Pick<OutboundRule, "resolve">;
  /** Space that messages share with those of other bridges. */
  readonly space?: TenantSpace | undefined;
  /** Trusted authorities if the settings name none. */
  readonly authorities?: readonly string[] | undefined;
  /** Resolves when the message or its error is on disk. */
  readonly handle: (message: BridgeMessage) => Promise<void>;
  readonly onState: (state: BridgeState) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

type Taker = Pick<MessageTaker, "take" | "tooLarge">;

/** Returns the problem with subscriptions that the broker refused or downgraded; null if it granted all. */
function complaintOf(subscriptions: readonly GrantedSubscription[], qos: number): Text | null {
  const refused = subscriptions
    .filter((subscription) => subscription.qos === null)
    .map(({ filter }) => filter);
  if (refused.length > 0) return detail("broker_error.subscription_refused", { filters: refused });
  const lesser = subscriptions.find((subscription) => subscription.qos !== null && subscription.qos < qos);
  if (lesser === undefined) return null;
  return detail("broker_error.lesser_quality", { filter: lesser.filter, qos: String(lesser.qos) });
}

/** Refuses oversized messages: a broker disconnects clients that send them, and the message would be sent again after each reconnect. */
function ensureFits({ topic, payload }: BrokerMessage, max: number): void {
  const bytes = PACKET_HEAD_BYTES + Buffer.byteLength(topic) + Buffer.byteLength(payload);
  if (bytes > max) throw invalid("integration.message_too_large", { bytes, max });
}

/**
 * Keeps a connection to a broker. Its session is durable: messages wait at the broker while the gateway is offline, and are acknowledged once
 * `handle` has resolved. Each attempt uses a new mqtt.js client after a growing, random delay, so that many gateways do not reconnect
 * simultaneously.
 */
export class MqttBridge implements Bridge {
  readonly #clientId: string;
  readonly #session = new InboundSession();
  /** Aborted when the bridge stops. */
  #wanted: AbortController | undefined;
  #connection: BrokerConnection | undefined;
  /** The connection for which dropped replies were logged. */
  #unread: BrokerConnection | undefined;
  #announcedSubscriptions: AnnouncedSubscriptions | undefined;
  #running: Promise<void> | undefined;

  readonly #record: BridgeRecord;
  readonly #deps: MqttBridgeDeps;

  constructor(deps: MqttBridgeDeps) {
    this.#deps = deps;
    this.#clientId = deps.settings.clientId ?? clientIdOf(deps.integrationId);
    this.#record = new BridgeRecord(deps);
  }

  get state(): BridgeState {
    return this.#record.state;
  }

  start(): void {
    if (this.#wanted !== undefined) return;
    const { log, integrationId } = this.#deps;
    this.#wanted = new AbortController();
    this.#running = this.#run(this.#wanted.signal).catch((error) => {
      log.error("bridge stopped", { integrationId, error });
      const problem = networkErrorText(error);
      this.#record.change({ status: "stopped", problem, ...this.#failed(problem) });
    });
  }

  /** Ends the connection; the broker keeps the session and its messages. */
  async stop(): Promise<void> {
    this.#wanted?.abort();
    await this.#running;
    this.#running = undefined;
    this.#wanted = undefined;
    if (this.#record.state.status !== "stopped")
      this.#record.change({ status: "stopped", problem: null, nextAttemptAt: null, subscriptions: [] });
  }

  /** Stops, and deletes the session at the broker. @throws Error if the broker cannot be reached */
  async end(signal?: AbortSignal): Promise<void> {
    await this.stop();
    const nothing: Taker = { take: () => Promise.resolve({ kind: "taken" }), tooLarge: () => {} };
    await (await this.#open(nothing, true, signal)).end();
  }

  /**
   * Resolves when the broker has the message. @throws DomainError `unavailable` without a connection, `invalid` if the broker never accepts the
   * message
   */
  async publish(message: BrokerMessage): Promise<void> {
    const connection = this.#connectionFor(message);
    try {
      await connection.publish(message);
    } catch (cause) {
      throw unavailableDueTo(cause, "integration.not_sent");
    }
  }

  async reply(message: BrokerMessage): Promise<boolean> {
    const connection = this.#connectionFor(message);
    if (connection.post(message)) return true;
    const { log, integrationId } = this.#deps;
    if (this.#unread !== connection)
      log.warn("replies dropped, the broker does not read them", { integrationId });
    this.#unread = connection;
    return false;
  }

  #connectionFor(message: BrokerMessage): BrokerConnection {
    if (this.#connection === undefined || this.#record.state.status !== "connected")
      throw unavailable("integration.not_connected");
    ensureFits(message, this.#connection.limits.packetBytesMax);
    return this.#connection;
  }

  /** Subscribes to newly announced topics. */
  topicsChanged(): void {
    this.#announcedSubscriptions?.update();
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { integrationId, settings, encoding, announced, handle, clock, log } = this.#deps;
    const taker = new MessageTaker({
      integrationId,
      settings,
      encoding,
      announced,
      deviceIn: await compileTopicDevice(settings),
      handle,
      counts: this.#record.counts,
      note: (error) => this.#record.change(this.#failed(error)),
      signal,
      clock,
      log,
    });
    while (!signal.aborted) {
      const reason = await this.#connectOnce(taker, signal).catch(networkErrorText);
      if (signal.aborted) break;
      await waitFor(clock, this.#noteFailure(reason), signal);
    }
  }

  /** Records why the connection was lost. Returns the time until the next attempt, in ms. */
  #noteFailure(reason: Text): number {
    const { clock, random, log, integrationId } = this.#deps;
    const failedAttempts = this.#record.state.failedAttempts + 1;
    const ms = backOffMs(failedAttempts, random, { maxMs: WAIT_MS_MAX });
    log.warn("connection to the broker lost", {
      integrationId,
      reason: inEnglish(reason),
      nextTryMs: ms,
    });
    this.#record.change({
      status: "waiting",
      problem: reason,
      subscriptions: [],
      failedAttempts,
      nextAttemptAt: clock.now() + ms,
      ...this.#failed(reason),
    });
    return ms;
  }

  /** Keeps one connection until it ends. @throws DomainError with the reason */
  async #connectOnce(taker: Taker, signal: AbortSignal): Promise<never> {
    this.#record.change({ status: "connecting", nextAttemptAt: null });
    const opened = await this.#open(taker, false, signal);
    this.#connection = opened;
    let cancel = () => {};
    const leave = () => void opened.end();
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      // The response to the subscription comes behind all that the broker has kept, which may take its time.
      if (opened.isResumed) this.#record.change({ status: "connected", problem: null });
      const complaint = await this.#subscribe(opened);
      this.#announcedSubscriptions = new AnnouncedSubscriptions(opened, this.#deps);
      this.topicsChanged();
      cancel = this.#deps.clock.schedule(HELD_MS, () =>
        this.#record.change({ failedAttempts: 0, lastError: complaint }),
      );
      throw new DomainError("unavailable", await opened.ended);
    } finally {
      cancel();
      signal.removeEventListener("abort", leave);
      this.#connection = undefined;
      this.#announcedSubscriptions = undefined;
      await opened.end();
    }
  }

  /** Subscribes to the configured topics. Returns the subscriptions that the broker did not grant; `null` if it granted all. */
  async #subscribe(opened: BrokerConnection): Promise<Text | null> {
    const { settings, formerFilters, log, integrationId } = this.#deps;
    const filters = filtersOf(settings);
    const gone = formerFilters?.filter((filter) => !filters.includes(filter)) ?? [];
    if (gone.length > 0) await opened.unsubscribe(gone);
    const subscriptions = await opened.subscribe({
      filters,
      qos: settings.qos ?? 1,
      takeRetained: this.#deps.announced === undefined ? (settings.takeRetained ?? false) : "always",
    });
    const complaint = complaintOf(subscriptions, settings.qos ?? 1);
    if (complaint !== null && subscriptions.every(({ qos }) => qos === null))
      throw new DomainError("unavailable", complaint);
    log.info("connected to the broker", { integrationId });
    this.#record.change({
      status: "connected",
      problem: complaint,
      subscriptions,
      ...(complaint !== null && this.#failed(complaint)),
    });
    return complaint;
  }

  #open(taker: Taker, clean: boolean, signal?: AbortSignal): Promise<BrokerConnection> {
    const { settings, addresses, space, authorities, clock } = this.#deps;
    return openConnection({
      settings,
      clientId: this.#clientId,
      clean,
      session: this.#session,
      space,
      addresses,
      authorities,
      take: (message) => taker.take(message),
      tooLarge: (message) => taker.tooLarge(message),
      clock,
      signal,
    });
  }

  #failed(lastError: Text) {
    return { lastError, lastErrorAt: this.#deps.clock.now() };
  }
}
