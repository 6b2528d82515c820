import { DomainError, detail } from "../../../lib/core/domain-error.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { EventLog, Logged } from "../events/event-log.ts";
import type { EventTokens } from "../events/event-tokens.ts";
import type { EventOutcome, IntegrationEventsRepository } from "../events/integration-events.repository.ts";
import { messageOwner } from "../integration-principal.ts";
import type { Integration } from "../integrations.resource.ts";
import type {
  EventStatus,
  InboundMessage,
  IntegrationEvent,
  Normalized,
  NormalizedMessage,
  Stage,
} from "../integrations.types.ts";
import type { Backlog } from "./backlog.ts";
import type { LiveIntegration } from "./live-integration.ts";
import { newWork, outcomeOf, shortened, type Work } from "./message-outcome.ts";
import { inStage, StageFailure } from "./message-parts.ts";
import type { WorkThrough } from "./message-worker.ts";

/** Max. wait in ms before a message is reported as kept for later: network servers time out after five seconds. */
const RESPONSE_WITHIN_MS = 3_000;

/** Result of a message, which is on disk. */
export interface Taken {
  readonly eventId: string;
  /** PENDING: kept for later processing. */
  readonly status: EventStatus;
  readonly stage: Stage;
  readonly text: Text;
  /** Reason of the failure. */
  readonly reason?: DomainError;
}

/** Returns whether the script was not run for lack of room and can run later. */
export const isNoRoom = (error: unknown): boolean =>
  error instanceof DomainError && error.code.startsWith("script.") && error.kind !== "invalid";

interface Ending {
  readonly kept: Pick<Logged, "eventId"> | undefined;
  readonly seenKey: string | undefined;
}

const needsScript = ({ kind, frame }: NormalizedMessage, { script, settings }: LiveIntegration): boolean =>
  kind === "uplink" && (script !== undefined || (frame !== undefined && (settings.codecs ?? []).length > 0));

interface InboundPipelineDeps {
  readonly eventLog: Pick<EventLog, "add" | "finish">;
  readonly repository: Pick<IntegrationEventsRepository, "isSeen">;
  readonly backlog: Backlog;
  readonly workThrough: WorkThrough;
  readonly tokens: EventTokens;
  /** Sends to the broker that an integration is connected to. */
  readonly reply: (integration: Integration, replies: NonNullable<Normalized["replies"]>) => void;
  readonly clock: Clock;
}

function eventOf({ integration }: LiveIntegration, { bytes: _, ...origin }: InboundMessage) {
  return { integrationId: integration.integrationId, direction: "IN" as const, origin };
}

type MessageEvent = ReturnType<typeof eventOf>;

function normalize(live: LiveIntegration, source: InboundMessage): Normalized | StageFailure {
  try {
    return inStage("adapter", () => live.adapter.normalize(source));
  } catch (error) {
    if (error instanceof StageFailure) return error;
    throw error;
  }
}

/**
 * Processes messages of other networks up to the common ingest: adapter, mapping, script, device, ingest. Nothing is lost: an unreadable or
 * unstorable message is kept in an event and can be replayed.
 */
export class InboundPipeline {
  /** Messages in progress by integration and key; a duplicate waits for the outcome of the first. */
  readonly #inFlight = new Map<string, Promise<unknown>>();

  readonly #deps: InboundPipelineDeps;

  constructor(deps: InboundPipelineDeps) {
    this.#deps = deps;
  }

  /** Resolves when the outcome is on disk. @throws DomainError `unavailable` or `limited` if the message was not accepted and must be sent again */
  async take(live: LiveIntegration, source: InboundMessage): Promise<Taken> {
    const later = workShare.enter(messageOwner(live.integration));
    if (later !== undefined) await later;
    const normalized = normalize(live, source);
    const nothing = { kept: undefined, seenKey: undefined };
    if (normalized instanceof StageFailure) {
      await workShare.pause(messageOwner(live.integration)); // a message of 1 MB that cannot be read has taken some ms
      return this.#end(live, source, { ...nothing, work: newWork([normalized]) });
    }
    const { ignored, replies = [] } = normalized;
    if (replies.length > 0) this.#deps.reply(live.integration, replies);
    if (ignored !== undefined)
      return this.#drop(live, source, detail("integration_event.ignored", { reason: ignored }));
    return this.#takeOnce(live, source, normalized);
  }

