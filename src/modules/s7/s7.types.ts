import type { Scaling } from "../../lib/field/number-scaling.ts";
import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** A variable of a controller, and the telemetry key under which its value is stored. The elements of an array are `key_0`, `key_1` and so on. */
export interface S7Tag extends FieldEntry, Scaling {
  /** As the library or TIA Portal writes it. */
  readonly address: string;
}

/** What a connection reads for one device. */
export interface S7Unit extends FieldUnit {
  readonly s7UnitId: string;
  readonly tags: readonly S7Tag[];
}

export type UnitChange = Partial<Pick<S7Unit, "intervalMs" | "tags">>;
export type NewUnit = UnitChange & { readonly deviceId: string };
