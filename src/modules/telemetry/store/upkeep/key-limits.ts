import type { Reading, TelemetryValue } from "../../telemetry.types.ts";
import type { KeyLimitHit } from "../store.types.ts";
import type { TenantUse } from "./tenant-use.ts";

/** Length up to which searching a list is as fast as a set, with a fifth of its memory. */
const LISTED_MAX = 48;

/** Key numbers of a device with points, on the main thread, so that a limit applies before a key is numbered. */
export class DeviceKeys {
  readonly tenant: TenantUse;
  #keys: number[] | Set<number> = [];

  constructor(tenant: TenantUse) {
    this.tenant = tenant;
  }

  get size(): number {
    return Array.isArray(this.#keys) ? this.#keys.length : this.#keys.size;
  }

  has(key: number): boolean {
    return Array.isArray(this.#keys) ? this.#keys.includes(key) : this.#keys.has(key);
  }

  /** Adds a new key of the device. */
  add(key: number): void {
    this.tenant.count++;
    if (Array.isArray(this.#keys) && this.#keys.length >= LISTED_MAX) this.#keys = new Set(this.#keys);
    if (Array.isArray(this.#keys)) this.#keys.push(key);
    else this.#keys.add(key);
  }

  remove(key: number): void {
    if (!this.has(key)) return;
    this.tenant.count--;
    if (Array.isArray(this.#keys)) this.#keys = this.#keys.filter((other) => other !== key);
    else this.#keys.delete(key);
  }

  clear(): void {
    this.tenant.count -= this.size;
    this.#keys = [];
  }

  /** Returns the limit that `more` keys would exceed; `unnamed` of them are new to all devices. */
  limitBeyond(more: number, unnamed: number): Pick<KeyLimitHit, "scope" | "max"> | undefined {
    const { keysPerDevice, keys } = this.tenant.limits;
    if (keysPerDevice !== null && this.size + more > keysPerDevice)
      return { scope: "device", max: keysPerDevice };
    if (keys !== null && this.tenant.count + more > keys) return { scope: "tenant", max: keys };
    if (keys !== null && unnamed > 0 && this.tenant.newNames + unnamed > keys)
      return { scope: "new", max: keys };
    return undefined;
  }
}

/** Splits readings by the limits of their device. `numberOf` is undefined for a key that no device has. */
export function fitReadings(
  readings: readonly Reading[],
  keys: DeviceKeys,
  numberOf: (key: string) => number | undefined,
): { readings: Reading[]; hit: KeyLimitHit | undefined } {
  const added = new Set<string>();
  const refused = new Set<string>();
  /** Number of added keys that are new to all devices. */
  let unnamed = 0;
  let hit: Pick<KeyLimitHit, "scope" | "max"> | undefined;
  const fits = (key: string): boolean => {
    const number = numberOf(key);
    if ((number !== undefined && keys.has(number)) || added.has(key)) return true;
    const isUnnamed = number === undefined;
    const limit = keys.limitBeyond(added.size + 1, isUnnamed ? unnamed + 1 : 0);
    if (limit === undefined) {
      added.add(key);
      if (isUnnamed) unnamed++;
      return true;
    }
    hit = limit;
    refused.add(key);
    return false;
  };
  const fitting: Reading[] = [];
  for (const { ts, values } of readings) {
    const kept: Record<string, TelemetryValue> = Object.create(null);
    let count = 0;
    for (const [key, value] of Object.entries(values)) {
      if (!fits(key)) continue;
      kept[key] = value;
      count++;
    }
    if (count > 0) fitting.push({ ts, values: kept });
  }
  return { readings: fitting, hit: hit && { ...hit, keys: [...refused] } };
}
