import type { Deletion } from "./deletion.types.ts";

/** Deletions that are recorded in the hot tier but not yet applied to the blocks. */
export class OpenDeletions {
  /** Deletions by id of the hot row. */
  readonly #open = new Map<number, Deletion>();

  add(id: number, deletion: Deletion): void {
    this.#open.set(id, deletion);
  }

  has(id: number): boolean {
    return this.#open.has(id);
  }

  entries(): [id: number, deletion: Deletion][] {
    return [...this.#open];
  }

  done(id: number): void {
    this.#open.delete(id);
  }
}
