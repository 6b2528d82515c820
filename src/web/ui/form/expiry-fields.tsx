import { EXPIRIES, type Expiry } from "../../lib/expiry.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SelectField } from "./select-field.tsx";
import { TextField } from "./text-field.tsx";

/** Expiry; a fixed day is in the form's field `day`. */
export function ExpiryFields({
  expiry,
  error,
  onChange,
}: {
  expiry: Expiry;
  error?: string | undefined;
  onChange: (expiry: Expiry) => void;
}) {
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      <SelectField
        label={t("common.expiresAt")}
        error={error}
        value={expiry}
        options={EXPIRIES}
        text={(text) => t(`expiry.${text}`)}
        onSelect={onChange}
      />
      {expiry === "date" && <TextField label={t("keys.expiresOn")} name="day" type="date" required />}
    </div>
  );
}