  /** Processes a message that is already kept. */
  async resume(live: LiveIntegration, event: IntegrationEvent): Promise<Taken> {
    const bytes = event.payload ?? new Uint8Array();
    const source = this.#deps.tokens.unmask({
      receivedAt: event.createdAt,
      encoding: "AUTO",
      ...event.origin,
      bytes,
    });
    const kept = event.status === "PENDING" ? event : undefined;
    const normalized = normalize(live, source);
    if (normalized instanceof StageFailure)
      return this.#end(live, source, { kept, seenKey: undefined, work: newWork([normalized]) });
    const { dedupKey: seenKey } = normalized;
    return this.#work(live, source, { normalized, kept, seenKey });
  }

  async #takeOnce(live: LiveIntegration, source: InboundMessage, normalized: Normalized): Promise<Taken> {
    const inFlight = this.#inFlight;
    const { messages, dedupKey } = normalized;
    const { integrationId } = live.integration;
    const place = `${integrationId}\n${dedupKey}`;
    if (dedupKey !== undefined) {
      // No await between the last look and `track`: of two in one tick the second must see the first.
      for (let same = inFlight.get(place); same !== undefined; same = inFlight.get(place))
        await same.catch(() => undefined);
      if (this.#deps.repository.isSeen(integrationId, dedupKey))
        return this.#drop(live, source, detail("integration_event.repeated"));
    }
    const kept = this.#keepFirst(live, source, messages);
    const done = this.#work(live, source, { normalized, kept, seenKey: dedupKey });
    if (dedupKey !== undefined) this.#track(place, done);
    return kept === undefined ? done : this.#inTime(done, kept, eventOf(live, source));
  }

  #track(place: string, done: Promise<unknown>): void {
    const inFlight = this.#inFlight;
    inFlight.set(place, done);
    const over = () => void (inFlight.get(place) === done && inFlight.delete(place));
    done.then(over, over);
  }

  async #work(
    live: LiveIntegration,
    source: InboundMessage,
    input: Ending & { normalized: Normalized },
  ): Promise<Taken> {
    const work = newWork();
    const { messages, notes = [] } = input.normalized;
    work.notes.push(...notes);
    await this.#deps.workThrough(messages, { live, source, work });
    return this.#end(live, source, { ...input, work });
  }

  /** Stores a message before its script starts: the script may run as long as the sender waits, and a power cut must not lose the message. */
  #keepFirst(
    live: LiveIntegration,
    source: InboundMessage,
    messages: readonly NormalizedMessage[],
  ): Logged | undefined {
    if (!messages.some((message) => needsScript(message, live))) return undefined;
    const { backlog, eventLog } = this.#deps;
    backlog.ensure(live.integration.integrationId);
    const begun = {
      status: "PENDING",
      stage: "receive",
      text: detail("integration_event.pending"),
      result: null,
      isReplayable: false,
    } as const;
    const stored = this.#deps.tokens.mask(source);
    return eventLog.add({ ...eventOf(live, stored), ...begun, payload: stored.bytes });
  }

  /** Returns the result of the message, or PENDING if it takes too long or there is currently no room for its script. */
  async #inTime(done: Promise<Taken>, kept: Logged, event: MessageEvent): Promise<Taken> {
    let isAnswered = false;
    const pending: Taken = {
      eventId: kept.eventId,
      status: "PENDING",
      stage: "receive",
      text: detail("integration_event.pending"),
    };
    const late = Promise.withResolvers<Taken>();
    const cancel = this.#deps.clock.schedule(RESPONSE_WITHIN_MS, () =>
      kept.written.then(() => {
        isAnswered = true;
        late.resolve(pending);
      }, late.reject),
    );
    const unlessNoRoom = done.catch(async (error) => {
      // A sender that was told PENDING does not send the message again.
      if (!isNoRoom(error)) return isAnswered ? pending : this.#takeBack(event, kept, error);
      await kept.written;
      return pending;
    });
    try {
      return await Promise.race([unlessNoRoom, late.promise]);
    } finally {
      cancel();
    }
  }

  /**
   * Writes the outcome of a message, as a new event or into its kept event. Entries that refuse duplicates or complete a kept event are written only
   * after the values are on disk; other events are written concurrently with the values.
   */
  async #end(live: LiveIntegration, source: InboundMessage, input: Ending & { work: Work }): Promise<Taken> {
    const { work, kept } = input;
    const stored = Promise.all(work.commits);
    const isFinal = kept !== undefined || input.seenKey !== undefined;
    if (isFinal) await stored;
    const masked = this.#deps.tokens.mask(source);
    const { outcome, reason } = outcomeOf(work, masked.bytes);
    // What failed may come again, and be taken then.
    const seenKey = outcome.status === "ERROR" ? undefined : input.seenKey;
    const event = eventOf(live, outcome.isReplayable ? masked : source);
    const logged = this.#writeOutcome(event, outcome, { kept, seenKey });
    await Promise.all([
      logged.written,
      isFinal ? undefined : stored.catch((error) => this.#takeBack(event, logged, error)),
    ]);
    const { status, stage, text } = outcome;
    const { eventId } = logged;
    return { eventId, status, stage, text, ...(reason !== undefined && { reason }) };
  }

  #writeOutcome(event: MessageEvent, outcome: EventOutcome, { kept, seenKey }: Ending): Logged {
    const { eventLog } = this.#deps;
    if (kept === undefined) return eventLog.add({ ...event, ...outcome }, seenKey);
    const written = eventLog.finish({ ...event, ...kept }, { ...outcome, origin: event.origin }, seenKey);
    return { eventId: kept.eventId, written };
  }

  /** Records that the values of a message did not reach the disk, so that its sender sends it again. */
  #takeBack(event: MessageEvent, { eventId }: Logged, error: unknown): never {
    const outcome = {
      status: "DROPPED",
      stage: "ingest",
      text: detail("integration_event.not_stored"),
    } as const;
    const rest = { result: null, payload: null, isReplayable: false };
    this.#deps.eventLog.finish({ ...event, eventId }, { ...outcome, ...rest }).catch(() => undefined);
    throw error;
  }

  async #drop(live: LiveIntegration, source: InboundMessage, text: Text): Promise<Taken> {
    const outcome = { status: "DROPPED", stage: "adapter", text } as const;
    const masked = this.#deps.tokens.mask(source);
    const kept = shortened(masked.bytes);
    const logged = this.#deps.eventLog.add({
      ...eventOf(live, kept.isReplayable ? masked : source),
      ...outcome,
      ...kept,
      result: null,
    });
    await logged.written;
    return { eventId: logged.eventId, ...outcome };
  }
}
