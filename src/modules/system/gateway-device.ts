import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { IngestService } from "../ingest/ingest.service.ts";
import type { ProfilesService } from "../profiles/profiles.service.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { TenantsService } from "../tenants/tenants.service.ts";
import { gatewayAlarmRules } from "./gateway-profile.ts";
import type { GatewayReadings, Values } from "./gateway-readings.ts";
import { createOwnDevice, type OwnDevice } from "./own-device.ts";
import { type SharedDevices, sharedValues } from "./shared-devices.ts";

const SETTINGS = "gateway device";
const INTERVAL_MS = 60_000;

export interface GatewayDeviceDeps {
  readonly settings: SettingsService;
  readonly tenants: Pick<TenantsService, "list">;
  readonly devices: Pick<DevicesService, "create" | "findNamed" | "roomFor">;
  readonly directory: Pick<DeviceDirectory, "find">;
  readonly profiles: Pick<ProfilesService, "create" | "findNamed">;
  readonly countDevices: () => number;
  readonly shared: Pick<SharedDevices, "ensureDevices">;
  readonly ingest: Pick<IngestService, "readings">;
  readonly readings: GatewayReadings;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Gateway as a device of its own tenant: its readings are stored once a minute like those of any device, with history, alarms and dashboards. It is
 * created together with the first device of a user, and not recreated after deletion. Tenants that may see key figures of the gateway have such a
 * device, too.
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
        .catch((error) => log.warn("reading the gateway's earlier values failed", { error }));
    readings.delay.start();
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
    this.#deps.readings.delay.stop();
  }

  /** Id of the device; undefined before its creation and after its deletion. */
  get deviceId(): DeviceId | undefined {
    const kept = this.#deps.settings.read<OwnDevice>(SETTINGS);
    return kept !== undefined && this.#deps.directory.find(kept.deviceId) !== undefined
      ? kept.deviceId
      : undefined;
  }

  #report(): void {
    const { readings, shared } = this.#deps;
    const own = this.#ensureDevice();
    const others = shared.ensureDevices();
    if (own === undefined && others.length === 0) return;
    const values = readings.read();
    if (own !== undefined) this.#store(own, values);
    for (const deviceId of others) this.#store(deviceId, sharedValues(values));
  }

  #store(deviceId: DeviceId, values: Values): void {
    const { directory, ingest, clock, log } = this.#deps;
    const device = directory.find(deviceId);
    if (device === undefined) return;
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
    const { settings, tenants, clock, log } = this.#deps;
    const kept = settings.read<OwnDevice>(SETTINGS);
    if (kept !== undefined) return kept.deviceId;
    const host = tenants.list().find(({ isHost }) => isHost);
    // A new gateway has no devices yet, and its console explains how to connect the first one.
    if (host === undefined || this.#deps.countDevices() === 0) return undefined;
    const created = createOwnDevice(host.tenantId, gatewayAlarmRules, this.#deps);
    if (created === undefined) return undefined;
    settings.save(SETTINGS, created, clock.now());
    log.info("device of the gateway itself created", { deviceId: created.deviceId });
    return created.deviceId;
  }
}
