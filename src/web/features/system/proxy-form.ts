import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormDefinition } from "../../ui/form/form-definition.ts";

export const proxyForm: FormDefinition = {
  schema: formSchema("proxies/proxies.schemas.ts", "proxySettingsInput"),
  texts: ["proxy"],
  fields: [
    { path: "publicUrl", input: { type: "url", placeholder: "https://plant.example/lineside" } },
    { path: "trustedProxies", input: { placeholder: "127.0.0.1, 10.0.5.0/24" } },
  ],
};

/** Returns the configuration key of a field. */
export const keyOf = (path: string) => (path === "publicUrl" ? "public_url" : "trusted_proxies");
