import { DomainError, detail, toText } from "../../../lib/core/domain-error.ts";
import type { BodyEncoding } from "../../../lib/json/body.ts";
import type { PublishPacket } from "../../../lib/mqtt/packets.ts";
import { filterMatches, withoutShare } from "../../../lib/mqtt/topic-filters.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { PACKET_BYTES_MAX } from "../../../platform/broker/inbound-lane.ts";
import type { Outcome } from "../../../platform/broker/inbound-session.ts";
import type { Logger } from "../../../platform/core/log.ts";
import { refusedWrite } from "../../../platform/database/storage-failure.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { MqttSettings } from "../integrations.types.ts";
import type { AnnouncedTopics, BridgeCounts, BridgeMessage } from "./bridge.types.ts";
import { filtersOf, TOPIC_LENGTH_MAX, type TopicDevice } from "./topic-device.ts";

/** Max. attempts for a message that crashes its processing, so that it does not block later messages forever. */
const TRIES_MAX = 3;
const FAILING_MAX = 1_000;
const LIMITED_WAIT_S = 1;
/** Max. cached topic meanings; devices use few, short topics. */
const TOPICS_MAX = 1_000;
const KNOWN_TOPIC_LENGTH_MAX = 256;
const TAKEN: Outcome = { kind: "taken" };

/** Meaning of a topic according to the settings. */
interface TopicMeaning {
  readonly isFollowed: boolean;
  readonly device: string | undefined;
}

interface MessageTakerDeps {
  readonly integrationId: string;
  readonly settings: MqttSettings;
  readonly encoding?: BodyEncoding | undefined;
  readonly announced?: AnnouncedTopics | undefined;
  readonly deviceIn: TopicDevice;
  readonly handle: (message: BridgeMessage) => Promise<void>;
  /** Counters that this class increases. */
  readonly counts: { -readonly [Name in keyof BridgeCounts]: number };
  /** Limits for messages waiting for a rate; without them, the window of the connection is the limit. */
  readonly limits?: { readonly waitMs: number; readonly waiting: number };
  /** Shows an error to users. */
  readonly note: (error: Text) => void;
  /** Aborted when waiting must end. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Decides the outcome of a broker's message, and whether it is acknowledged. */
export class MessageTaker {
  readonly #deps: MessageTakerDeps;
  readonly #filters: readonly string[];
  /** Meanings by topic. */
  readonly #topics = new Map<string, TopicMeaning>();
  /** Failed attempts by topic and content of the message. */
  readonly #failing = new Map<string, number>();
  /** Number of messages waiting for a rate. */
  #waiting = 0;

  constructor(deps: MessageTakerDeps) {
    this.#deps = deps;
    this.#filters = filtersOf(deps.settings).map(withoutShare);
  }

