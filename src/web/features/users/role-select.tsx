import type { Role } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { me } from "../../platform/session.ts";
import type { ControlProps } from "../../ui/form/form-definition.ts";
import { SelectField } from "../../ui/form/select-field.tsx";
import { ROLES } from "./users-types.ts";

/** Lists roles up to the user's own; the present role is always listed. */
export function RoleSelect({ label, hint, value, isDisabled, onChange }: ControlProps) {
  const role = value as Role; // a choice of the schema
  const own = ROLES.indexOf(me.value?.role ?? "TENANT_READ_ONLY");
  return (
    <SelectField
      label={label}
      hint={hint ?? t(`roleHint.${role}`)}
      value={role}
      disabled={isDisabled}
      options={ROLES.filter((text, rank) => rank >= own || text === role)}
      text={(text) => t(`role.${text}`)}
      onSelect={onChange}
    />
  );
}
