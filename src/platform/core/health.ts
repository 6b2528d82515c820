import type { Text } from "../../lib/texts/text.ts";
import type { Clock } from "../time/clock.ts";
import { untilSharedWake } from "../time/periodic.ts";

/** Severity of a problem. WARNING: the gateway works. UNREADY: it accepts no data, and may recover. FATAL: only a restart may help. */
export type ProblemSeverity = "WARNING" | "UNREADY" | "FATAL";

export interface Problem extends Text {
  readonly severity: ProblemSeverity;
}

/** Source of current problems of a part of the gateway. It must be cheap, because it is called every second. */
export type ProblemSource = () => Problem | readonly Problem[] | undefined;

const WATCH_INTERVAL_MS = 1_000;

/** Current problems of the gateway. Parts register their own sources. */
export class Health {
  readonly #sources: ProblemSource[] = [];

  add(source: ProblemSource): void {
    this.#sources.push(source);
  }

  problems(): Problem[] {
    return this.#sources.flatMap((source) => source() ?? []);
  }

  /** Returns problems that prevent the gateway from accepting data. */
  blocking(): Problem[] {
    return this.problems().filter(({ severity }) => severity !== "WARNING");
  }

  /** Calls back once with the first fatal problem. Returns a function that ends the watch. */
  onFatal(clock: Clock, callback: (problem: Problem) => void): () => void {
    let cancel: () => void = () => undefined;
    const check = () => {
      const fatal = this.problems().find(({ severity }) => severity === "FATAL");
      if (fatal !== undefined) callback(fatal);
      else cancel = clock.schedule(untilSharedWake(clock, WATCH_INTERVAL_MS), check);
    };
    check();
    return () => cancel();
  }
}
