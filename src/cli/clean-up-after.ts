import { constants } from "node:os";

const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs `work` and then `cleanUp`, even if the work fails or a signal ends the command. A second signal ends it without waiting for `cleanUp`. */
export async function cleanUpAfter<Result>(
  cleanUp: () => void | Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  const ignoreSignals = () => {
    for (const signal of STOP_SIGNALS) process.off(signal, endBySignal);
  };
  async function endBySignal(signal: (typeof STOP_SIGNALS)[number]): Promise<void> {
    ignoreSignals();
    await cleanUp();
    process.exit(128 + constants.signals[signal]);
  }
  for (const signal of STOP_SIGNALS) process.on(signal, endBySignal);
  try {
    return await work();
  } finally {
    ignoreSignals();
    await cleanUp();
  }
}
