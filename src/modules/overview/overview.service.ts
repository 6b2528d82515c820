import { detail } from "../../lib/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import { ensureAllDevices } from "../tenants/tenants.errors.ts";
import type { Principal } from "../users/users.types.ts";
import type { OverviewRepository } from "./overview.repository.ts";
import type { Pin } from "./overview.types.ts";
import type { OverviewHistory } from "./overview-history.ts";

const nameOf = (tenantId: TenantId) => `overview pins ${tenantId}`;

/** Creates the service of the overview: key figures with their history, and pinned values. */
export function createOverviewService(deps: {
  repository: Pick<OverviewRepository, "countOpenAlarms">;
  history: Pick<OverviewHistory, "of" | "delete">;
  settings: SettingsService;
  devices: Pick<DevicesService, "ensureAllVisible" | "list" | "profilesOf">;
  clock: Clock;
}) {
  const { repository, history, settings, devices, clock } = deps;

  /** Returns the pins of devices that exist and that the caller may see. */
  function pinsOf(principal: Principal): Pin[] {
    const pins = settings.read<Pin[]>(nameOf(principal.tenantId)) ?? [];
    const visible = devices.profilesOf(
      principal,
      pins.map(({ deviceId }) => deviceId),
    );
    return pins.filter(({ deviceId }) => visible.has(deviceId as DeviceId)); // a key of the map or not
  }

  return {
    pinsOf,
    get(principal: Principal) {
      const { tenantId, devices: visible } = principal;
      const countOf = (active?: boolean) => devices.list(principal, { active, limit: 1, offset: 0 }).total;
      return {
        devices: { total: countOf(), active: countOf(true) },
        openAlarms: repository.countOpenAlarms(tenantId, visible),
        // The history counts all devices, also those that a user with limited access may not see.
        history: visible === "all" ? history.of(tenantId) : [],
        pins: pinsOf(principal),
      };
    },
    /** Replaces all pins. @throws DomainError `device.not_found` */
    setPins(principal: Principal, pins: readonly Pin[]): Pin[] {
      ensureAllDevices(principal, detail("action.pin_values"));
      devices.ensureAllVisible(
        principal,
        pins.map(({ deviceId }) => deviceId),
      );
      const unique = new Map(pins.map(({ deviceId, key }) => [`${deviceId} ${key}`, { deviceId, key }]));
      settings.save(nameOf(principal.tenantId), [...unique.values()], clock.now());
      return pinsOf(principal);
    },
    /** Deletes the pins and the history of a tenant. */
    forget(tenantId: TenantId): void {
      settings.delete(nameOf(tenantId));
      history.delete(tenantId);
    },
  };
}

export type OverviewService = ReturnType<typeof createOverviewService>;
