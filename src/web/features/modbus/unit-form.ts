import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import type { ModbusUnit } from "./modbus-api.ts";

export const unitForm: FormDefinition = {
  schema: formSchema("modbus/modbus.schemas.ts", "createUnitBody", [
    "unitId",
    "intervalMs",
    "wordsMax",
    "gapMax",
  ]),
  texts: ["modbusUnit"],
  fields: [
    [
      { path: "unitId", isRequired: true },
      { path: "intervalMs", isRequired: true, scale: 0.001 },
    ],
    [
      { path: "wordsMax", isRequired: true },
      { path: "gapMax", isRequired: true },
    ],
  ],
};

/** Returns the values of a unit, or of a new one with the unit id in the address. */
export const valuesOf = (unit: ModbusUnit | undefined, unitId = "1"): FormValues => ({
  unitId: unit?.unitId ?? Number(unitId),
  intervalMs: unit?.intervalMs ?? 10_000,
  wordsMax: unit?.wordsMax ?? 125,
  gapMax: unit?.gapMax ?? 8,
});
