import type { TenantId } from "../../lib/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { SettingsService } from "../settings/settings.service.ts";
import type { OverviewRepository } from "./overview.repository.ts";
import type { OverviewSample } from "./overview.types.ts";

const INTERVAL_MS = 600_000;
const SPAN_MS = 86_400_000;
/** Max. samples of one day, including both ends. */
const SAMPLES_MAX = SPAN_MS / INTERVAL_MS + 1;

const nameOf = (tenantId: TenantId) => `overview history ${tenantId}`;

/**
 * History of each tenant's counts over the last day, which telemetry does not contain. A sample is taken every ten minutes and survives a restart.
 */
export class OverviewHistory {
  readonly #timer: { start(): void; stop(): void };

  readonly #deps: {
    readonly repository: Pick<OverviewRepository, "countOpenByTenant">;
    readonly devices: Pick<DevicesService, "countActiveByTenant">;
    readonly settings: SettingsService;
    readonly clock: Clock;
    readonly log: Logger;
  };

  constructor(deps: {
    readonly repository: Pick<OverviewRepository, "countOpenByTenant">;
    readonly devices: Pick<DevicesService, "countActiveByTenant">;
    readonly settings: SettingsService;
    readonly clock: Clock;
    readonly log: Logger;
  }) {
    this.#deps = deps;
    const { clock, log } = deps;
    this.#timer = createPeriodic({ clock, log, intervalMs: INTERVAL_MS, work: () => this.#sample() });
  }

  start(): void {
    this.#timer.start();
  }

  stop(): void {
    this.#timer.stop();
  }

  /** Returns the samples of the last 24 hours, oldest first. */
  of(tenantId: TenantId): OverviewSample[] {
    const now = this.#deps.clock.now();
    const samples = this.#deps.settings.read<OverviewSample[]>(nameOf(tenantId)) ?? [];
    return samples.filter(({ ts }) => ts <= now && now - ts <= SPAN_MS); // the clock may have been set back
  }

  delete(tenantId: TenantId): void {
    this.#deps.settings.delete(nameOf(tenantId));
  }

  #sample(): void {
    const { repository, devices, settings, clock } = this.#deps;
    const ts = clock.now();
    const open = repository.countOpenByTenant();
    for (const [tenantId, activeDevices] of devices.countActiveByTenant()) {
      const sample = { ts, activeDevices, openAlarms: open.get(tenantId) ?? 0 };
      const samples = [...this.of(tenantId), sample].slice(-SAMPLES_MAX);
      settings.save(nameOf(tenantId), samples, ts);
    }
  }
}
