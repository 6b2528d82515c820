import type { Scaling } from "../../lib/field/number-scaling.ts";
import type { FieldEntry, FieldUnit } from "../field/field.types.ts";

/** Variable of a controller, and its telemetry key. Array elements get the keys `key_0`, `key_1` and so on. */
export interface S7Tag extends FieldEntry, Scaling {
  /** Address in the notation of the library or of TIA Portal. */
  readonly address: string;
}

/** Tags that a connection reads for one device. */
export interface S7Unit extends FieldUnit {
  readonly s7UnitId: string;
  readonly tags: readonly S7Tag[];
}

export type UnitChange = Partial<Pick<S7Unit, "intervalMs" | "tags">>;
export type NewUnit = UnitChange & { readonly deviceId: string };
