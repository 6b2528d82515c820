import { limited } from "../../../lib/core/domain-error.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { EventsSize, IntegrationEventsRepository } from "../events/integration-events.repository.ts";
import type { IntegrationsRepository } from "../integrations.repository.ts";

/**
 * Max. waiting messages of an integration, which is hours of messages in most networks. A script that is slower than its messages would otherwise
 * fill the disk.
 */
const WAITING_MAX: EventsSize = { events: 5_000, bytes: 32 * 1024 * 1024 };
/** Max. waiting bytes of a tenant, divided among its integrations if there are more than four. */
const TENANT_BYTES = 128 * 1024 * 1024;
const POLL_INTERVAL_MS = 1_000;

/** Creates the check whether more messages may be stored for later processing. */
export function createBacklog(deps: {
  repository: Pick<IntegrationEventsRepository, "sizeOf">;
  integrations: Pick<IntegrationsRepository, "countBeside">;
  clock: Pick<Clock, "monotonic">;
}) {
  const { repository, clock } = deps;
  /** Integration → time of the last check, and whether the backlog was full. */
  const seen = new Map<string, { at: number; isFull: boolean }>();

  function measure(integrationId: string, timeMs: number): boolean {
    const { events, bytes } = repository.sizeOf(integrationId, ["PENDING"], WAITING_MAX.events);
    const bytesMax = Math.min(WAITING_MAX.bytes, TENANT_BYTES / deps.integrations.countBeside(integrationId));
    const isFull = events >= WAITING_MAX.events || bytes >= bytesMax;
    seen.delete(integrationId);
    for (const [other, existing] of seen) if (existing.at < timeMs - POLL_INTERVAL_MS) seen.delete(other);
    seen.set(integrationId, { at: timeMs, isFull });
    return isFull;
  }

  return {
    /** @throws DomainError `limited` if there is no room */
    ensure(integrationId: string): void {
      const now = clock.monotonic();
      const existing = seen.get(integrationId);
      const isFull =
        existing && now < existing.at + POLL_INTERVAL_MS ? existing.isFull : measure(integrationId, now);
      if (isFull) throw limited("integration.too_many_waiting", 5);
    },
  };
}

export type Backlog = ReturnType<typeof createBacklog>;
