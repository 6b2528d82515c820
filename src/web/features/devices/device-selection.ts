import { useMemo, useState } from "preact/hooks";
import type { DevicePages } from "./device-pages.ts";

/** Selected devices of a list, with changes by row. */
export interface DeviceSelection {
  readonly size: number;
  readonly ids: readonly string[];
  readonly isBusy: boolean;
  has(deviceId: string): boolean;
  nameOf(deviceId: string): string;
  /** Toggles a row; with `isRange` all rows since the previously clicked one. */
  toggle(index: number, isRange: boolean): void;
  selectAll(): void;
  clear(): void;
}

/** Keeps the selected devices of a list in any order. Another `key` begins without a selection. */
export function useDeviceSelection(pages: DevicePages, key: string): DeviceSelection {
  const [version, setVersion] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const state = useMemo(() => ({ names: new Map<string, string>(), anchor: 0 }), [key]);
  const changed = () => setVersion((number) => number + 1);
  const take = async (start: number, end: number, on: boolean) => {
    setBusy(true);
    try {
      for (const { deviceId, name } of await pages.slice(start, end)) {
        if (on) state.names.set(deviceId, name);
        else state.names.delete(deviceId);
      }
    } catch (error) {
      pages.error.value = error;
    } finally {
      setBusy(false);
      changed();
    }
  };
  const ids = useMemo(() => [...state.names.keys()], [state, version]);
  return {
    size: ids.length,
    ids,
    isBusy,
    has: (deviceId) => state.names.has(deviceId),
    nameOf: (deviceId) => state.names.get(deviceId) ?? deviceId,
    toggle(index, isRange) {
      const row = pages.row(index);
      if (row === undefined) return;
      const from = isRange ? state.anchor : index;
      state.anchor = index;
      void take(Math.min(from, index), Math.max(from, index) + 1, !state.names.has(row.deviceId));
    },
    selectAll: () => void take(0, pages.total.value ?? 0, true),
    clear() {
      state.names.clear();
      changed();
    },
  };
}
