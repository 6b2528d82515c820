import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** Property of an object, and its telemetry key. */
export interface BacnetObject extends FieldEntry {
  /** Object and property, such as `analog-input:3` or `AV:12:units`. */
  readonly address: string;
  /** Write priority of commands, 1–16; without it, the device uses 16. */
  readonly priority?: number;
  /** True to subscribe to changes, which are read immediately. */
  readonly cov?: boolean;
}

/** Objects that a connection reads for one Lineside device. */
export interface BacnetUnit extends FieldUnit {
  readonly bacnetUnitId: string;
  readonly objects: readonly BacnetObject[];
}

export type UnitChange = Partial<Pick<BacnetUnit, "intervalMs" | "objects">>;
export type NewUnit = UnitChange & { readonly deviceId: string };
