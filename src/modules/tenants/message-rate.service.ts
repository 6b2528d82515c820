import type { TenantId } from "../../lib/ids.ts";
import { RateMeter } from "../../lib/rate-meter.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { PlansService } from "./plans.service.ts";
import type { TenantsService } from "./tenants.service.ts";

const WINDOW_MS = 60_000;

interface Metered {
  readonly meter: RateMeter;
  /** What the meter had counted when the last window ended. */
  passed: number;
  refused: number;
  /** Of the last whole window. */
  perSecond: number;
  refusedInWindow: number;
}

/** How many messages a second the devices of a tenant send, and how many its plan lets through. */
export interface MessageRateService {
  /** One for all devices of a tenant; it follows the plan. */
  meterOf(tenantId: TenantId): RateMeter;
  /** Averages of the last whole minute. */
  read(tenantId: TenantId): { perSecond: number; refusedPerMinute: number };
  start(): void;
  stop(): void;
}

export function createMessageRateService(deps: {
  tenants: Pick<TenantsService, "find">;
  plans: Pick<PlansService, "of">;
  clock: Clock;
  log: Logger;
}): MessageRateService {
  /** Meters by tenant, of those that have devices in use. */
  const metered = new Map<TenantId, Metered>();

  const limitOf = (tenantId: TenantId) => {
    const tenant = deps.tenants.find(tenantId);
    return tenant === undefined ? null : deps.plans.of(tenant.planName).limits.messagesPerSecond;
  };

  const upkeep = createPeriodic({
    clock: deps.clock,
    log: deps.log,
    intervalMs: WINDOW_MS,
    work() {
      for (const [tenantId, entry] of metered) {
        const { meter } = entry;
        if (deps.tenants.find(tenantId) === undefined) metered.delete(tenantId);
        meter.perSecond = limitOf(tenantId); // somebody at the machine may have changed the plan
        entry.perSecond = (meter.passed - entry.passed) / (WINDOW_MS / 1000);
        entry.refusedInWindow = meter.refused - entry.refused;
        entry.passed = meter.passed;
        entry.refused = meter.refused;
      }
    },
  });

  return {
    meterOf(tenantId) {
      const known = metered.get(tenantId);
      if (known !== undefined) return known.meter;
      const meter = new RateMeter();
      meter.perSecond = limitOf(tenantId);
      metered.set(tenantId, { meter, passed: 0, refused: 0, perSecond: 0, refusedInWindow: 0 });
      return meter;
    },
    read(tenantId) {
      const entry = metered.get(tenantId);
      return { perSecond: entry?.perSecond ?? 0, refusedPerMinute: entry?.refusedInWindow ?? 0 };
    },
    start: upkeep.start,
    stop: upkeep.stop,
  };
}
