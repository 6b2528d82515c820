import type { UplinkDevice } from "./target.types.ts";

const DEVICES_MAX = 100_000;

/** Cache of devices in the form of uplinks, including devices that are not selected. */
export class DeviceCache {
  readonly #ask: (deviceIds: readonly string[]) => Promise<readonly (UplinkDevice | null)[]>;
  /** Devices by id; null if not selected. */
  readonly #known = new Map<string, UplinkDevice | null>();

  constructor(ask: (deviceIds: readonly string[]) => Promise<readonly (UplinkDevice | null)[]>) {
    this.#ask = ask;
  }

  /** Returns false if the device is known not to be selected. */
  mayBeWanted(deviceId: string): boolean {
    return this.#known.get(deviceId) !== null;
  }

  /** Returns the selected devices among `deviceIds`, by id. */
  async get(deviceIds: readonly string[]): Promise<Map<string, UplinkDevice>> {
    const missing = deviceIds.filter((deviceId) => !this.#known.has(deviceId));
    if (missing.length > 0) {
      if (this.#known.size > DEVICES_MAX) this.#known.clear();
      const responses = await this.#ask(missing);
      for (const [index, deviceId] of missing.entries()) this.#known.set(deviceId, responses[index] ?? null);
    }
    return new Map(
      deviceIds.flatMap((deviceId): [string, UplinkDevice][] => {
        const device = this.#known.get(deviceId);
        return device ? [[deviceId, device]] : [];
      }),
    );
  }

  /** Forgets devices; all if empty. */
  forget(deviceIds: readonly string[]): void {
    if (deviceIds.length === 0) this.#known.clear();
    for (const deviceId of deviceIds) this.#known.delete(deviceId);
  }
}
