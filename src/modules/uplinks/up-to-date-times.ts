import type { Clock } from "../../platform/clock.ts";
import type { SettingsService } from "../settings/settings.service.ts";

const SETTINGS = "uplinks-up-to-date";
/** While an uplink is up to date this is written so often only: the disk may be an SD card. */
const KEPT_MS = 600_000;

interface Deps {
  readonly settings: Pick<SettingsService, "read" | "save">;
  readonly clock: Clock;
}

/**
 * When each uplink was up to date for the last time, durably: an uplink whose target is away is behind also after a restart, and one that has
 * never worked since it exists.
 */
export class UpToDateTimes {
  readonly #deps: Deps;
  /** Id of the uplink → time stamp, as it was written last. */
  readonly #kept: Map<string, number>;
  /** Id of the uplink → the same on the running clock: the wall clock may be set. */
  readonly #monotonic = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#kept = new Map(Object.entries(deps.settings.read<Record<string, number>>(SETTINGS) ?? {}));
  }

  /** Begins to count for an uplink that runs. */
  begin(uplinkId: string, createdAt: number): void {
    const { clock } = this.#deps;
    const since = this.#kept.get(uplinkId) ?? createdAt;
    if (!this.#monotonic.has(uplinkId))
      this.#monotonic.set(uplinkId, clock.monotonic() - Math.max(0, clock.now() - since));
  }

  /** The uplink is up to date now. */
  note(uplinkId: string): void {
    this.#monotonic.set(uplinkId, this.#deps.clock.monotonic());
  }

  /** Seconds since the uplink was up to date; null for one that does not run. */
  lagOf(uplinkId: string): number | null {
    const upToDateMs = this.#monotonic.get(uplinkId);
    return upToDateMs === undefined ? null : (this.#deps.clock.monotonic() - upToDateMs) / 1_000;
  }

  /** Writes what has changed: soon for an uplink that has fallen behind, now and then for one that is up to date. */
  keep(uplinkId: string, isUpToDate: boolean): void {
    const { settings, clock } = this.#deps;
    if (isUpToDate) this.note(uplinkId);
    const lag = this.lagOf(uplinkId);
    if (lag === null) return;
    const upToDateAt = Math.round(clock.now() - lag * 1_000);
    const difference = Math.abs(upToDateAt - (this.#kept.get(uplinkId) ?? 0));
    // Behind: what differs by less is the clock.
    if (difference < (isUpToDate ? KEPT_MS : KEPT_MS / 20)) return;
    this.#kept.set(uplinkId, upToDateAt);
    settings.save(SETTINGS, Object.fromEntries(this.#kept), clock.now());
  }

  end(uplinkId: string): void {
    this.#monotonic.delete(uplinkId);
  }

  /** Forgets an uplink that was deleted. */
  forget(uplinkId: string): void {
    this.end(uplinkId);
    if (this.#kept.delete(uplinkId))
      this.#deps.settings.save(SETTINGS, Object.fromEntries(this.#kept), this.#deps.clock.now());
  }
}
