import { invalid } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { DAY_MS } from "../../lib/core/units.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import { callerName, type Principal } from "../users/users.types.ts";
import type { Maintenance } from "./maintenance.types.ts";
import type { MaintainedDevice, MaintenanceWatch } from "./maintenance-watch.ts";

/** Max. length of a maintenance, in days. */
export const LENGTH_DAYS_MAX = 366;
const LENGTH_MS_MAX = LENGTH_DAYS_MAX * DAY_MS;

/** Starts and ends maintenance on request. Devices that the caller cannot see yield `not_found`. */
export function createMaintenanceService(deps: {
  watch: MaintenanceWatch;
  devices: Pick<DevicesService, "get">;
  clock: Clock;
}) {
  const { watch, devices, clock } = deps;

  /** Returns the id of the device. @throws DomainError `not_found` if the caller may not see it */
  const maintained = (principal: Principal, deviceId: string): DeviceId =>
    devices.get(principal, deviceId).deviceId;

  return {
    /** Returns the maintenance of the device itself or of its gateway, whichever lasts longer. */
    of: (device: MaintainedDevice): Maintenance | undefined => watch.of(device),
    /** Returns the maintenance; for a gateway that the caller cannot see, only its times. */
    get(principal: Principal, deviceId: string): Maintenance | undefined {
      const { devices: seen } = principal;
      const device = devices.get(principal, deviceId);
      const maintenance = watch.of(device);
      if (maintenance === undefined || seen === "all" || seen.has(maintenance.deviceId)) return maintenance;
      return { ...maintenance, deviceId: device.deviceId, reason: "", by: "" };
    },
    /** Starts maintenance, or changes its end and reason if it is already running. */
    begin(
      principal: Principal,
      deviceId: string,
      { until, reason }: { readonly until: number; readonly reason: string },
    ): Maintenance {
      const id = maintained(principal, deviceId);
      const now = clock.now();
      const time = iso(now);
      if (until <= now) throw invalid("maintenance.over", { time });
      if (until > now + LENGTH_MS_MAX) throw invalid("maintenance.too_long", { time });
      const maintenance: Maintenance = {
        deviceId: id,
        tenantId: principal.tenantId,
        // If the clock was set back since, maintenance begins now.
        since: Math.min(watch.ofItself(id)?.since ?? now, now),
        until,
        reason: reason.trim(),
        by: callerName(principal),
      };
      watch.begin(maintenance);
      return maintenance;
    },
    /** Ends the maintenance, if there is one. */
    end(principal: Principal, deviceId: string): void {
      watch.end(maintained(principal, deviceId));
    },
  };
}

export type MaintenanceService = ReturnType<typeof createMaintenanceService>;