  /** @param receivedAt time of receipt of an earlier message, epoch ms */
  take(message: PublishPacket, receivedAt?: number): Promise<Outcome> {
    if (message.topic.length > TOPIC_LENGTH_MAX) {
      this.tooLarge(message);
      return Promise.resolve(TAKEN);
    }
    const { counts } = this.#deps;
    counts.received++;
    if (!this.#isIgnored(message)) return this.#handOver(message, receivedAt);
    counts.ignored++;
    return Promise.resolve(TAKEN);
  }

  tooLarge({ topic }: PublishPacket): void {
    const { counts, note } = this.#deps;
    counts.received++;
    counts.tooLarge++;
    if (topic.length > TOPIC_LENGTH_MAX)
      note(detail("broker_error.topic_too_long", { topic: excerpt(topic), max: TOPIC_LENGTH_MAX }));
    else note(detail("broker_error.message_too_large", { topic, max: PACKET_BYTES_MAX / 1024 }));
  }

  #meaningOf(topic: string): TopicMeaning {
    const existing = this.#topics.get(topic);
    if (existing !== undefined) return existing;
    const isFollowed = this.#filters.some((filter) => filterMatches(filter, topic));
    const meaning = { isFollowed, device: this.#deps.deviceIn(topic) };
    if (this.#topics.size >= TOPICS_MAX) this.#topics.clear();
    if (topic.length <= KNOWN_TOPIC_LENGTH_MAX) this.#topics.set(topic, meaning);
    return meaning;
  }

  #isIgnored({ topic, retain, payload }: PublishPacket): boolean {
    const { announced, settings } = this.#deps;
    const { isFollowed } = this.#meaningOf(topic);
    // Retained announcements announce devices, and empty announcements remove them.
    if (announced !== undefined && isFollowed && topic.endsWith("/config")) return false;
    return (
      // A replay is the broker's retained message; an empty message only clears it.
      (retain && settings.takeRetained !== true) ||
      payload.length === 0 ||
      // From a subscription that was removed from the settings but is still in the session.
      !(isFollowed || announced?.topics.has(topic))
    );
  }

  /** Offers the message until it is accepted or finally fails. */
  async #handOver(message: PublishPacket, receivedAt?: number): Promise<Outcome> {
    const { handle, signal, clock } = this.#deps;
    const offeredAt = clock.monotonic();
    const inbound = this.#inboundOf(message, receivedAt);
    for (;;) {
      try {
        await handle(inbound);
        return TAKEN;
      } catch (error) {
        if (!(error instanceof DomainError && error.kind === "limited"))
          return this.#afterFailure(message, error);
        if (signal.aborted) return { kind: "later", reason: toText(error) };
        if (!this.#mayWait(offeredAt)) return this.#giveUp(message, error);
        // The window fills meanwhile, and the broker waits.
        const waitS = error.retryAfterSeconds ?? LIMITED_WAIT_S;
        this.#waiting++;
        await new Promise<void>((resolve) => clock.schedule(waitS * 1000, resolve));
        this.#waiting--;
      }
    }
  }

  #mayWait(offeredAt: number): boolean {
    const { limits, clock } = this.#deps;
    if (limits === undefined) return true;
    return this.#waiting < limits.waiting && clock.monotonic() < offeredAt + limits.waitMs;
  }

  #inboundOf({ topic, payload, retain }: PublishPacket, receivedAt: number | undefined): BridgeMessage {
    const { encoding = "AUTO", clock } = this.#deps;
    const { device: topicDevice } = this.#meaningOf(topic);
    return {
      bytes: payload,
      encoding,
      topic,
      ...(retain && { retained: true }),
      receivedAt: receivedAt ?? clock.now(),
      ...(topicDevice !== undefined && { topicDevice }),
    };
  }

  #afterFailure(message: PublishPacket, error: unknown): Outcome {
    const failure = refusedWrite(error);
    if (!(failure instanceof DomainError)) return this.#afterDefect(message, error);
    // A message that was refused for good would be refused again.
    return failure.kind === "unavailable" ? this.#later(message, failure) : TAKEN;
  }

  #giveUp(message: PublishPacket, error: DomainError): Outcome {
    if (message.packetId === 0) this.#deps.counts.dropped++;
    return this.#later(message, error);
  }

  #later({ packetId, topic }: PublishPacket, error: DomainError): Outcome {
    const reason = toText(error);
    // Of quality 0 nobody keeps anything that could be sent again.
    if (packetId === 0) this.#deps.note(detail("broker_error.message_lost", { topic, reason }));
    return { kind: "later", reason };
  }

  /** Requests redelivery by the broker, a limited number of times. */
  #afterDefect({ topic, payload }: PublishPacket, error: unknown): Outcome {
    const { integrationId, note, log } = this.#deps;
    const key = `${topic} ${Bun.hash(payload)}`;
    const tries = (this.#failing.get(key) ?? 0) + 1;
    log.error("handling a message of a broker failed", { integrationId, topic, tries, error });
    if (this.#failing.size >= FAILING_MAX) this.#failing.clear();
    this.#failing.set(key, tries);
    if (tries < TRIES_MAX) return { kind: "later", reason: detail("broker_error.message_retried") };
    this.#failing.delete(key);
    note(detail("broker_error.message_failed", { topic }));
    return TAKEN;
  }
}
