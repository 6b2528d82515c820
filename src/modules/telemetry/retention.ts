import { DAY_MS } from "../../lib/core/units.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { PlansService } from "../tenants/plans.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { TelemetryStore } from "./store/store.types.ts";

const FIRST_PASS_MS = 60_000;
const PASS_INTERVAL_MS = 3_600_000;

/** Deletes telemetry beyond the retention period of its profile (or of the gateway) once an hour, in small slices. */
export function createRetention(deps: {
  store: Pick<TelemetryStore, "applyRetention" | "stats">;
  tenants: Pick<TenantsService, "list">;
  plans: Pick<PlansService, "of">;
  devices: Pick<DevicesService, "listIds">;
  profiles: Pick<ProfilesService, "ensure">;
  /** 0 keeps telemetry forever. */
  defaultDays: number;
  clock: Clock;
  /** Returns the reference time for retention, in epoch ms; 0 while unknown. */
  retentionTime: () => number;
  log: Logger;
}) {
  const { clock, log } = deps;
  let cancel: () => void = () => undefined;
  /** Returns the retention period of the profile, otherwise of the gateway, limited by the tenant's plan. 0 keeps telemetry forever. */
  function retentionDays(ofProfile: number | null, planName: string): number {
    const wanted = ofProfile ?? deps.defaultDays;
    const allowed = deps.plans.of(planName).limits.retentionDays ?? 0;
    return wanted > 0 && allowed > 0 ? Math.min(wanted, allowed) : Math.max(wanted, allowed);
  }

  async function run(): Promise<{ pointsDeleted: number }> {
    const now = deps.retentionTime();
    if (now === 0) return { pointsDeleted: 0 };
    const cutoffs = deps.tenants.list().flatMap(({ tenantId, planName }) =>
      deps.devices.listIds(tenantId).flatMap(({ deviceId, profileId }) => {
        const days = retentionDays(deps.profiles.ensure(tenantId, profileId).retentionDays, planName);
        return days > 0 ? [{ deviceId, before: now - days * DAY_MS }] : [];
      }),
    );
    if (cutoffs.length === 0) return { pointsDeleted: 0 };
    const result = await deps.store.applyRetention(cutoffs);
    if (result.pointsDeleted > 0) log.info("old telemetry deleted", result);
    return result;
  }

  function schedule(delayMs: number): void {
    cancel = clock.schedule(delayMs, () => {
      run()
        .catch((error) => log.error("retention failed", { error }))
        .finally(() => schedule(PASS_INTERVAL_MS));
    });
  }

  return { start: (): void => schedule(FIRST_PASS_MS), stop: (): void => cancel() /** One pass now. */, run };
}
