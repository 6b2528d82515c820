import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import { hostSeesAll } from "../tenants/tenants.errors.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Values } from "./gateway-readings.ts";
import { createOwnDevice, type OwnDevice } from "./own-device.ts";

const SETTINGS = "shared gateway devices";

/** Readings about the state of the gateway that reveal nothing about devices, messages or amount of data of other tenants. */
export const SHARED_KEYS = [
  "cpu_percent",
  "memory_percent",
  "temperature",
  "event_loop_p99_ms",
  "disk_used_percent",
  "disk_days_left",
  "clock_step_seconds",
  "storage_refuses",
  "backup_overdue",
  "backup_age_hours",
] as const;

/** Returns the readings that other tenants may see. */
export const sharedValues = (values: Values): Values =>
  Object.fromEntries(SHARED_KEYS.flatMap((key) => (values[key] === undefined ? [] : [[key, values[key]]])));

interface Stored {
  /** Tenants that may see key figures of the gateway. */
  readonly tenantIds: readonly TenantId[];
  /** Each tenant's device for key figures, also after its users have deleted it. */
  readonly devices: Readonly<Record<string, OwnDevice>>;
}

/** Tenant, and whether its users may see key figures of the gateway. */
interface SharedTenant {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly isAllowed: boolean;
}

interface SharedDevicesDeps {
  readonly settings: SettingsService;
  readonly tenants: Pick<TenantsService, "list" | "get">;
  readonly devices: Pick<DevicesService, "create" | "findNamed" | "roomFor" | "listIds">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly profiles: Pick<ProfilesService, "create" | "findNamed">;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Devices by which other tenants see key figures of the gateway, if its operators allow that. */
export class SharedDevices {
  readonly #deps: SharedDevicesDeps;
  #stored: Stored;

  constructor(deps: SharedDevicesDeps) {
    this.#deps = deps;
    this.#stored = deps.settings.read<Stored>(SETTINGS) ?? { tenantIds: [], devices: {} };
  }

  /** Lists all tenants except the gateway's own. */
  list(): SharedTenant[] {
    const allowed = new Set(this.#stored.tenantIds);
    return this.#deps.tenants
      .list()
      .filter(({ isHost }) => !isHost)
      .map(({ tenantId, name }) => ({ tenantId, name, isAllowed: allowed.has(tenantId) }));
  }

  /** Allows exactly these tenants. @throws DomainError `tenant.not_found`, or `conflict` for the gateway's own tenant */
  allow(tenantIds: readonly TenantId[]): void {
    const { tenants, directory } = this.#deps;
    const before = new Set(this.#stored.tenantIds);
    for (const tenantId of tenantIds) if (tenants.get(tenantId).isHost) throw hostSeesAll();
    // If users deleted the device, it is created again when the tenant is allowed again.
    const devices = Object.fromEntries(
      Object.entries(this.#stored.devices).filter(
        ([id, { deviceId }]) => before.has(id as TenantId) || directory.find(deviceId) !== undefined,
      ),
    );
    this.#save({ tenantIds: [...new Set(tenantIds)], devices });
  }

  /** Creates missing devices. Returns all existing ones. */
  ensureDevices(): DeviceId[] {
    if (this.#stored.tenantIds.length === 0) return [];
    const tenants = new Set(this.#deps.tenants.list().map(({ tenantId }) => tenantId));
    return this.#stored.tenantIds.flatMap((tenantId) => {
      if (!tenants.has(tenantId)) return [];
      const kept = this.#stored.devices[tenantId] ?? this.#create(tenantId);
      return kept === undefined || this.#deps.directory.find(kept.deviceId) === undefined
        ? []
        : [kept.deviceId];
    });
  }

  #create(tenantId: TenantId): OwnDevice | undefined {
    const { devices, log } = this.#deps;
    // A new tenant has no devices yet, and the console explains how to connect the first one.
    if (devices.listIds(tenantId).length === 0) return undefined;
    try {
      const created = createOwnDevice(tenantId, [], this.#deps);
      if (created === undefined) return undefined;
      this.#save({ ...this.#stored, devices: { ...this.#stored.devices, [tenantId]: created } });
      log.info("device for key figures of the gateway created", {
        tenantId,
        deviceId: created.deviceId,
      });
      return created;
    } catch (error) {
      log.warn("creating the device for key figures of the gateway failed", { tenantId, error });
      return undefined;
    }
  }

  #save(stored: Stored): void {
    this.#deps.settings.save(SETTINGS, stored, this.#deps.clock.now());
    this.#stored = stored;
  }
}
