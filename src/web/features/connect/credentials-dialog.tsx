import { useState } from "preact/hooks";
import { inputLimits, maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Field } from "../../ui/form/field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Copyable, ShownOnce } from "../../ui/shown-once.tsx";
import {
  type Credentials,
  type CredentialsForm,
  credentialsApi,
  SIGN_INS,
  type SignInType,
} from "./credentials-api.ts";

interface DialogProps {
  readonly deviceId: string;
  readonly current: Credentials;
  readonly onDone: (credentials: Credentials) => void;
  readonly onClose: () => void;
}

function formOf(type: SignInType, data: FormData): CredentialsForm {
  const text = (name: string) => String(data.get(name) ?? "").trim();
  const filled = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (text(name) === "" ? [] : [[name, text(name)]])));
  if (type === "ACCESS_TOKEN") return { type, ...filled(["token"]) };
  if (type === "MQTT_BASIC") return { type, ...filled(["username", "clientId", "password"]) };
  const shown = text("certificate");
  return { type, ...(shown.includes("BEGIN") ? { certificate: shown } : { fingerprint: shown }) };
}

/** Sets how the device signs in. Previous credentials become invalid. */
export function CredentialsDialog({ deviceId, current, onDone, onClose }: DialogProps) {
  const [type, setType] = useState<SignInType>(current.type);
  const action = useAction();
  const submit = (element: HTMLFormElement) => {
    const form = formOf(type, new FormData(element));
    action.run(async () => {
      onDone(await credentialsApi.set(deviceId, form));
      toast("success", t("signIn.changed"));
    });
  };
  return (
    <FormDialog
      title={t("signIn.change")}
      submitText={t("signIn.save")}
      busy={action.busy}
      error={action.error}
      onSubmit={submit}
      onClose={onClose}
      firm
    >
      <Segments
        label={t("signIn.kind")}
        items={SIGN_INS.map((id) => ({ id, text: t(`signIn.${id}`) }))}
        current={type}
        onSelect={setType}
      />
      <p class="text-sm text-soft">{t(`signIn.hint.${type}`)}</p>
      <Inputs key={type} type={type} current={current} />
      <p class="text-sm">{t("signIn.warning")}</p>
    </FormDialog>
  );
}

function Inputs({ type, current }: { type: SignInType; current: Credentials }) {
  if (type === "ACCESS_TOKEN")
    return (
      <TextField
        label={t("signIn.ownToken")}
        hint={t("signIn.ownTokenHint")}
        name="token"
        pattern="[A-Za-z0-9._~\-]{20,128}"
        autocomplete="off"
        spellcheck={false}
        class="input reading w-full"
      />
    );
  if (type === "X509")
    return (
      <TextAreaField
        label={t("signIn.certificate")}
        hint={t("signIn.certificateHint")}
        name="certificate"
        rows={6}
        required
        spellcheck={false}
        placeholder="-----BEGIN CERTIFICATE-----"
      />
    );
  return <BasicInputs current={current} />;
}

function BasicInputs({ current }: { current: Credentials }) {
  const [username, setUsername] = useState(current.username ?? "");
  const [clientId, setClientId] = useState(current.clientId ?? "");
  const common = {
    class: "input reading w-full",
    maxLength: maxLengthOf("devices/credentials.schemas.ts", "setCredentialsBody", "username"),
    autocomplete: "off",
    spellcheck: false,
  };
  return (
    <>
      <Field label={t("signIn.username")}>
        <input
          {...common}
          name="username"
          required={clientId.trim() === ""}
          value={username}
          onInput={(e) => setUsername(e.currentTarget.value)}
        />
      </Field>
      <Field label={t("signIn.clientId")} hint={t("signIn.clientIdHint")}>
        <input
          {...common}
          name="clientId"
          required={username.trim() === ""}
          value={clientId}
          onInput={(e) => setClientId(e.currentTarget.value)}
        />
      </Field>
      <Field label={t("signIn.password")} hint={t("signIn.passwordHint")}>
        <input
          {...common}
          name="password"
          {...inputLimits("devices/credentials.schemas.ts", "setCredentialsBody", "password")}
        />
      </Field>
    </>
  );
}

/** Shows a new password, once. */
export function PasswordDialog({ password, onClose }: { password: string; onClose: () => void }) {
  return (
    <ShownOnce
      title={t("signIn.newPassword")}
      note={t("signIn.newPasswordHint")}
      doneText={t("signIn.noted")}
      onClose={onClose}
      testId="new-password"
    >
      <Copyable name={t("common.password")} text={password} copyText={t("signIn.copyPassword")} />
    </ShownOnce>
  );
}
