/** Settles like the work, or rejects with the reason of the signal as soon as it is aborted. `onAbort` must end the work. */
export async function abortable<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  onAbort: () => void,
): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => {
    onAbort();
    reject(signal.reason);
  };
  signal.addEventListener("abort", abort);
  work.catch(() => undefined); // after an abort, nobody waits for it
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
