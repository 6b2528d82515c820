import type { Clock } from "../../platform/time/clock.ts";
import type { SettingsService } from "../settings/settings.service.ts";

const SETTINGS = "uplinks-up-to-date";
/** Write interval while an uplink is up to date, to reduce SD-card wear. */
const KEPT_MS = 600_000;

interface Deps {
  readonly settings: Pick<SettingsService, "read" | "save">;
  readonly clock: Clock;
}

/**
 * Persisted times at which each uplink was last up to date, so that the lag survives a restart. An uplink that has never worked
 * lags since its creation.
 */
export class UpToDateTimes {
  readonly #deps: Deps;
  /** Uplink id → last written timestamp. */
  readonly #kept: Map<string, number>;
  /** Uplink id → the same time on the monotonic clock, because the wall clock may be set. */
  readonly #monotonic = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#kept = new Map(Object.entries(deps.settings.read<Record<string, number>>(SETTINGS) ?? {}));
  }

  /** Starts counting for a running uplink. */
  begin(uplinkId: string, createdAt: number): void {
    const { clock } = this.#deps;
    const since = this.#kept.get(uplinkId) ?? createdAt;
    if (!this.#monotonic.has(uplinkId))
      this.#monotonic.set(uplinkId, clock.monotonic() - Math.max(0, clock.now() - since));
  }

  /** Records that the uplink is up to date now. */
  note(uplinkId: string): void {
    this.#monotonic.set(uplinkId, this.#deps.clock.monotonic());
  }

  /** Returns the seconds since the uplink was up to date; null if it does not run. */
  lagOf(uplinkId: string): number | null {
    const upToDateMs = this.#monotonic.get(uplinkId);
    return upToDateMs === undefined ? null : (this.#deps.clock.monotonic() - upToDateMs) / 1_000;
  }

  /** Writes changed times: soon for uplinks that lag behind, every `KEPT_MS` for uplinks that are up to date. */
  keep(uplinkId: string, isUpToDate: boolean): void {
    const { settings, clock } = this.#deps;
    if (isUpToDate) this.note(uplinkId);
    const lag = this.lagOf(uplinkId);
    if (lag === null) return;
    const upToDateAt = Math.round(clock.now() - lag * 1_000);
    const difference = Math.abs(upToDateAt - (this.#kept.get(uplinkId) ?? 0));
    // Lagging behind: smaller differences come from the clock.
    if (difference < (isUpToDate ? KEPT_MS : KEPT_MS / 20)) return;
    this.#kept.set(uplinkId, upToDateAt);
    settings.save(SETTINGS, Object.fromEntries(this.#kept), clock.now());
  }

  end(uplinkId: string): void {
    this.#monotonic.delete(uplinkId);
  }

  /** Removes a deleted uplink. */
  forget(uplinkId: string): void {
    this.end(uplinkId);
    if (this.#kept.delete(uplinkId))
      this.#deps.settings.save(SETTINGS, Object.fromEntries(this.#kept), this.#deps.clock.now());
  }
}
