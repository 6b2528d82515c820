import type { Logger } from "../core/log.ts";

/** Part of the program with resources at run time. */
export interface Part {
  readonly name: string;
  /** True if the part has resources before its start. It is stopped even if nothing has started. */
  readonly isOpen?: true;
  start?(): Promise<void> | void;
  stop?(): Promise<void> | void;
}

/** Starts parts in order and stops them in reverse order. A failed start stops parts that were started or open. */
export function createLifecycle(
  parts: readonly Part[],
  log: Logger,
): { start(): Promise<void>; stop(): Promise<void> } {
  const running = new Set(parts.filter(({ isOpen }) => isOpen));
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    for (const part of parts.toReversed()) {
      if (!running.delete(part)) continue;
      try {
        await part.stop?.();
      } catch (error) {
        log.error("stopping failed", { part: part.name, error });
      }
    }
  }

  return {
    async start() {
      stopping = undefined;
      for (const part of parts) {
        try {
          await part.start?.();
          running.add(part);
        } catch (error) {
          await stopAll();
          throw error;
        }
      }
    },
    stop() {
      stopping ??= stopAll();
      return stopping;
    },
  };
}

/** Creates the readiness flag, which is set when its own part, the last one, has started. */
export function createReadiness(): { isReady(): boolean; readonly part: Part } {
  let isReady = false;
  return {
    isReady: () => isReady,
    part: {
      name: "readiness",
      start() {
        isReady = true;
      },
      stop() {
        isReady = false;
      },
    },
  };
}
