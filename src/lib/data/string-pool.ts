/** Max. distinct strings. Beyond that, values rarely repeat, so pooling does not pay. */
const STRINGS_MAX = 10_000;

/**
 * Returns one shared string for equal strings. Database rows contain a copy of each name, about 80 bytes, which matters if a hundred thousand rows
 * stay in memory.
 */
export class StringPool {
  readonly #strings = new Map<string, string>();

  of<Text extends string>(text: Text): Text {
    const pooled = this.#strings.get(text);
    if (pooled !== undefined) return pooled as Text; // equal to it
    if (this.#strings.size >= STRINGS_MAX) this.#strings.clear();
    this.#strings.set(text, text);
    return text;
  }
}
