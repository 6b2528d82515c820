import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Clock } from "../../platform/time/clock.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { Principal } from "../users/users.types.ts";
import type { Pin } from "./overview.types.ts";

const nameOf = (tenantId: TenantId) => `overview pins ${tenantId}`;

/** The values that the overview of each tenant shows. */
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

  /** Returns the pins of devices that exist and that the caller may see. */
  of(principal: Principal): Pin[] {
    const pins = this.#read(principal.tenantId) ?? [];
    const visible = this.#deps.devices.profilesOf(
      principal,
      pins.map(({ deviceId }) => deviceId),
    );
    return pins.filter(({ deviceId }) => visible.has(deviceId as DeviceId)); // a key of the map or not
  }

  /** Replaces all pins. A pin that is listed twice is kept once. */
  save({ tenantId }: Principal, pins: readonly Pin[]): void {
    const unique = new Map(pins.map(({ deviceId, key }) => [`${deviceId} ${key}`, { deviceId, key }]));
    this.#deps.settings.save(nameOf(tenantId), [...unique.values()], this.#deps.clock.now());
  }

  /** Saves pins where there are none: nobody has pinned a value, or the devices of all pins are gone. Pins that somebody removed stay removed. */
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
