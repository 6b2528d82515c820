import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** A variable of a server, and the telemetry key under which its value is stored. The elements of an array are `key_0`, `key_1` and so on. */
export interface OpcUaItem extends FieldEntry {
  /** Node of the variable, such as `ns=2;s=Press.Pressure`, or of the object whose method is called. */
  readonly address: string;
  /** Node of a method, which commands call: nothing is read then. */
  readonly method?: string;
  /** Elements of an array; absent for a single value. */
  readonly length?: number;
  /** Fields of a structure, which become values of their own. */
  readonly fields?: readonly string[];
  /** Changes that are no larger are not stored; that of the unit by default. */
  readonly deadband?: number;
}

/** What a connection reads for one device. */
export interface OpcUaUnit extends FieldUnit {
  readonly opcuaUnitId: string;
  readonly deadband: number | null;
  readonly items: readonly OpcUaItem[];
}

export type UnitChange = Partial<Pick<OpcUaUnit, "intervalMs" | "deadband" | "items">>;
export type NewUnit = UnitChange & { readonly deviceId: string };
