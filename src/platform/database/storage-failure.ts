import { SQLiteError } from "bun:sqlite";
import { type DomainError, detail, unavailableDueTo } from "../../lib/core/domain-error.ts";
import type { Problem } from "../core/health.ts";
import { watchErrors } from "../core/log.ts";
import { type StorageFault, storageFaultOf } from "../files/storage-fault.ts";
import type { Part } from "../process/lifecycle.ts";

const CODES = {
  full: "storage.full",
  failed: "storage.failed",
  readOnly: "storage.read_only",
  denied: "storage.read_only",
  busy: "storage.busy",
  unreadable: undefined,
} as const;

type Explain = (error: unknown) => StorageFault | undefined;

/** Called for every write that failed because of the disk. Find the reason that SQLite hides. */
const explainers = new Set<Explain>();

/** Returns the error for callers if the disk refused a write; undefined for other errors. */
export function toStorageFailure(error: unknown, fault = storageFaultOf(error)): DomainError | undefined {
  const cause = error instanceof Error && error.cause instanceof SQLiteError ? error.cause : error;
  const code = fault && CODES[fault];
  return cause instanceof SQLiteError && code !== undefined ? unavailableDueTo(cause, code) : undefined;
}

/** Returns the error for callers of a write, and reports disk failures to `FailedWrites`. */
export function refusedWrite<Failure>(error: Failure): Failure | DomainError {
  const isOfDatabase = toStorageFailure(error) !== undefined;
  const [fault] = isOfDatabase ? [...explainers].flatMap((explain) => explain(error) ?? []) : [];
  return toStorageFailure(error, fault) ?? error;
}

/** Detects failed writes of all databases, reported to a caller or only logged. */
export class FailedWrites implements Part {
  readonly name = "failed writes";
  readonly #explain: Explain;
  #hasFailed = false;
  #endWatch: () => void = () => undefined;

  constructor(explain: Explain = storageFaultOf) {
    this.#explain = explain;
  }

  start(): void {
    const note: Explain = (error) => {
      const fault = this.#hasFailed ? storageFaultOf(error) : this.#explain(error);
      if (fault === "failed") this.#hasFailed = true;
      return fault;
    };
    explainers.add(note);
    const endLog = watchErrors(refusedWrite);
    this.#endWatch = () => {
      explainers.delete(note);
      endLog();
    };
  }

  stop(): void {
    this.#endWatch();
  }

  problem(): Problem | undefined {
    return this.#hasFailed ? { severity: "FATAL", ...detail("storage.failed") } : undefined;
  }
}
