import { detail } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { DeviceState } from "../../lib/devices/device-state.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { OverviewRepository } from "./overview.repository.ts";
import type { Pin } from "./overview.types.ts";
import type { OverviewHistory } from "./overview-history.ts";
import type { OverviewPins } from "./overview-pins.service.ts";

/** Creates the service of the overview: key figures with their history, and pinned values. */
export function createOverviewService(deps: {
  repository: Pick<OverviewRepository, "countOpenAlarms">;
  history: Pick<OverviewHistory, "of" | "delete">;
  pins: Pick<OverviewPins, "of" | "save" | "delete">;
  devices: Pick<DevicesService, "ensureAllVisible" | "countStates">;
}) {
  const { repository, history, devices } = deps;

  return {
    pinsOf: (principal: Principal): Pin[] => deps.pins.of(principal),
    get(principal: Principal) {
      const { tenantId, devices: visible } = principal;
      const states = new Map(
        devices.countStates(principal, "without").map(({ state, count }) => [state, count]),
      );
      const countOf = (state: DeviceState) => states.get(state) ?? 0;
      return {
        devices: {
          total: states.values().reduce((sum, count) => sum + count, 0),
          active: countOf("ACTIVE"),
          inactive: countOf("INACTIVE"),
          neverConnected: countOf("NEVER_CONNECTED"),
          maintenance: countOf("MAINTENANCE"),
        },
        openAlarms: repository.countOpenAlarms(tenantId, visible),
        // The history counts all devices, also those that a user with limited access may not see.
        history: visible === "all" ? history.of(tenantId) : [],
        pins: deps.pins.of(principal),
      };
    },
    /** Replaces all pins. @throws DomainError `device.not_found` */
    setPins(principal: Principal, pins: readonly Pin[]): Pin[] {
      ensureAllDevices(principal, detail("action.pin_values"));
      devices.ensureAllVisible(
        principal,
        pins.map(({ deviceId }) => deviceId),
      );
      deps.pins.save(principal, pins);
      return deps.pins.of(principal);
    },
    /** Deletes the pins and the history of a tenant. */
    forget(tenantId: TenantId): void {
      deps.pins.delete(tenantId);
      history.delete(tenantId);
    },
  };
}

export type OverviewService = ReturnType<typeof createOverviewService>;
