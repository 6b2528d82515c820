import type { JsonValue } from "../../../lib/json/json.ts";
import type { Text } from "../../../lib/texts/text.ts";
import type { NewDevice } from "../devices.types.ts";

/** A row of a list of devices as it was given: names of columns to values, not checked. */
export type BulkRow = Readonly<Record<string, unknown>>;

/** The rule that a row breaks; rows count from 1. */
export interface RowError {
  readonly row: number;
  /** Name of the column; empty when it is about the whole row. */
  readonly field: string;
  readonly rule: Text;
}

/** A row that is good. */
export interface BulkDevice {
  readonly row: number;
  readonly device: NewDevice;
  readonly shared: Readonly<Record<string, JsonValue>>;
  readonly server: Readonly<Record<string, JsonValue>>;
}
