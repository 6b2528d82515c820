import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormDefinition } from "../../ui/form/form-definition.ts";

export const connectionForm: FormDefinition = {
  schema: formSchema("s7/s7.schemas.ts", "createConnectionBody"),
  texts: ["s7Connection"],
  fields: [
    { path: "name", input: { autofocus: true } },
    [
      {
        path: "host",
        input: {
          autocapitalize: "off",
          class: "input reading w-full",
          pattern: String.raw`\s*[^\s\/]+\s*`,
        },
      },
      { path: "port", isRequired: true },
    ],
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
