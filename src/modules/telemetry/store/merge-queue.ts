import type { FamilyKey } from "./block-directory.ts";

/** Small blocks of a family are merged once this many have been written. */
const smallBlocksMin = 8;

/** Remembers which families have collected small blocks. */
export class MergeQueue {
  /** `device/family` → seals since the last merge. */
  readonly #seals = new Map<string, { of: FamilyKey; count: number }>();

  note(of: FamilyKey): void {
    const id = `${of.device}/${of.family}`;
    const entry = this.#seals.get(id) ?? { of, count: 0 };
    entry.count++;
    this.#seals.set(id, entry);
  }

  /** Families that are due, and forgets them. */
  take(): FamilyKey[] {
    const due: FamilyKey[] = [];
    for (const [id, { of, count }] of this.#seals) {
      if (count < smallBlocksMin) continue;
      due.push(of);
      this.#seals.delete(id);
    }
    return due;
  }
}
