import { signal } from "@preact/signals";
import { devicesApi } from "./devices-api.ts";

/** Names by device id; undefined while loading. Live messages only contain ids. */
const names = signal<ReadonlyMap<string, string | undefined>>(new Map());

function keep(entries: readonly (readonly [string, string | undefined])[]): void {
  names.value = new Map([...names.value, ...entries]);
}

export function rememberNames(rows: readonly { deviceId: string; name: string }[]): void {
  keep(rows.map((row) => [row.deviceId, row.name]));
}

/** Returns a name. Loads an unknown one, after which the reader is updated. */
export function nameOf(deviceId: string): string {
  const existing = names.value.get(deviceId);
  if (!names.peek().has(deviceId)) {
    queueMicrotask(() => keep([[deviceId, undefined]]));
    devicesApi.get(deviceId).then(
      (device) => keep([[deviceId, device.name]]),
      () => undefined,
    );
  }
  return existing ?? "…";
}
