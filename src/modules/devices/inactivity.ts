import { type ObservedInterval, silenceTimeoutOf } from "../../lib/time/observed-interval.ts";

/** Sources of a device's inactivity timeout. */
export const INACTIVITY_SOURCES = ["DEVICE", "PROFILE", "OBSERVED", "DEFAULT"] as const;

export interface Inactivity {
  readonly timeoutMs: number;
  readonly source: (typeof INACTIVITY_SOURCES)[number];
  /** Observed interval from which the timeout is derived. */
  readonly intervalMs?: number;
}

/** Returns the effective timeout: the device's, otherwise the profile's, otherwise three times the observed interval. */
export function inactivityOf(
  set: { readonly deviceMs: number | null; readonly profileMs: number | null },
  observed: Readonly<ObservedInterval>,
): Inactivity {
  if (set.deviceMs !== null) return { timeoutMs: set.deviceMs, source: "DEVICE" };
  if (set.profileMs !== null) return { timeoutMs: set.profileMs, source: "PROFILE" };
  const { timeoutMs, intervalMs } = silenceTimeoutOf(observed);
  if (intervalMs === undefined) return { timeoutMs, source: "DEFAULT" };
  return { timeoutMs: Math.round(timeoutMs), source: "OBSERVED", intervalMs: Math.round(intervalMs) };
}
