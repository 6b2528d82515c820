import { useState } from "preact/hooks";
import { inputLimits } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may, me } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { accountApi } from "./account-api.ts";
import { OwnSessions } from "./own-sessions.tsx";
import { SecondFactor } from "./second-factor.tsx";

/** Password, second factor and sessions of the signed-in user. */
export function SecurityPage() {
  if (me.value?.impersonator) return <p class="panel p-4">{t("acting.notOwn")}</p>;
  return <OwnSecurity />;
}

function OwnSecurity() {
  const status = useResource(accountApi.security, []);
  // A changed password ends other sessions: the list is read again.
  const [changes, setChanges] = useState(0);
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      <Loaded of={status}>
        {({ hasPassword, ...security }) =>
          hasPassword ? (
            <>
              <PasswordForm key={changes} onChanged={() => setChanges((n) => n + 1)} />
              {may("users:write") && <EmailForm hasSecondFactor={security.hasSecondFactor} />}
              <SecondFactor status={{ hasPassword, ...security }} onChanged={status.reload} />
            </>
          ) : (
            <p class="panel p-4">{t("security.external")}</p>
          )
        }
      </Loaded>
      <OwnSessions key={changes} />
    </div>
  );
}

function PasswordForm({ onChanged }: { onChanged: () => void }) {
  const action = useAction(["currentPassword", "newPassword"]);
  const [differ, setDiffer] = useState(false);
  const submit = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const [current, selected, repeated] = ["current", "new", "repeated"].map((name) =>
      String(data.get(name)),
    );
    setDiffer(selected !== repeated);
    if (current === undefined || selected === undefined || selected !== repeated) return;
    action.run(async () => {
      await accountApi.changePassword(current, selected);
      toast("success", t("security.changed"));
      onChanged();
    });
  };
  return (
    <Section id="security-password" title={t("common.password")} hint={t("security.passwordHint")}>
      <SectionForm
        busy={action.busy}
        error={action.error}
        submitText={t("security.change")}
        onSubmit={submit}
      >
        <input type="hidden" name="username" autocomplete="username" value={me.value?.email} />
        <TextField
          label={t("security.current")}
          error={action.errorOf("currentPassword")}
          name="current"
          type="password"
          autocomplete="current-password"
          required
          class="input w-full sm:max-w-sm"
        />
        <div class="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t("security.new")}
            hint={t("setup.passwordHint")}
            error={action.errorOf("newPassword")}
            name="new"
            type="password"
            autocomplete="new-password"
            required
            {...inputLimits("identity/identity.schemas.ts", "setupRequestBody", "password")}
          />
          <TextField
            label={t("security.repeat")}
            error={differ ? t("security.mismatch") : undefined}
            name="repeated"
            type="password"
            autocomplete="new-password"
            required
          />
        </div>
      </SectionForm>
    </Section>
  );
}

/** Form for a new address, which takes effect when the user opens the link sent to it. */
function EmailForm({ hasSecondFactor }: { hasSecondFactor: boolean }) {
  const action = useAction();
  const submit = (form: HTMLFormElement) => {
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? "");
    action.run(async () => {
      await accountApi.changeEmail(text("email").trim(), text("password"), text("code"));
      toast("success", t("security.emailSent", { email: text("email").trim() }));
      form.reset();
    });
  };
  return (
    <Section id="security-email" title={t("common.eMail")} hint={t("security.emailHint")}>
      <SectionForm
        busy={action.busy}
        error={action.error}
        submitText={t("security.emailSend")}
        onSubmit={submit}
      >
        <div class="grid gap-4 sm:grid-cols-2">
          <TextField
            label={t("security.emailNew")}
            name="email"
            type="email"
            required
            {...inputLimits("users/users.schemas.ts", "createUserBody", "email")}
          />
          <TextField
            label={t("security.current")}
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
          {hasSecondFactor && (
            <TextField label={t("security.code")} name="code" autocomplete="one-time-code" required />
          )}
        </div>
      </SectionForm>
    </Section>
  );
}
