import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import { hostField } from "../field/host-field.ts";

export const connectionForm: FormDefinition = {
  schema: formSchema("s7/s7.schemas.ts", "createConnectionBody"),
  texts: ["s7Connection"],
  fields: [
    { path: "name", input: { autofocus: true } },
    [hostField, { path: "port", isRequired: true }],
    [
      { path: "rack", isRequired: true },
      { path: "slot", isRequired: true },
      { path: "timeoutMs", isRequired: true },
    ],
    { path: "enabled" },
  ],
};

export const unitForm: FormDefinition = {
  schema: formSchema("s7/s7.schemas.ts", "createUnitBody", ["intervalMs"]),
  texts: ["entryUnit"],
  fields: [{ path: "intervalMs", isRequired: true, scale: 0.001 }],
};
