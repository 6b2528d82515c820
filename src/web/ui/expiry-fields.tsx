import { EXPIRIES, type Expiry } from "../lib/expiry.ts";
import { t } from "../platform/i18n/i18n.ts";
import { SelectField } from "./select-field.tsx";
import { TextField } from "./text-field.tsx";

/** Until when something is good; on a day of its own, that is the field `day` of the form. */
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
