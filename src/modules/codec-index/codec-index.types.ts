import type { JsonValue } from "../../lib/json/json.ts";

/** Test vector of a collection: an input and the codec's result. */
export interface CodecExample {
  readonly description: string;
  readonly direction: "uplink" | "downlink";
  readonly fPort: number | null;
  /** Hexadecimal; null for a downlink. */
  readonly frame: string | null;
  /** Values to encode in a downlink. */
  readonly data: JsonValue;
  readonly expected: ExpectedOutput;
}

export interface ExpectedOutput {
  /** True if the codec must report an error. */
  readonly isError: boolean;
  /** Values of an uplink. */
  readonly data: JsonValue;
  /** Hexadecimal bytes of a downlink. */
  readonly frame: string | null;
  readonly fPort: number | null;
}

/** Device of a collection, and its codec. */
export interface IndexEntry {
  /** Hash of vendor, model, firmware and script; stable when the collection is loaded again. */
  readonly entryId: string;
  readonly vendor: string;
  readonly model: string;
  readonly description: string;
  /** Supported firmware versions; empty for all. */
  readonly firmware: string;
  /** Path of the script in the collection. */
  readonly file: string;
  readonly license: string | null;
  readonly fPorts: readonly number[];
  readonly examples: readonly CodecExample[];
}

export const COLLECTION_LAYOUTS = ["THINGS_NETWORK", "CHIRPSTACK", "FILES"] as const;

export interface IndexSummary {
  /** Name of the archive or path of the folder. */
  readonly origin: string;
  readonly layouts: ReadonlyArray<(typeof COLLECTION_LAYOUTS)[number]>;
  readonly entries: number;
  readonly vendors: number;
  readonly scripts: number;
  /** Number of devices without a usable codec, and of unreadable files. */
  readonly skipped: number;
  /** Epoch ms. */
  readonly loadedAt: number;
}

/** Source from which a thread builds an index. */
export interface IndexJob {
  readonly source: { readonly kind: "archive" | "folder"; readonly path: string };
  readonly origin: string;
  /** Path of the file to write. */
  readonly target: string;
  readonly now: number;
}

/** Fields by which a list of devices can be sorted. */
export const SORT_FIELDS = ["vendor", "model"] as const;
