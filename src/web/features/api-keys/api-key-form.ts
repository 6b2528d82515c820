import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormDefinition } from "../../ui/form-definition.ts";

export const nameForm: FormDefinition = {
  schema: formSchema("api-keys/api-keys.schemas.ts", "updateApiKeyBody"),
  texts: ["apiKey"],
  fields: [{ path: "name", input: { autofocus: true, pattern: "^\\s*\\S.*" } }],
};
