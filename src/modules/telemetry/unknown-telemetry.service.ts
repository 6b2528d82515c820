import { setImmediate } from "node:timers/promises";
import type { DeviceId } from "../../lib/core/ids.ts";
import type { Problem } from "../../platform/core/health.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Part } from "../../platform/process/lifecycle.ts";
import type { TelemetryStore } from "./store/store.types.ts";

interface UnknownTelemetryDeps {
  readonly store: Pick<TelemetryStore, "deviceIds" | "deleteDevice">;
  readonly devices: {
    listAllIds(): ReadonlySet<DeviceId>;
    /** Lists deleted devices whose telemetry may still exist. */
    listDeleted(): readonly DeviceId[];
    forgetDeleted(ids: readonly DeviceId[]): void;
  };
  readonly log: Logger;
}

const FORGOTTEN_PER_STEP = 500;

/**
 * Telemetry without a device. If the device was deleted, a crash interrupted the deletion, and startup completes it. Otherwise the device table lost
 * the device (an older or new lineside.db), and the telemetry is kept until an owner deletes it.
 */
export class UnknownTelemetry implements Part {
  readonly name = "telemetry without a device";
  readonly #deps: UnknownTelemetryDeps;
  #unknown: readonly DeviceId[] = [];

  constructor(deps: UnknownTelemetryDeps) {
    this.#deps = deps;
  }

  start(): void {
    // Not awaited: nothing depends on it.
    this.#look().catch((error) =>
      this.#deps.log.warn("search for telemetry of unknown devices failed", { error }),
    );
  }

  /** Number of devices with telemetry that are missing from the device table. */
  get count(): number {
    return this.#unknown.length;
  }

  problem(): Problem | undefined {
    if (this.count === 0) return undefined;
    return { severity: "WARNING", code: "storage.unknown_devices", params: { count: this.count } };
  }

  /** Deletes the telemetry of all unknown devices. */
  async delete(): Promise<void> {
    const { devices, log } = this.#deps;
    const present = devices.listAllIds(); // a restored device may have come back
    const unknown = this.#unknown.filter((id) => !present.has(id));
    await this.#deleteAll(unknown);
    this.#unknown = [];
    log.warn("telemetry of unknown devices deleted on request", { devices: unknown.length });
  }

  async #look(): Promise<void> {
    const { store, devices, log } = this.#deps;
    const stored = await store.deviceIds();
    const present = devices.listAllIds(); // ids only: reading thousands of devices would delay the start
    const deleted = new Set(devices.listDeleted());
    const orphans = stored.filter((id) => !present.has(id));
    this.#unknown = orphans.filter((id) => !deleted.has(id));
    if (this.count > 0)
      log.error("telemetry of unknown devices kept", {
        devices: this.count,
      });
    await this.#finish(orphans.filter((id) => deleted.has(id)));
    for (let from = 0, ids = [...deleted]; from < ids.length; from += FORGOTTEN_PER_STEP) {
      devices.forgetDeleted(ids.slice(from, from + FORGOTTEN_PER_STEP));
      await setImmediate();
    }
  }

  /** Finishes deletions that a crash interrupted. */
  async #finish(orphans: readonly DeviceId[]): Promise<void> {
    if (orphans.length === 0) return;
    await this.#deleteAll(orphans);
    this.#deps.log.info("interrupted telemetry deletion completed", { devices: orphans.length });
  }

  async #deleteAll(ids: readonly DeviceId[]): Promise<void> {
    for (const id of ids) await this.#deps.store.deleteDevice(id);
  }
}
