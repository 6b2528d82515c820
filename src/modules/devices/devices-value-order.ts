import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { DeviceFilter, DeviceWithActivity, SearchAttributes } from "./devices.types.ts";

/** Devices read without a pause: a page of the default size. */
const DEVICES_PER_SLICE = 1_000;

/** Page of devices that is read slice by slice. */
export interface DeviceList {
  /** Number of devices on all pages. */
  readonly total: number;
  /** Number of devices on this page; fewer if some are deleted while it is read. */
  readonly count: number;
  slices(): Iterable<readonly DeviceWithActivity[]>;
}

const VALUE_SORT = /^(-?)key:(.+)$/su;

/** Returns the key whose newest values order a list; undefined for another order. */
function valueOrderOf(sort = ""): { key: string; isDescending: boolean } | undefined {
  const [, minus, key] = VALUE_SORT.exec(sort) ?? [];
  return key === undefined ? undefined : { key, isDescending: minus === "-" };
}

type Comparable = number | string;

/** Returns a value for comparison. Numbers and booleans precede strings; other values have no order. */
function comparableOf(value: unknown): Comparable | undefined {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" || typeof value === "string" ? value : undefined;
}

function compare(a: Comparable, b: Comparable): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

interface ValueOrderDeps {
  readonly repository: Pick<DevicesRepository, "list" | "listPageIds" | "listIdsByName" | "findByText">;
  readonly store: Pick<TelemetryStore, "latestScalars">;
  readonly searchAttributes: { readonly call: SearchAttributes };
}

/** Returns devices ordered by their newest values of a key. Devices without such a value come last, by name. */
async function inOrder(
  deviceIds: readonly DeviceId[],
  { key, isDescending }: { key: string; isDescending: boolean },
  { store, signal }: { store: ValueOrderDeps["store"]; signal: AbortSignal },
): Promise<DeviceId[]> {
  const values = new Map<string, Comparable>();
  for await (const snapshots of store.latestScalars(deviceIds, [key], signal))
    for (const snapshot of snapshots) {
      const value = comparableOf(snapshot.values[key]);
      if (value !== undefined) values.set(snapshot.deviceId, value);
    }
  return deviceIds.toSorted((a, b) => {
    const [left, right] = [values.get(a), values.get(b)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined);
    return isDescending ? compare(right, left) : compare(left, right);
  });
}

/** Reads the devices in the order of their ids, in slices. */
function* slicesOf(
  repository: Pick<DevicesRepository, "list">,
  tenantId: TenantId,
  deviceIds: readonly DeviceId[],
): Generator<DeviceWithActivity[]> {
  for (let begin = 0; begin < deviceIds.length; begin += DEVICES_PER_SLICE) {
    const slice = deviceIds.slice(begin, begin + DEVICES_PER_SLICE);
    const { items } = repository.list(tenantId, new Set(slice), { limit: slice.length, offset: 0 });
    const byId = new Map(items.map((device) => [device.deviceId, device]));
    yield slice.flatMap((deviceId) => byId.get(deviceId) ?? []);
  }
}

/** Returns the devices that match `search` and `tag`, with those whose attributes contain the text; undefined without either. */
async function foundBy(
  { search = "", tag }: DeviceFilter,
  tenantId: TenantId,
  { repository, searchAttributes, signal }: Omit<ValueOrderDeps, "store"> & { signal: AbortSignal },
): Promise<readonly DeviceId[] | undefined> {
  if (search === "" && tag === undefined) return undefined;
  const byText = await repository.findByText(tenantId, { search, tag }, signal);
  if (search === "") return byText;
  const byAttribute = await searchAttributes.call(tenantId, search, signal);
  if (byAttribute.length === 0) return byText;
  const tagged =
    tag === undefined ? undefined : new Set(await repository.findByText(tenantId, { tag }, signal));
  return [...byText, ...byAttribute.filter((deviceId) => tagged?.has(deviceId) ?? true)];
}

/** Creates the function that lists devices in any order, including by newest values of a key, and also searches attributes. */
export const createSortedList =
  ({ repository, store, searchAttributes }: ValueOrderDeps) =>
  async (
    { tenantId, devices }: Pick<Principal, "tenantId" | "devices">,
    query: DeviceFilter,
    signal: AbortSignal,
  ): Promise<DeviceList> => {
    const found = await foundBy(query, tenantId, { repository, searchAttributes, signal });
    const filter = { ...query, found };
    const order = valueOrderOf(filter.sort);
    const listOf = (deviceIds: readonly DeviceId[], total: number): DeviceList => ({
      total,
      count: deviceIds.length,
      slices: () => slicesOf(repository, tenantId, deviceIds),
    });
    if (order !== undefined) {
      const ids = repository.listIdsByName(tenantId, devices, filter);
      const sorted = await inOrder(ids, order, { store, signal });
      return listOf(sorted.slice(filter.offset, filter.offset + filter.limit), sorted.length);
    }
    if (filter.limit > DEVICES_PER_SLICE) {
      const { deviceIds, total } = repository.listPageIds(tenantId, devices, filter);
      return listOf(deviceIds, total);
    }
    const { items, total } = repository.list(tenantId, devices, filter);
    return { total, count: items.length, slices: () => [items] };
  };

export type SortedList = ReturnType<typeof createSortedList>;
