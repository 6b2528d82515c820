import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import { hostField } from "../field/host-field.ts";

export const connectionForm: FormDefinition = {
  schema: formSchema("bacnet/bacnet.schemas.ts", "createConnectionBody"),
  texts: ["bacnetConnection", "s7Connection"],
  fields: [
    { path: "name", input: { autofocus: true } },
    [hostField, { path: "port", isRequired: true }],
    [
      { path: "deviceInstance", isRequired: true },
      { path: "timeoutMs", isRequired: true },
    ],
    ["network", { path: "mac", input: { autocapitalize: "off", class: "input reading w-full" } }],
    { path: "enabled" },
  ],
};

export const unitForm: FormDefinition = {
  schema: formSchema("bacnet/bacnet.schemas.ts", "createUnitBody", ["intervalMs"]),
  texts: ["entryUnit"],
  fields: [{ path: "intervalMs", isRequired: true, scale: 0.001 }],
};
