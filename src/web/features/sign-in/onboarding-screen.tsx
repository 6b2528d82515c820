import type { Me } from "../../lib/api-types.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { signOut } from "../../platform/sign-out.ts";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Entrance } from "../../ui/page/entrance.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { signUpApi } from "./sign-up-api.ts";

export const TenantNameField = () => (
  <TextField
    label={t("setup.tenantName")}
    hint={t("setup.tenantHint")}
    name="tenantName"
    required
    maxLength={maxLengthOf("identity/identity.schemas.ts", "setupRequestBody", "tenantName")}
  />
);

/** Screen on which a user without a site names a new one. */
export function Onboarding({ onDone }: { onDone: (me: Me) => void }) {
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const name = String(new FormData(e.currentTarget).get("tenantName"));
    action.run(async () => onDone(await signUpApi.onboard(name)));
  };
  return (
    <Entrance title={t("onboarding.title")}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <TenantNameField />
        <ErrorNote error={action.error} />
        <SubmitButton busy={action.busy}>{t("setup.continue")}</SubmitButton>
        <button type="button" class="btn btn-ghost btn-sm self-center" onClick={signOut}>
          {t("account.signOut")}
        </button>
      </form>
    </Entrance>
  );
}
