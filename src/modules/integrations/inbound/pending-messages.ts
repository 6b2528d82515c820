import { DomainError } from "../../../lib/core/domain-error.ts";
import type { Logger } from "../../../platform/core/log.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { untilSharedWake } from "../../../platform/time/periodic.ts";
import type { IntegrationEventsRepository } from "../events/integration-events.repository.ts";
import { type InboundPipeline, isNoRoom } from "./inbound-pipeline.ts";
import type { LiveIntegration } from "./live-integration.ts";

const POLL_INTERVAL_MS = 5_000;
/** Delay after a full batch, which lets new messages be processed. */
const NEXT_AFTER_MS = 50;
const MESSAGES_PER_STEP = 100;
/** Min. age of resumed messages; younger ones are still being processed. */
const SETTLED_AFTER_MS = 30_000;
/** Late duplicates arrive up to 72 minutes after the first message; a day also covers wrong clocks. */
const SEEN_KEPT_MS = 86_400_000;
const FORGOTTEN_PER_STEP = 1_000;

interface PendingMessagesDeps {
  readonly repository: Pick<
    IntegrationEventsRepository,
    "listWaiting" | "listPending" | "nextSeq" | "find" | "forgetSeen"
  >;
  readonly pipeline: Pick<InboundPipeline, "resume">;
  readonly liveOf: (integrationId: string) => LiveIntegration | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Resumes kept messages that were not finished because of a power cut or lack of room for their script. Each integration is processed separately, so
 * that a blocked integration does not hold up others.
 */
export class PendingMessages {
  #cancel: () => void = () => undefined;
  #isRunning = false;
  /** Integrations being processed, independently of each other. */
  readonly #working = new Set<string>();
  /** Sequence number below which messages date from before startup and are not being processed. */
  #ownFrom = 0;

  readonly #deps: PendingMessagesDeps;

  constructor(deps: PendingMessagesDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#isRunning = true;
    this.#ownFrom = this.#deps.repository.nextSeq();
    this.#poll();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel();
  }

  /** Returns whether the message was processed. An unexpected error is logged, so that the message does not hold up others. @throws DomainError if there is no room now */
  async #resume(integrationId: string, eventId: string): Promise<boolean> {
    const { repository, pipeline, liveOf, log } = this.#deps;
    const event = repository.find(integrationId, eventId);
    const live = liveOf(integrationId);
    if (!this.#isRunning || event?.status !== "PENDING" || live === undefined) return false;
    try {
      await pipeline.resume(live, event);
      return true;
    } catch (error) {
      if (error instanceof DomainError) throw error;
      log.error("processing a waiting message failed", { integrationId, eventId, error });
      return false;
    }
  }

  /** Returns whether more messages may be ready now. */
  async #workOffSome(integrationId: string): Promise<boolean> {
    const { repository, clock, log } = this.#deps;
    const own = { ownFrom: this.#ownFrom, settledAt: clock.now() - SETTLED_AFTER_MS };
    const waiting = repository.listPending(integrationId, own, MESSAGES_PER_STEP);
    let done = 0;
    try {
      for (const eventId of waiting) if (await this.#resume(integrationId, eventId)) done++;
      return waiting.length === MESSAGES_PER_STEP && done > 0;
    } catch (error) {
      if (!isNoRoom(error)) log.warn("waiting messages could not be processed", { integrationId, error });
      return false;
    }
  }

  /** Processes the messages of an integration until none is left or there is no room. */
  async #workOff(integrationId: string): Promise<void> {
    const { clock, log } = this.#deps;
    if (this.#working.has(integrationId)) return;
    this.#working.add(integrationId);
    try {
      while (this.#isRunning && (await this.#workOffSome(integrationId)))
        await new Promise<void>((resolve) => clock.schedule(NEXT_AFTER_MS, resolve));
    } catch (error) {
      log.warn("waiting messages of integrations could not be read", { integrationId, error });
    } finally {
      this.#working.delete(integrationId);
    }
  }

  #poll(): void {
    const { repository, clock, log } = this.#deps;
    try {
      for (const integrationId of repository.listWaiting()) void this.#workOff(integrationId);
      repository.forgetSeen(clock.now() - SEEN_KEPT_MS, FORGOTTEN_PER_STEP);
    } catch (error) {
      log.warn("waiting messages of integrations could not be read", { error });
    }
    this.#cancel = clock.schedule(untilSharedWake(clock, POLL_INTERVAL_MS), () => this.#poll());
  }
}
