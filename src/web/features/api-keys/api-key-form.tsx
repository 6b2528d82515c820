import type { Expiry } from "../../lib/expiry.ts";
import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { ExpiryFields } from "../../ui/form/expiry-fields.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import { DeviceScope } from "../devices/device-scope.tsx";
import { RoleSelect } from "../users/role-select.tsx";

export const nameForm: FormDefinition = {
  schema: formSchema("api-keys/api-keys.schemas.ts", "updateApiKeyBody"),
  texts: ["apiKey"],
  fields: [{ path: "name", input: { autofocus: true } }],
};

function Devices({ label, value, onChange }: ControlProps) {
  const selected = value as readonly string[] | undefined; // the type of the schema
  return (
    <DeviceScope
      title={label}
      all={[t("keys.all"), t("keys.allHint")]}
      some={[t("access.some")]}
      selected={selected}
      onChange={onChange}
      problem={selected?.length === 0 ? t("keys.selectOne") : undefined}
    />
  );
}

/** Expiry, which is computed from the values `expiry` and `day` when the key is created. */
const ExpiryControl = ({ error, values, setValues }: ControlProps) => (
  <ExpiryFields
    expiry={values.expiry as Expiry} // as the dialog sets it
    error={error}
    onChange={(expiry) => setValues({ ...values, expiry })}
  />
);

export const newKeyForm: FormDefinition = {
  schema: formSchema("api-keys/api-keys.schemas.ts", "createApiKeyBody"),
  texts: ["newApiKey", "apiKey"],
  fields: [
    ...nameForm.fields,
    { path: "role", control: RoleSelect },
    { path: "expiresAt", control: ExpiryControl },
    { path: "deviceIds", text: "access", control: Devices },
  ],
};
