import { DomainError, detail } from "../../lib/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Backlog } from "./backlog.ts";
import type { EventLog, Logged } from "./event-log.service.ts";
import type { IntegrationEventsRepository } from "./integration-events.repository.ts";
import type {
  EventStatus,
  InboundMessage,
  Integration,
  IntegrationEvent,
  Normalized,
  NormalizedMessage,
  Stage,
} from "./integrations.types.ts";
import type { LiveIntegration } from "./live-integration.ts";
import { newWork, outcomeOf, shortened, type Work } from "./message-outcome.ts";
import { inStage, StageFailure } from "./message-parts.ts";
import type { WorkThrough } from "./message-worker.ts";

/** Network servers give up after five seconds: by then they are told that the message is kept, and it is worked on afterwards. */
const ANSWER_WITHIN_MS = 3_000;

/** Describes what became of a message; by then that is on the disk. */
export interface Taken {
  readonly eventId: string;
  /** PENDING: it is kept, and worked on later. */
  readonly status: EventStatus;
  readonly stage: Stage;
  readonly text: Text;
  /** Holds what was wrong with it. */
  readonly reason?: DomainError;
}

/** The script is not to blame: it was not run, and can be later. */
export const isNoRoom = (error: unknown): boolean =>
  error instanceof DomainError && error.code.startsWith("script.") && error.kind !== "invalid";

interface Ending {
  readonly kept: Pick<Logged, "eventId"> | undefined;
  readonly seenKey: string | undefined;
}

const needsScript = ({ kind, frame }: NormalizedMessage, { script, settings }: LiveIntegration): boolean =>
  kind === "uplink" && (script !== undefined || (frame !== undefined && (settings.codecs ?? []).length > 0));

/**
 * The way of a message from another network to the one ingest: adapter, mapping, script, device, ingest. Nothing is lost on it: what
 * cannot be read, or cannot be stored, is an event with the message as it came, which can be worked on again.
 */
