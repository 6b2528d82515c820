import { signal } from "@preact/signals";
import { devicesApi } from "./devices-api.ts";

/** Device id → its name; undefined while it is being asked for. Live messages carry ids only. */
const names = signal<ReadonlyMap<string, string | undefined>>(new Map());

function keep(entries: readonly (readonly [string, string | undefined])[]): void {
  names.value = new Map([...names.value, ...entries]);
}

export function rememberNames(rows: readonly { deviceId: string; name: string }[]): void {
  keep(rows.map((row) => [row.deviceId, row.name]));
}

/** Asks for a name that is not known yet; the reader follows when it arrives. */
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
