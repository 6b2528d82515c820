import { inputLimits, maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { TextField } from "../../ui/form/text-field.tsx";

/** Inputs of a person who begins with a gateway or a site: full name, email and a new password. */
export const PersonFields = ({ given }: { given?: { fullName: string; email: string } | undefined }) => (
  <>
    <TextField
      label={t("setup.fullName")}
      name="fullName"
      autocomplete="name"
      required
      maxLength={maxLengthOf("identity/identity.schemas.ts", "setupRequestBody", "fullName")}
      pattern=".*\S.*"
      defaultValue={given?.fullName}
    />
    <TextField
      label={t("common.eMail")}
      name="email"
      type="email"
      autocomplete="username"
      required
      maxLength={maxLengthOf("identity/identity.schemas.ts", "setupRequestBody", "email")}
      defaultValue={given?.email}
    />
    <TextField
      label={t("common.password")}
      hint={t("setup.passwordHint")}
      name="password"
      type="password"
      autocomplete="new-password"
      required
      {...inputLimits("identity/identity.schemas.ts", "setupRequestBody", "password")}
    />
  </>
);
