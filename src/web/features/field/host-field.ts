import type { FormField } from "../../ui/form/form-definition.ts";

/** Name or address of a server, without a scheme or path. */
export const hostField: FormField = {
  path: "host",
  input: { autocapitalize: "off", class: "input reading w-full", pattern: String.raw`\s*[^\s\/]+\s*` },
};
