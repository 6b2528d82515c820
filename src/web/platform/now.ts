// The gateway's clock, because gateways without a battery may be minutes or years off, and "the last 15 minutes" means theirs.
import { signal } from "@preact/signals";

/** The Date header has a resolution of one second; smaller differences are noise. */
const SKEW_MIN_MS = 2000;

let skewMs = 0;

export const serverNow = (): number => Date.now() + skewMs;

/** Ticks once a second, for "3 s ago" and moving time windows. */
export const now = signal(serverNow());

export function noteServerTime(dateHeader: string | null, receivedAt: number): void {
  const stated = dateHeader === null ? Number.NaN : Date.parse(dateHeader);
  if (!Number.isFinite(stated)) return;
  const skew = stated + 500 - receivedAt;
  skewMs = Math.abs(skew) < SKEW_MIN_MS ? 0 : skew;
}

export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === "visible") now.value = serverNow();
  };
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}
