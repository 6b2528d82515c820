import type { CodecExample } from "./codec-index.types.ts";
import type { CollectedFiles } from "./collected-files.ts";

/** Device described by a layout. */
export interface FoundDevice {
  readonly vendor: string;
  readonly model: string;
  readonly description: string;
  /** Codecs by firmware version: path of the script and its examples. */
  readonly codecs: readonly FoundCodec[];
}

export interface FoundCodec {
  readonly firmware: string;
  readonly file: string;
  readonly examples: readonly CodecExample[];
}

/** Yields the devices of a collection in one layout. The caller stops at its limit and counts the reports of `skip`. */
export type Layout = (files: CollectedFiles, paths: readonly string[]) => Iterable<FoundDevice>;
