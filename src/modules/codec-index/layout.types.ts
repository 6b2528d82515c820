import type { CodecExample } from "./codec-index.types.ts";
import type { CollectedFiles } from "./collected-files.ts";

/** A device as a layout describes it. */
export interface FoundDevice {
  readonly vendor: string;
  readonly model: string;
  readonly description: string;
  /** Codecs of its firmware versions: path of the script and its examples. */
  readonly codecs: readonly FoundCodec[];
}

export interface FoundCodec {
  readonly firmware: string;
  readonly file: string;
  readonly examples: readonly CodecExample[];
}

/** Finds the devices of a collection in one layout. A generator: the caller stops it at the limit, and counts what `skip` reports. */
export type Layout = (files: CollectedFiles, paths: readonly string[]) => Iterable<FoundDevice>;
