import { useRef } from "preact/hooks";
import type { TelemetryValue } from "../../lib/api-types.ts";
import { useLive } from "../../platform/live.ts";

export type Values = Readonly<Record<string, TelemetryValue>>;

/** Follows the newest values of devices, by device. The component that reads it draws itself again, as with the clock. */
export function useNewestValues(deviceIds: readonly string[]): ReadonlyMap<string, Values> {
  const newest = useRef(new Map<string, Values>()).current;
  const take = ({ deviceId, values }: { deviceId: string; values: Values }) =>
    newest.set(deviceId, { ...newest.get(deviceId), ...values });
  const topics = deviceIds.length > 0 ? { topics: ["telemetry" as const], deviceIds } : undefined;
  useLive(topics, (message) => {
    if (message.type === "snapshot") message.telemetry.forEach(take);
    else if (message.topic === "telemetry") take(message);
  });
  return newest;
}
