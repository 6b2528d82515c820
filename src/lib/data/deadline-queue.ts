interface Entry<Item> {
  readonly dueAt: number;
  /** Order of insertion. */
  readonly order: number;
  readonly item: Item;
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order);

/** Binary heap of items by deadline, and by insertion for equal deadlines: add and take in O(log n), the next deadline in O(1). */
export class DeadlineQueue<Item> {
  readonly #heap: Entry<Item>[] = [];
  #added = 0;

  get size(): number {
    return this.#heap.length;
  }

  nextAt(): number | undefined {
    return this.#heap[0]?.dueAt;
  }

  add(dueAt: number, item: Item): void {
    const heap = this.#heap;
    const entry = { dueAt, order: this.#added++, item };
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || isBefore(parent, entry)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = entry;
  }

  /** Returns the earliest item with a deadline at or before `now`; undefined if none is due. */
  takeDue(now: number): { readonly dueAt: number; readonly item: Item } | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.dueAt > now) return undefined;
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) this.#sink(last);
    return first;
  }

  #sink(entry: Entry<Item>): void {
    const heap = this.#heap;
    let index = 0;
    for (;;) {
      let childIndex = 2 * index + 1;
      const right = heap[childIndex + 1];
      let child = heap[childIndex];
      if (child === undefined) break;
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        childIndex++;
      }
      if (isBefore(entry, child)) break;
      heap[index] = child;
      index = childIndex;
    }
    heap[index] = entry;
  }
}
