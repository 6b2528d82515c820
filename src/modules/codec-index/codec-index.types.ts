import type { JsonValue } from "../../lib/json/json.ts";

/** A vector of a collection: what the codec returns for an input. */
export interface CodecExample {
  readonly description: string;
  readonly direction: "uplink" | "downlink";
  readonly fPort: number | null;
  /** Hexadecimal; null for a downlink. */
  readonly frame: string | null;
  /** Values that a downlink encodes. */
  readonly data: JsonValue;
  readonly expected: ExpectedOutput;
}

export interface ExpectedOutput {
  /** The codec reports an error. */
  readonly isError: boolean;
  /** Values of an uplink. */
  readonly data: JsonValue;
  /** Hexadecimal bytes of a downlink. */
  readonly frame: string | null;
  readonly fPort: number | null;
}

/** A device of a collection and its codec. */
export interface IndexEntry {
  /** Hash of vendor, model, firmware and script: the same after the collection is loaded again. */
  readonly entryId: string;
  readonly vendor: string;
  readonly model: string;
  readonly description: string;
  /** Versions of the firmware that the codec is for; empty for all. */
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
  /** Devices without a usable codec, and files that cannot be read. */
  readonly skipped: number;
  /** Epoch ms. */
  readonly loadedAt: number;
}

/** Source of which a thread builds an index. */
export interface IndexJob {
  readonly source: { readonly kind: "archive" | "folder"; readonly path: string };
  readonly origin: string;
  /** Path of the file that is written. */
  readonly target: string;
  readonly now: number;
}

/** Fields that a list of devices can be sorted by. */
export const SORT_FIELDS = ["vendor", "model"] as const;