export function createInboundPipeline(deps: {
  eventLog: Pick<EventLog, "add" | "finish">;
  repository: Pick<IntegrationEventsRepository, "isSeen">;
  backlog: Backlog;
  workThrough: WorkThrough;
  /** To the broker that an integration is connected to. */
  reply: (integration: Integration, replies: NonNullable<Normalized["replies"]>) => void;
  clock: Clock;
}) {
  const { eventLog, clock } = deps;
  /** Messages in progress by integration and key: the same one again waits for what becomes of it. */
  const inFlight = new Map<string, Promise<unknown>>();

  const originOf = ({ bytes: _, ...origin }: InboundMessage) => origin;
  const eventOf = ({ integration }: LiveIntegration, source: InboundMessage) => ({
    integrationId: integration.integrationId,
    direction: "IN" as const,
    origin: originOf(source),
  });

  /**
   * Writes the end of a message: as a new event, or of the one that was kept before. What would keep a repetition out, or end what was
   * kept, is written only when the values are on the disk; any other event at the same time as they.
   */
  async function end(
    live: LiveIntegration,
    source: InboundMessage,
    input: Ending & { work: Work },
  ): Promise<Taken> {
    const { work, kept } = input;
    const stored = Promise.all(work.commits);
    const isFinal = kept !== undefined || input.seenKey !== undefined;
    if (isFinal) await stored;
    const { outcome, reason } = outcomeOf(work, source.bytes);
    // What failed may come again, and be taken then.
    const seenKey = outcome.status === "ERROR" ? undefined : input.seenKey;
    const event = eventOf(live, source);
    const logged =
      kept === undefined
        ? eventLog.add({ ...event, ...outcome }, seenKey)
        : { eventId: kept.eventId, written: eventLog.finish({ ...event, ...kept }, outcome, seenKey) };
    await Promise.all([
      logged.written,
      isFinal ? undefined : stored.catch((error) => takeBack(event, logged, error)),
    ]);
    const { status, stage, text } = outcome;
    const { eventId } = logged;
    return { eventId, status, stage, text, ...(reason !== undefined && { reason }) };
  }

  /** Its values did not reach the disk: it was not taken, and whoever sent it is told so. */
  function takeBack(event: ReturnType<typeof eventOf>, { eventId }: Logged, error: unknown): never {
    const outcome = {
      status: "DROPPED",
      stage: "ingest",
      text: detail("integration_event.not_stored"),
    } as const;
    const rest = { result: null, payload: null, isReplayable: false };
    eventLog.finish({ ...event, eventId }, { ...outcome, ...rest }).catch(() => undefined);
    throw error;
  }

  async function drop(live: LiveIntegration, source: InboundMessage, text: Text): Promise<Taken> {
    const outcome = { status: "DROPPED", stage: "adapter", text } as const;
    const logged = eventLog.add({
      ...eventOf(live, source),
      ...outcome,
      ...shortened(source.bytes),
      result: null,
    });
    await logged.written;
    return { eventId: logged.eventId, ...outcome };
  }

  function normalize(live: LiveIntegration, source: InboundMessage): Normalized | StageFailure {
    try {
      return inStage("adapter", () => live.adapter.normalize(source));
    } catch (error) {
      if (error instanceof StageFailure) return error;
      throw error;
    }
  }

  async function work(
    live: LiveIntegration,
    source: InboundMessage,
    input: Ending & { messages: readonly NormalizedMessage[] },
  ) {
    const done = newWork();
    await deps.workThrough(input.messages, { live, source, work: done });
    return end(live, source, { ...input, work: done });
  }

  /** Kept before a script begins: it may take as long as the sender waits, and a power cut must not cost the message. */
  function keepFirst(
    live: LiveIntegration,
    source: InboundMessage,
    messages: readonly NormalizedMessage[],
  ): Logged | undefined {
    if (!messages.some((message) => needsScript(message, live))) return undefined;
    deps.backlog.ensure(live.integration.integrationId);
    const begun = {
      status: "PENDING",
      stage: "receive",
      text: detail("integration_event.pending"),
      result: null,
      isReplayable: false,
    } as const;
    return eventLog.add({ ...eventOf(live, source), ...begun, payload: source.bytes });
  }

  /** Returns what becomes of it, or that it is kept where that takes too long or there is no room for its script now. */
  async function inTime(
    done: Promise<Taken>,
    kept: Logged,
    event: ReturnType<typeof eventOf>,
  ): Promise<Taken> {
    let isAnswered = false;
    const pending: Taken = {
      eventId: kept.eventId,
      status: "PENDING",
      stage: "receive",
      text: detail("integration_event.pending"),
    };
    const late = Promise.withResolvers<Taken>();
    const cancel = clock.schedule(ANSWER_WITHIN_MS, () =>
      kept.written.then(() => {
        isAnswered = true;
        late.resolve(pending);
      }, late.reject),
    );
    const unlessNoRoom = done.catch(async (error) => {
      // Whoever was told that it is kept does not send it again.
      if (!isNoRoom(error)) return isAnswered ? pending : takeBack(event, kept, error);
      await kept.written;
      return pending;
    });
    try {
      return await Promise.race([unlessNoRoom, late.promise]);
    } finally {
      cancel();
    }
  }

  function goesOn(place: string, done: Promise<unknown>): void {
    inFlight.set(place, done);
    const over = () => void (inFlight.get(place) === done && inFlight.delete(place));
    done.then(over, over);
  }

  async function takeOnce(
    live: LiveIntegration,
    source: InboundMessage,
    { messages, dedupKey }: Normalized,
  ): Promise<Taken> {
    const { integration } = live;
    const place = `${integration.integrationId}\n${dedupKey}`;
    if (dedupKey !== undefined) {
      // No await between the last look and `goesOn`: of two in one tick the second must see the first.
      for (let same = inFlight.get(place); same !== undefined; same = inFlight.get(place))
        await same.catch(() => undefined);
      if (deps.repository.isSeen(integration.integrationId, dedupKey))
        return drop(live, source, detail("integration_event.repeated"));
    }
    const kept = keepFirst(live, source, messages);
    const done = work(live, source, { messages, kept, seenKey: dedupKey });
    if (dedupKey !== undefined) goesOn(place, done);
    return kept === undefined ? done : inTime(done, kept, eventOf(live, source));
  }

  return {
    /** Resolves when what became of it is on the disk. @throws DomainError `unavailable` or `limited`: it was not taken, send it again. */
    async take(live: LiveIntegration, source: InboundMessage): Promise<Taken> {
      const normalized = normalize(live, source);
      const nothing = { kept: undefined, seenKey: undefined };
      if (normalized instanceof StageFailure)
        return end(live, source, { ...nothing, work: newWork([normalized]) });
      const { ignored, replies = [] } = normalized;
      if (replies.length > 0) deps.reply(live.integration, replies);
      if (ignored !== undefined)
        return drop(live, source, detail("integration_event.ignored", { reason: ignored }));
      return takeOnce(live, source, normalized);
    },
    /** Works on a message that is kept already. */
    async resume(live: LiveIntegration, event: IntegrationEvent): Promise<Taken> {
      const bytes = event.payload ?? new Uint8Array();
      const source: InboundMessage = {
        receivedAt: event.createdAt,
        encoding: "AUTO",
        ...event.origin,
        bytes,
      };
      const kept = event.status === "PENDING" ? event : undefined;
      const normalized = normalize(live, source);
      if (normalized instanceof StageFailure)
        return end(live, source, { kept, seenKey: undefined, work: newWork([normalized]) });
      const { messages, dedupKey: seenKey } = normalized;
      return work(live, source, { messages, kept, seenKey });
    },
  };
}

export type InboundPipeline = ReturnType<typeof createInboundPipeline>;
