import type { Clock } from "./clock.ts";

/** Resolves after `ms`, or when the signal is aborted. */
export async function waitFor(
  clock: Pick<Clock, "schedule">,
  ms: number,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.schedule(ms, resolve);
  const giveUp = () => resolve();
  signal.addEventListener("abort", giveUp);
  await promise;
  signal.removeEventListener("abort", giveUp);
  cancel();
}
