import type { UplinkDevice } from "./target.types.ts";

const DEVICES_MAX = 100_000;

/** Devices as an uplink names them; those that it does not send are remembered, too. */
export class DeviceCache {
  readonly #ask: (deviceIds: readonly string[]) => Promise<readonly (UplinkDevice | null)[]>;
  /** Keyed by id; null for a device that is not selected. */
  readonly #known = new Map<string, UplinkDevice | null>();

  constructor(ask: (deviceIds: readonly string[]) => Promise<readonly (UplinkDevice | null)[]>) {
    this.#ask = ask;
  }

  /** False for a device of which it is known that it is not selected. */
  mayBeWanted(deviceId: string): boolean {
    return this.#known.get(deviceId) !== null;
  }

  /** Returns the selected ones among the devices, by id. */
  async get(deviceIds: readonly string[]): Promise<Map<string, UplinkDevice>> {
    const missing = deviceIds.filter((deviceId) => !this.#known.has(deviceId));
    if (missing.length > 0) {
      if (this.#known.size > DEVICES_MAX) this.#known.clear();
      const answers = await this.#ask(missing);
      for (const [index, deviceId] of missing.entries()) this.#known.set(deviceId, answers[index] ?? null);
    }
    return new Map(
      deviceIds.flatMap((deviceId): [string, UplinkDevice][] => {
        const device = this.#known.get(deviceId);
        return device ? [[deviceId, device]] : [];
      }),
    );
  }

  /** Empty: all. */
  forget(deviceIds: readonly string[]): void {
    if (deviceIds.length === 0) this.#known.clear();
    for (const deviceId of deviceIds) this.#known.delete(deviceId);
  }
}
