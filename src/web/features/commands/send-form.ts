import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import { JsonControl } from "../../ui/form/json-control.tsx";

/** Form of a command that no profile describes. */
export const sendForm: FormDefinition = {
  schema: formSchema("commands/commands.schemas.ts", "createCommandBody", ["method", "params", "retries"]),
  texts: ["newCommand"],
  fields: [
    {
      path: "method",
      isRequired: true,
      input: { autocapitalize: "off", autofocus: true, class: "input reading w-full" },
    },
    { path: "params", control: JsonControl },
    { path: "retries", isRequired: true, input: { class: "input w-28" } },
  ],
};
