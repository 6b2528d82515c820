import { useState } from "preact/hooks";
import { inputLimits } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Entrance } from "../../ui/page/entrance.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { useCountdown } from "../../ui/use-countdown.ts";
import { signInWith } from "./sign-in-with.ts";
import { signUpApi } from "./sign-up-api.ts";

const RESEND_AFTER_S = 60; // the server's minimum interval between codes

/** Step that confirms the e-mail address. After a reload it asks again for the password, which must match the sign-up. */
export function CodeStep(props: {
  email: string | undefined;
  password: string | undefined;
  minutes: number | undefined;
  onBack: () => void;
  onDone: () => void;
}) {
  const [typed, setTyped] = useState("");
  const email = props.email ?? typed.trim();
  const [confirmed, setConfirmed] = useState(false);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const data = new FormData(e.currentTarget);
    const otp = String(data.get("otp")).replace(/\s/g, "");
    const password = props.password ?? String(data.get("password"));
    action.run(async () => {
      if (!confirmed) await signUpApi.verifyCode({ email, otp, password });
      setConfirmed(true);
      await signInWith(email, password);
      props.onDone();
    });
  };
  if (confirmed && action.error !== undefined)
    return (
      <Entrance title={t("signUp.done")}>
        <p class="mb-4">{t("signUp.doneHint")}</p>
        <a class="btn btn-primary w-full" href="/">
          {t("setup.toSignIn")}
        </a>
      </Entrance>
    );
  return (
    <Entrance title={t("signUp.codeTitle")}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        {props.email !== undefined && props.minutes !== undefined ? (
          <p class="break-words">{t("signUp.codeHint", { email, minutes: props.minutes })}</p>
        ) : (
          <TextField
            label={t("common.eMail")}
            name="email"
            type="email"
            autocomplete="username"
            required
            {...inputLimits("identity/identity.schemas.ts", "setupRequestBody", "email")}
            value={typed}
            onText={setTyped}
          />
        )}
        <TextField
          label={t("common.code")}
          name="otp"
          inputMode="numeric"
          autocomplete="one-time-code"
          required
          pattern="\s*[0-9]{3}\s*[0-9]{3}\s*"
          maxLength={9}
          autofocus
          class="input reading w-full text-lg tracking-[0.3em]"
        />
        {props.password === undefined && (
          <TextField
            label={t("common.password")}
            hint={t("signUp.passwordHint")}
            name="password"
            type="password"
            autocomplete="current-password"
            required
            {...inputLimits("identity/identity.schemas.ts", "setupRequestBody", "password")}
          />
        )}
        <ErrorNote error={action.error} />
        <SubmitButton busy={action.busy}>{t("signUp.confirm")}</SubmitButton>
        <OtherWays email={email} onBack={props.onBack} />
      </form>
    </Entrance>
  );
}

/** Buttons for users without a code: back to the form, or another e-mail. */
function OtherWays({ email, onBack }: { email: string; onBack: () => void }) {
  const [wait, restart] = useCountdown(RESEND_AFTER_S);
  const [resent, setResent] = useState(false);
  const action = useAction();
  const resend = () =>
    action.run(async () => {
      await signUpApi.resendCode(email);
      setResent(true);
      restart();
    });
  return (
    <>
      <ErrorNote error={action.error} />
      {resent && action.error === undefined && <p role="status">{t("signUp.resent")}</p>}
      <div class="flex flex-wrap justify-between gap-2">
        <button type="button" class="btn btn-ghost btn-sm" onClick={onBack}>
          {t("signUp.back")}
        </button>
        <button
          type="button"
          class="btn btn-sm"
          disabled={wait > 0 || action.busy || email === ""}
          onClick={resend}
        >
          {wait > 0 ? t("signUp.resendIn", { seconds: wait }) : t("signUp.resend")}
        </button>
      </div>
    </>
  );
}
