import type { DeviceId } from "../../lib/ids.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { DeviceFilter, DeviceWithActivity, SearchAttributes } from "./devices.types.ts";

/** Devices of one request to the store. */
const DEVICES_PER_BATCH = 2_000;

const VALUE_SORT = /^(-?)key:(.+)$/su;

/** Returns the key whose newest values order a list, or undefined for another order. */
function valueOrderOf(sort = ""): { key: string; isDescending: boolean } | undefined {
  const [, minus, key] = VALUE_SORT.exec(sort) ?? [];
  return key === undefined ? undefined : { key, isDescending: minus === "-" };
}

type Comparable = number | string;

/** Numbers and booleans come before texts; other values have no order. */
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
  readonly repository: Pick<DevicesRepository, "list" | "listIdsByName">;
  readonly store: Pick<TelemetryStore, "latest">;
  readonly searchAttributes: { readonly call: SearchAttributes };
}

/** Returns devices in the order of their newest values of a key. Those without such a value come last, by name. */
async function inOrder(
  deviceIds: readonly DeviceId[],
  { key, isDescending }: { key: string; isDescending: boolean },
  { store, signal }: { store: ValueOrderDeps["store"]; signal: AbortSignal },
): Promise<DeviceId[]> {
  const values = new Map<string, Comparable>();
  for (let begin = 0; begin < deviceIds.length; begin += DEVICES_PER_BATCH)
    for (const snapshot of await store.latest(
      deviceIds.slice(begin, begin + DEVICES_PER_BATCH),
      [key],
      signal,
    )) {
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

/** Creates the function that lists devices in any order, that of the newest values of a key included, and searches their attributes too. */
export const createSortedList =
  ({ repository, store, searchAttributes }: ValueOrderDeps) =>
  async (
    { tenantId, devices }: Pick<Principal, "tenantId" | "devices">,
    query: DeviceFilter,
    signal: AbortSignal,
  ): Promise<{ items: DeviceWithActivity[]; total: number }> => {
    const { search = "" } = query;
    const searched = search === "" ? [] : await searchAttributes.call(tenantId, search, signal);
    const filter = { ...query, searched };
    const order = valueOrderOf(filter.sort);
    if (order === undefined) return repository.list(tenantId, devices, filter);
    const sorted = await inOrder(repository.listIdsByName(tenantId, devices, filter), order, {
      store,
      signal,
    });
    const page = sorted.slice(filter.offset, filter.offset + filter.limit);
    const position = new Map(page.map((deviceId, index) => [deviceId, index]));
    const { items } = repository.list(tenantId, new Set(page), { limit: page.length, offset: 0 });
    const positionOf = ({ deviceId }: DeviceWithActivity) => position.get(deviceId) ?? page.length;
    return { items: items.toSorted((a, b) => positionOf(a) - positionOf(b)), total: sorted.length };
  };

export type SortedList = ReturnType<typeof createSortedList>;
