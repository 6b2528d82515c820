import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** Variable of a server, and its telemetry key. Array elements get the keys `key_0`, `key_1` and so on. */
export interface OpcUaItem extends FieldEntry {
  /** Node of the variable, such as `ns=2;s=Press.Pressure`, or of the method's object. */
  readonly address: string;
  /** Node of a method for commands; the item is then not read. */
  readonly method?: string;
  /** Number of array elements; absent for a single value. */
  readonly length?: number;
  /** Fields of a structure; each becomes a separate value. */
  readonly fields?: readonly string[];
  /** Max. change that is not stored; default: the unit's dead band. */
  readonly deadband?: number;
}

/** Items that a connection reads for one device. */
export interface OpcUaUnit extends FieldUnit {
  readonly opcuaUnitId: string;
  readonly deadband: number | null;
  readonly items: readonly OpcUaItem[];
}

export type UnitChange = Partial<Pick<OpcUaUnit, "intervalMs" | "deadband" | "items">>;
export type NewUnit = UnitChange & { readonly deviceId: string };
