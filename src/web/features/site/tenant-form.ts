import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormDefinition } from "../../ui/form/form-definition.ts";

export const tenantForm: FormDefinition = {
  schema: formSchema("tenants/tenants.schemas.ts", "updateTenantBody"),
  texts: ["tenant"],
  fields: ["tenantName"],
};
