import { DomainError } from "../../lib/domain-error.ts";
import type { DeviceId, ProfileId, TenantId, UserId } from "../../lib/ids.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Logger } from "../../platform/log.ts";
import { createPeriodic } from "../../platform/periodic.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import type { Principal } from "../users/users.types.ts";
import { GATEWAY_DEVICE_TYPE, gatewayAlarmRules } from "./gateway-profile.ts";
import type { GatewayReadings } from "./gateway-readings.ts";

const SETTINGS = "gateway device";
const NAME = "This gateway";
const INTERVAL_MS = 60_000;
const RETENTION_DAYS = 400;

interface Kept {
  readonly deviceId: DeviceId;
  readonly profileId: ProfileId;
}

export interface GatewayDeviceDeps {
  readonly settings: SettingsService;
  readonly tenants: Pick<TenantsService, "list">;
  readonly devices: Pick<DevicesService, "create" | "findNamed" | "roomFor">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly profiles: Pick<ProfilesService, "create" | "list">;
  readonly countDevices: () => number;
  readonly ingest: Pick<IngestService, "readings">;
  readonly readings: GatewayReadings;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The principal that creates the gateway's own device. It is no user: audit and access know nothing under its id. */
const principalOf = (tenantId: TenantId): Principal => ({
  userId: "gateway" as UserId,
  email: "gateway",
  tenantId,
  role: "TENANT_RW",
  sessionId: "",
  canAcknowledgeAlarms: false,
  devices: "all",
});

/**
 * The gateway as a device of its own tenant: its readings are stored once a minute like those of any device, with history, alarms and
 * dashboards. It is created beside the first device of a person. Whoever deletes it does not get another one.
 */
export class GatewayDevice {
  readonly #deps: GatewayDeviceDeps;
  readonly #timer: { start(): void; stop(): void };

  constructor(deps: GatewayDeviceDeps) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#timer = createPeriodic({ clock, log, intervalMs: INTERVAL_MS, work: () => this.#report() });
  }

  start(): void {
    const { readings, log } = this.#deps;
    const { deviceId } = this;
    if (deviceId !== undefined)
      readings
        .recall(deviceId)
        .catch((error) => log.warn("the gateway's earlier readings could not be read", { error }));
    readings.delay.start();
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
    this.#deps.readings.delay.stop();
  }

  /** Id of the device; undefined before it was created, and after it was deleted. */
  get deviceId(): DeviceId | undefined {
    const kept = this.#deps.settings.read<Kept>(SETTINGS);
    return kept !== undefined && this.#deps.directory.find(kept.deviceId) !== undefined
      ? kept.deviceId
      : undefined;
  }

  #report(): void {
    const { directory, ingest, readings, clock, log } = this.#deps;
    const deviceId = this.#ensureDevice();
    const device = deviceId === undefined ? undefined : directory.find(deviceId);
    if (device === undefined) return;
    const values = readings.read();
    try {
      ingest.readings(device, [{ ts: clock.now(), values }]).catch((error) => this.#notStored(error));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      log.debug("the gateway's own readings were refused", { error });
    }
  }

  #notStored(error: unknown): void {
    this.#deps.log.debug("the gateway's own readings were not stored", { error });
  }

  #ensureDevice(): DeviceId | undefined {
    const { settings, tenants, devices, profiles, clock, log } = this.#deps;
    const kept = settings.read<Kept>(SETTINGS);
    if (kept !== undefined) return kept.deviceId;
    const host = tenants.list().find(({ isHost }) => isHost);
    // A new gateway has no device yet, and its screens say how the first one is connected.
    if (host === undefined || this.#deps.countDevices() === 0 || devices.roomFor(host.tenantId) === 0)
      return undefined;
    const principal = principalOf(host.tenantId);
    const isDevice = (name: string) => devices.findNamed(host.tenantId, name).length > 0;
    // A site file may have brought the profile of another gateway, with the rules that people changed.
    const existing = profiles.list(principal).find(({ name }) => name === NAME);
    const { profileId } =
      existing ??
      profiles.create(principal, {
        name: NAME,
        description: "Readings and alarms of the gateway itself",
        alarmRules: gatewayAlarmRules,
        retentionDays: RETENTION_DAYS,
      });
    const { deviceId } = devices.create(principal, {
      name: freeName(isDevice),
      deviceType: GATEWAY_DEVICE_TYPE,
      profileId,
    });
    settings.save(SETTINGS, { deviceId, profileId } satisfies Kept, clock.now());
    log.info("the gateway has a device of its own", { deviceId });
    return deviceId;
  }
}

function freeName(isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? NAME : `${NAME} ${number}`;
    if (!isTaken(name)) return name;
  }
}
