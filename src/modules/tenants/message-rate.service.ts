import type { TenantId } from "../../lib/core/ids.ts";
import { RateMeter } from "../../lib/data/rate-meter.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { PlansService } from "./plans.service.ts";
import type { QuotasService } from "./quotas.service.ts";
import type { TenantsService } from "./tenants.service.ts";

const WINDOW_MS = 60_000;

/** Meter with the averages of its last full window. */
class Metered {
  readonly meter = new RateMeter();
  perSecond = 0;
  refusedInWindow = 0;
  /** Count of the meter at the end of the last window. */
  #passed = 0;
  #refused = 0;

  endWindow(): void {
    const { passed, refused } = this.meter;
    this.perSecond = (passed - this.#passed) / (WINDOW_MS / 1000);
    this.refusedInWindow = refused - this.#refused;
    this.#passed = passed;
    this.#refused = refused;
  }
}

/** Meters of a tenant, shared by all of its devices. */
interface Meters {
  readonly messages: RateMeter;
  readonly bytes: RateMeter;
}

interface TenantRates {
  readonly messages: Metered;
  readonly bytes: Metered;
  readonly meters: Meters;
}

/** Creates the meters that measure the messages and bytes per second of a tenant's devices and limit them to its plan. */
export function createMessageRateService(deps: {
  tenants: Pick<TenantsService, "find">;
  plans: Pick<PlansService, "of">;
  quotasOf: QuotasService["of"];
  clock: Clock;
  log: Logger;
}) {
  /** Meters by tenant, for tenants with devices in use. */
  const metered = new Map<TenantId, TenantRates>();

  function applyLimits(tenantId: TenantId, { messages, bytes }: TenantRates): void {
    const tenant = deps.tenants.find(tenantId);
    const limits = tenant && deps.plans.of(tenant.planName).limits;
    messages.meter.perSecond = limits?.messagesPerSecond ?? null;
    bytes.meter.perSecond = deps.quotasOf(tenantId).bytesPerSecond;
  }

  const upkeep = createPeriodic({
    clock: deps.clock,
    log: deps.log,
    intervalMs: WINDOW_MS,
    work() {
      for (const [tenantId, rates] of metered) {
        if (deps.tenants.find(tenantId) === undefined) metered.delete(tenantId);
        applyLimits(tenantId, rates); // somebody at the machine may have changed the plan
        rates.messages.endWindow();
        rates.bytes.endWindow();
      }
    },
  });

  function ratesOf(tenantId: TenantId): TenantRates {
    const tenantRates = metered.get(tenantId);
    if (tenantRates !== undefined) return tenantRates;
    const [messages, bytes] = [new Metered(), new Metered()];
    const rates = { messages, bytes, meters: { messages: messages.meter, bytes: bytes.meter } };
    applyLimits(tenantId, rates);
    metered.set(tenantId, rates);
    return rates;
  }

  return {
    /** Returns the meters of all devices of a tenant; they follow the plan. */
    metersOf: (tenantId: TenantId): Meters => ratesOf(tenantId).meters,
    /** Returns the averages of the last full minute. */
    read(tenantId: TenantId): { perSecond: number; bytesPerSecond: number; refusedPerMinute: number } {
      const rates = metered.get(tenantId);
      if (rates === undefined) return { perSecond: 0, bytesPerSecond: 0, refusedPerMinute: 0 };
      const { messages, bytes } = rates;
      return {
        perSecond: messages.perSecond,
        bytesPerSecond: bytes.perSecond,
        refusedPerMinute: messages.refusedInWindow + bytes.refusedInWindow,
      };
    },
    start: upkeep.start,
    stop: upkeep.stop,
  };
}

export type MessageRateService = ReturnType<typeof createMessageRateService>;
