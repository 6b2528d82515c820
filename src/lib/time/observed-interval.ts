/*
 * Learns the interval at which a device reports, and derives from it how long a silence is normal. The mean weighs each gap by its length, so that a
 * burst of messages counts for no more than its duration. A silence beyond the timeout may be a failure or a new, slower interval; it becomes the
 * interval only if it repeats without usual reporting in between.
 */

/** Default timeout during the first observations. */
export const SILENCE_DEFAULT_MS = 600_000;
export const SILENCE_MIN_MS = 60_000;
export const SILENCE_MAX_MS = 30 * 86_400_000;
export const SILENCE_INTERVALS = 3;

const INTERVAL_MIN_MS = SILENCE_MIN_MS / SILENCE_INTERVALS;
/** Observation time after which the interval replaces the default. */
const LEARNING_MS = SILENCE_DEFAULT_MS;
/** Memory of the mean, in intervals. */
const MEMORY_INTERVALS = 4;
/** Intervals of usual reporting after which a long silence counts as a failure. */
const RECOVERED_INTERVALS = 10;

/** Four numbers, so that one per device is cheap for 100,000 devices. */
export interface ObservedInterval {
  /** Usual time between two messages; 0 if unknown. */
  intervalMs: number;
  /** Observation time, at most `LEARNING_MS`. */
  observedMs: number;
  /** Length of the last silence beyond the timeout, until it is classified. */
  longMs?: number;
  /** Duration of usual reporting since that silence. */
  usualMs?: number;
}

interface SilenceTimeout {
  readonly timeoutMs: number;
  /** Interval of the timeout; undefined for the default. */
  readonly intervalMs: number | undefined;
}

const clamp = (timeoutMs: number): number => Math.min(Math.max(timeoutMs, SILENCE_MIN_MS), SILENCE_MAX_MS);

/** Returns the longest usual gap. */
function usualMsMax({ intervalMs, observedMs }: ObservedInterval): number {
  const timeoutMs = clamp(SILENCE_INTERVALS * intervalMs);
  return observedMs >= LEARNING_MS ? timeoutMs : Math.max(timeoutMs, SILENCE_DEFAULT_MS);
}

function noteLongSilence(interval: ObservedInterval, gapMs: number): void {
  if (interval.longMs === undefined) {
    interval.longMs = gapMs;
    interval.usualMs = 0;
    return;
  }
  interval.intervalMs = Math.min(interval.longMs, gapMs);
  interval.observedMs = LEARNING_MS;
  delete interval.longMs;
}

/** Records the time between two messages, on a monotonic clock. */
export function observeGap(interval: ObservedInterval, gapMs: number): void {
  if (gapMs > usualMsMax(interval)) {
    noteLongSilence(interval, gapMs);
    return;
  }
  const scaleMs = Math.max(interval.intervalMs, INTERVAL_MIN_MS);
  const weight = interval.observedMs === 0 ? 1 : gapMs / (gapMs + MEMORY_INTERVALS * scaleMs);
  interval.intervalMs += (gapMs - interval.intervalMs) * weight;
  interval.observedMs = Math.min(interval.observedMs + gapMs, LEARNING_MS);
  if (interval.longMs === undefined) return;
  interval.usualMs = (interval.usualMs ?? 0) + gapMs;
  if (interval.usualMs >= RECOVERED_INTERVALS * scaleMs) delete interval.longMs;
}

/** Returns the timeout of silence for an observed interval. */
export function silenceTimeoutOf(interval: ObservedInterval): SilenceTimeout {
  if (interval.observedMs >= LEARNING_MS)
    return { timeoutMs: clamp(SILENCE_INTERVALS * interval.intervalMs), intervalMs: interval.intervalMs };
  // Too early to tell a failure from a slow device, so the longer timeout applies.
  const intervalMs = Math.max(interval.intervalMs, interval.longMs ?? 0);
  const timeoutMs = clamp(SILENCE_INTERVALS * intervalMs);
  return timeoutMs > SILENCE_DEFAULT_MS
    ? { timeoutMs, intervalMs }
    : { timeoutMs: SILENCE_DEFAULT_MS, intervalMs: undefined };
}
