import { type DomainError, notFound } from "../../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../../lib/core/ids.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { StagedDevice } from "./hot/staging-buffer.ts";
import type { PatternNode } from "./query/pattern-tree.ts";
import type { WireSeries } from "./store.protocol.ts";
import type { StoreLimits } from "./store.types.ts";
import { DeviceKeys } from "./upkeep/key-limits.ts";
import { TenantUse } from "./upkeep/tenant-use.ts";

/** Handle with the store's own fields. */
export class DeviceHandle implements StagedDevice {
  readonly tenantId: TenantId;
  readonly deviceId: DeviceId;
  readonly no: number;
  readonly keys: DeviceKeys;
  pattern: PatternNode;
  deleted = false;

  constructor(
    tenantId: TenantId,
    deviceId: DeviceId,
    of: { no: number; pattern: PatternNode; keys: DeviceKeys },
  ) {
    this.tenantId = tenantId;
    this.deviceId = deviceId;
    this.no = of.no;
    this.pattern = of.pattern;
    this.keys = of.keys;
  }
}

/** All devices of the telemetry file on the main thread, with their keys. */
export class DeviceHandles {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #root: PatternNode;
  readonly #limitsOf: (tenantId: TenantId) => StoreLimits;
  readonly #byId = new Map<string, DeviceHandle>();
  readonly #byNo = new Map<number, DeviceHandle>();
  readonly #tenants = new Map<TenantId, TenantUse>();

  constructor(
    root: PatternNode,
    limitsOf: (tenantId: TenantId) => StoreLimits,
    clock: Pick<Clock, "monotonic">,
  ) {
    this.#clock = clock;
    this.#root = root;
    this.#limitsOf = limitsOf;
  }

  find(deviceId: string): DeviceHandle | undefined {
    return this.#byId.get(deviceId);
  }

  add(tenantId: TenantId, deviceId: DeviceId, no: number): DeviceHandle {
    const tenant = this.#tenants.get(tenantId) ?? new TenantUse(tenantId, this.#limitsOf, this.#clock);
    this.#tenants.set(tenantId, tenant);
    const handle = new DeviceHandle(tenantId, deviceId, {
      no,
      keys: new DeviceKeys(tenant),
      pattern: this.#root,
    });
    this.#byId.set(deviceId, handle);
    this.#byNo.set(no, handle);
    return handle;
  }

  remove(handle: DeviceHandle): void {
    handle.deleted = true;
    handle.keys.clear();
    this.#byId.delete(handle.deviceId);
    this.#byNo.delete(handle.no);
  }

  /** Loads the keys with points in the file at startup. */
  load({ devices, counts, keys }: WireSeries): void {
    let position = 0;
    for (const [index, no] of devices.entries()) {
      const handle = this.#byNo.get(no);
      for (const end = position + counts[index]!; position < end; position++)
        handle?.keys.add(keys[position]!);
    }
  }

  /** Removes keys of a device that have lost their last point. */
  drop(no: number, keys: readonly number[]): void {
    const handle = this.#byNo.get(no);
    if (handle === undefined) return;
    for (const key of keys) handle.keys.remove(key);
    // The device's next message is compared with its keys again.
    handle.pattern = this.#root;
  }

  usageOf(tenantId: TenantId): { keys: number; storedBytes: number } {
    const tenant = this.#tenants.get(tenantId);
    return { keys: tenant?.count ?? 0, storedBytes: tenant?.storedBytes ?? 0 };
  }

  /** Starts counting the tenants' disk usage; the returned function takes the result. */
  beginCount(): (stored: ReadonlyMap<string, number>) => void {
    const counts = [...this.#tenants].map(([tenantId, tenant]) => [tenantId, tenant.beginCount()] as const);
    return (stored) => {
      for (const [tenantId, settle] of counts) settle(stored.get(tenantId) ?? 0);
    };
  }
}

export const deviceGone = (): DomainError => notFound("device.deleted");
