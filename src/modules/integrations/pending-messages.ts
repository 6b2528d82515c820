import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import { type InboundPipeline, isNoRoom } from "./inbound-pipeline.ts";
import type { IntegrationEventsRepository } from "./integration-events.repository.ts";
import type { LiveIntegration } from "./live-integration.ts";

const LOOK_EVERY_MS = 5_000;
const AT_ONCE = 100;
/** Younger ones are still in the hands of whoever took them. */
const SETTLED_AFTER_MS = 30_000;
/** Late duplicates come up to 72 minutes after the first; a day is enough for clocks that are wrong, too. */
const SEEN_KEPT_MS = 86_400_000;
const SEEN_AT_ONCE = 1_000;

/** Works on messages that were kept and not brought to their end: after a power cut, or when there was no room for their script. */
export function createPendingMessages(deps: {
  repository: Pick<IntegrationEventsRepository, "listPending" | "forgetSeen">;
  pipeline: Pick<InboundPipeline, "resume">;
  liveOf: (integrationId: string) => LiveIntegration | undefined;
  clock: Clock;
  log: Logger;
}): { start(): void; stop(): void } {
  const { repository, clock, log } = deps;
  let cancel: () => void = () => undefined;
  let isRunning = false;

  /** After a start nothing is in anybody's hands. */
  async function workOff(isStart: boolean): Promise<void> {
    const until = clock.now() - SETTLED_AFTER_MS;
    for (const event of repository.listPending(AT_ONCE)) {
      if (!isRunning || (!isStart && event.createdAt > until)) return;
      const live = deps.liveOf(event.integrationId);
      if (live !== undefined) await deps.pipeline.resume(live, event);
    }
  }

  function look(isStart: boolean): void {
    workOff(isStart)
      .then(() => repository.forgetSeen(clock.now() - SEEN_KEPT_MS, SEEN_AT_ONCE))
      .catch((error) => {
        if (!isNoRoom(error))
          log.warn("messages of integrations that wait could not be worked on", { error });
      })
      .finally(() => {
        if (isRunning) cancel = clock.schedule(LOOK_EVERY_MS, () => look(false));
      });
  }

  return {
    start() {
      isRunning = true;
      look(true);
    },
    stop() {
      isRunning = false;
      cancel();
    },
  };
}
