import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { Pin } from "./overview.types.ts";

const nameOf = (tenantId: TenantId) => `overview pins ${tenantId}`;

/** Pinned values on the overview of each tenant. */
export class OverviewPins {
  readonly #deps: {
    readonly settings: SettingsService;
    readonly devices: Pick<DevicesService, "profilesOf">;
    readonly clock: Clock;
  };

  constructor(deps: {
    readonly settings: SettingsService;
    readonly devices: Pick<DevicesService, "profilesOf">;
    readonly clock: Clock;
  }) {
    this.#deps = deps;
  }

  /** Returns the pins of existing devices that the caller may see. */
  of(principal: Principal): Pin[] {
    const pins = this.#read(principal.tenantId) ?? [];
    const visible = this.#deps.devices.profilesOf(
      principal,
      pins.map(({ deviceId }) => deviceId),
    );
    return pins.filter(({ deviceId }) => visible.has(deviceId as DeviceId)); // a key of the map or not
  }

  /** Replaces all pins. Duplicates are kept once. */
  save({ tenantId }: Principal, pins: readonly Pin[]): void {
    const unique = new Map(pins.map(({ deviceId, key }) => [`${deviceId} ${key}`, { deviceId, key }]));
    this.#deps.settings.save(nameOf(tenantId), [...unique.values()], this.#deps.clock.now());
  }

  /** Saves pins if there are none: no value was pinned yet, or the devices of all pins were deleted. Pins removed by a user stay removed. */
  pinFirst(principal: Principal, pins: readonly Pin[]): void {
    const isEmptyByChoice = this.#read(principal.tenantId)?.length === 0;
    if (!isEmptyByChoice && this.of(principal).length === 0) this.save(principal, pins);
  }

  delete(tenantId: TenantId): void {
    this.#deps.settings.delete(nameOf(tenantId));
  }

  #read(tenantId: TenantId): Pin[] | undefined {
    return this.#deps.settings.read<Pin[]>(nameOf(tenantId));
  }
}
