import type { DeviceId, TenantId } from "../../../lib/ids.ts";
import { DeviceKeys, TenantKeys } from "./key-limits.ts";
import type { PatternNode } from "./pattern-tree.ts";
import type { StagedDevice } from "./staging-buffer.ts";
import type { WireSeries } from "./store.protocol.ts";
import type { KeyLimits } from "./store.types.ts";

/** A handle as the store keeps it. */
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

/** All devices of the telemetry file on the main thread, with the keys that each of them has. */
export class DeviceHandles {
  readonly #root: PatternNode;
  readonly #limitsOf: (tenantId: TenantId) => KeyLimits;
  readonly #byId = new Map<string, DeviceHandle>();
  readonly #byNo = new Map<number, DeviceHandle>();
  readonly #tenants = new Map<TenantId, TenantKeys>();

  constructor(root: PatternNode, limitsOf: (tenantId: TenantId) => KeyLimits) {
    this.#root = root;
    this.#limitsOf = limitsOf;
  }

  find(deviceId: string): DeviceHandle | undefined {
    return this.#byId.get(deviceId);
  }

  add(tenantId: TenantId, deviceId: DeviceId, no: number): DeviceHandle {
    const tenant = this.#tenants.get(tenantId) ?? new TenantKeys(tenantId, this.#limitsOf);
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

  /** The keys that the file has points of at the start. */
  load({ devices, counts, keys }: WireSeries): void {
    let at = 0;
    for (const [index, no] of devices.entries()) {
      const handle = this.#byNo.get(no);
      for (const end = at + counts[index]!; at < end; at++) handle?.keys.add(keys[at]!);
    }
  }

  /** Keys of a device have lost their last point. */
  drop(no: number, keys: readonly number[]): void {
    const handle = this.#byNo.get(no);
    if (handle === undefined) return;
    for (const key of keys) handle.keys.remove(key);
    // What the device reports next is compared with its keys again.
    handle.pattern = this.#root;
  }

  keyCount(tenantId: TenantId): number {
    return this.#tenants.get(tenantId)?.count ?? 0;
  }
}
