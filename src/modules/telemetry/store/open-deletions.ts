import type { Deletion } from "./deletion.types.ts";

/**
 * Deletions that are recorded in the hot tier but have not gone through the blocks yet. Until they have, their records must
 * stay, whatever is sealed meanwhile: a start after a crash finishes what it finds recorded, and nothing else.
 */
export class OpenDeletions {
  /** Keyed by the id of the hot row. */
  readonly #open = new Map<number, Deletion>();
  /** Those whose generation has been sealed without them. */
  readonly #kept = new Set<number>();

  add(id: number, deletion: Deletion): void {
    this.#open.set(id, deletion);
  }

  entries(): [id: number, deletion: Deletion][] {
    return [...this.#open];
  }

  /** The closed ranges between two ids, both included, without the records that must stay. */
  *without(firstId: number, lastId: number): Generator<{ first: number; last: number }> {
    let first = firstId;
    for (const id of [...this.#open.keys()].sort((a, b) => a - b)) {
      if (id < firstId || id > lastId) continue;
      this.#kept.add(id);
      if (id > first) yield { first, last: id - 1 };
      first = id + 1;
    }
    if (first <= lastId) yield { first, last: lastId };
  }

  /** The deletion is through; true when its record was left behind and may go now. */
  done(id: number): boolean {
    this.#open.delete(id);
    return this.#kept.delete(id);
  }
}
