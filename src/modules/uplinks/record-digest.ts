import type { UplinkRecord } from "./target.types.ts";

/** Digest of strings and columns. Not collision-resistant against attackers who know its seed. */
class Digest {
  #value: bigint;

  constructor(seed: string) {
    this.#value = Bun.hash.wyhash(seed);
  }

  add(part: string | Uint8Array | Float64Array): void {
    this.#value = Bun.hash.wyhash(part, this.#value);
  }

  toString(): string {
    return this.#value.toString(36);
  }
}

/** Returns a digest of the content that records send to targets, in order. */
export function digestOf(records: readonly UplinkRecord[], seed: string): string {
  const digest = new Digest(seed);
  for (const record of records) {
    if (record.kind !== "rows") {
      digest.add(JSON.stringify(record));
      continue;
    }
    digest.add(JSON.stringify(record.device));
    digest.add(record.ts);
    for (const { key, tags, numbers, texts } of record.columns) {
      digest.add(key);
      digest.add(tags);
      digest.add(numbers);
      if (texts !== null) digest.add(texts.join("\0"));
    }
  }
  return String(digest);
}
