import type { Role } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { me } from "../../platform/session.ts";
import { SelectField } from "../../ui/select-field.tsx";
import { ROLES } from "./users-types.ts";

interface Props {
  readonly role: Role;
  readonly onChange: (role: Role) => void;
  readonly disabled?: boolean;
  readonly hint?: string | undefined;
}

/** Lists roles up to the user's own; the present role is always listed. */
export function RoleSelect({ role, onChange, disabled = false, hint }: Props) {
  const own = ROLES.indexOf(me.value?.role ?? "TENANT_READ_ONLY");
  return (
    <SelectField
      label={t("common.role")}
      hint={hint ?? t(`roleHint.${role}`)}
      value={role}
      disabled={disabled}
      options={ROLES.filter((text, rank) => rank >= own || text === role)}
      text={(text) => t(`role.${text}`)}
      onSelect={(selectedItem) => onChange(selectedItem)}
    />
  );
}
