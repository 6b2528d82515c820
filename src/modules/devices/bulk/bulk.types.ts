import type { JsonValue } from "../../../lib/json/json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { NewDevice } from "../devices.types.ts";

/** Unvalidated row of a list of devices: column name → value. */
export type BulkRow = Readonly<Record<string, unknown>>;

/** Error of a row; rows count from 1. */
export interface RowError {
  readonly row: number;
  /** Name of the column; empty if the error concerns the whole row. */
  readonly field: string;
  readonly rule: Text;
}

/** A valid row. */
export interface BulkDevice {
  readonly row: number;
  readonly device: NewDevice;
  readonly shared: Readonly<Record<string, JsonValue>>;
  readonly server: Readonly<Record<string, JsonValue>>;
}
