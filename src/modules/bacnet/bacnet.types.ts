import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** A property of an object of the device, and the telemetry key under which its value is stored. */
export interface BacnetObject extends FieldEntry {
  /** Object and property, such as `analog-input:3` or `AV:12:units`. */
  readonly address: string;
  /** Priority with which commands write, 1 to 16; the device takes 16 without one. */
  readonly priority?: number;
  /** Whether the device is asked to report changes, which are read immediately. */
  readonly cov?: boolean;
}

/** What a connection reads for one Lineside device. */
export interface BacnetUnit extends FieldUnit {
  readonly bacnetUnitId: string;
  readonly objects: readonly BacnetObject[];
}

export type UnitChange = Partial<Pick<BacnetUnit, "intervalMs" | "objects">>;
export type NewUnit = UnitChange & { readonly deviceId: string };
