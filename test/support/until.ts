const TIMEOUT_MS = 60_000;
/** Max. ms between two polls. It polls less often the longer it takes, because a condition may send a request. */
const PAUSE_MS_MAX = 20;

/** Resolves once the condition holds; fails when it does not within a minute. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  subject = "the condition",
): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  for (let pauseMs = 0; !(await condition()); pauseMs = Math.min(pauseMs + 1, PAUSE_MS_MAX)) {
    if (performance.now() > deadline) throw new Error(`${subject} was not met within a minute`);
    await Bun.sleep(pauseMs);
  }
}

/** Asks until the answer fits and resolves to it; fails when none does within a minute. */
export async function untilAnswer<T>(ask: () => Promise<T> | T, fits: (response: T) => boolean): Promise<T> {
  let response = await ask();
  await until(async () => {
    if (fits(response)) return true;
    response = await ask();
    return fits(response);
  }, "the expected answer");
  return response;
}
