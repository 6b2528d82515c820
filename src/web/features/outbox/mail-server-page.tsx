import { useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { BackLink } from "../../ui/back-link.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import {
  formOf,
  inputOf,
  type MailServerForm,
  type MailSettings,
  type MailTestResult,
  mailServerApi,
  SECURITIES,
  standardPort,
} from "./mail-server-api.ts";

/** The mail server of the gateway, for its operator. */
export function MailServerPage() {
  const settings = useResource(() => mailServerApi.get(), []);
  return (
    <div class="flex max-w-3xl flex-col gap-4">
      <BackLink href="/settings/outbox">{t("page.outbox")}</BackLink>
      <Loaded of={settings}>{(data) => <ServerForm settings={data} onSaved={settings.set} />}</Loaded>
    </div>
  );
}

function ServerForm({
  settings,
  onSaved,
}: {
  settings: MailSettings;
  onSaved: (settings: MailSettings) => void;
}) {
  const [form, setForm] = useState(() => formOf(settings));
  const saving = useAction();
  const change = (changes: Partial<MailServerForm>) => setForm({ ...form, ...changes });
  const isFixed = settings.fixed.length === 2;
  const submit = (e: Event) => {
    e.preventDefault();
    saving.run(async () => {
      const saved = await mailServerApi.save(inputOf(form, settings));
      setForm(formOf(saved));
      onSaved(saved);
      toast("success", t("mailServer.saved"));
    });
  };
  return (
    <>
      <Section id="mail-server" title={t("mailServer.title")}>
        <form class="flex flex-col gap-4" onSubmit={submit}>
          <p class="text-soft">{t("mailServer.intro")}</p>
          {settings.fixed.map((key) => (
            <p key={key} class="panel border-l-4 border-l-info p-4">
              {t("mailServer.fixed", { key, variable: `LINESIDE_${key.toUpperCase()}` })}
            </p>
          ))}
          <ServerFields form={form} settings={settings} onChange={change} />
          <ErrorNote error={saving.error} />
          {!isFixed && (
            <div>
              <SubmitButton busy={saving.busy}>{t("common.save")}</SubmitButton>
            </div>
          )}
        </form>
      </Section>
      <MailTest form={form} settings={settings} />
    </>
  );
}

interface FieldsProps {
  readonly form: MailServerForm;
  readonly settings: MailSettings;
  readonly onChange: (changes: Partial<MailServerForm>) => void;
}

function ServerFields({ form, settings, onChange }: FieldsProps) {
  const disabled = settings.fixed.includes("smtp_url");
  return (
    <>
      <TextField
        label={t("common.host")}
        hint={t("mailServer.hostHint")}
        value={form.host}
        disabled={disabled}
        maxLength={253}
        onText={(host) => onChange({ host: host.trim() })}
      />
      {form.host !== "" && <ConnectionFields {...{ form, settings, onChange }} />}
      <TextField
        label={t("mailServer.from")}
        hint={t("mailServer.fromHint")}
        type="email"
        value={form.from}
        disabled={settings.fixed.includes("smtp_from")}
        placeholder={settings.sender ?? ""}
        onText={(from) => onChange({ from: from.trim() })}
      />
    </>
  );
}

function ConnectionFields({ form, settings, onChange }: FieldsProps) {
  const disabled = settings.fixed.includes("smtp_url");
  return (
    <>
      <div class="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={t("mailServer.security")}
          value={form.security}
          disabled={disabled}
          onChange={(e) => {
            const security = SECURITIES.find((id) => id === e.currentTarget.value);
            if (security !== undefined) onChange({ security, port: standardPort(security) });
          }}
        >
          {SECURITIES.map((id) => (
            <option key={id} value={id}>
              {t(`mailServer.security.${id}`)}
            </option>
          ))}
        </SelectField>
        <TextField
          label={t("common.port")}
          type="number"
          min={1}
          max={65_535}
          required
          disabled={disabled}
          value={Number.isNaN(form.port) ? "" : form.port}
          onInput={(e) => onChange({ port: e.currentTarget.valueAsNumber })}
        />
        <TextField
          label={t("mailServer.user")}
          hint={t("mailServer.userHint")}
          value={form.user}
          disabled={disabled}
          autocomplete="off"
          onText={(user) => onChange({ user })}
        />
        {form.user !== "" && (
          <TextField
            label={t("common.password")}
            hint={settings.server?.hasPassword ? t("mailServer.kept") : undefined}
            type="password"
            value={form.password}
            disabled={disabled}
            autocomplete="new-password"
            onText={(password) => onChange({ password })}
          />
        )}
      </div>
      <label class="flex items-center gap-3">
        <input
          type="checkbox"
          class="checkbox checkbox-sm"
          checked={form.acceptsAnyCertificate}
          disabled={disabled}
          onChange={(e) => onChange({ acceptsAnyCertificate: e.currentTarget.checked })}
        />
        {t("mailServer.anyCertificate")}
      </label>
    </>
  );
}

/** Sends a mail with the settings as they are entered, before they are saved. */
function MailTest({ form, settings }: Pick<FieldsProps, "form" | "settings">) {
  const action = useAction();
  const [result, setResult] = useState<MailTestResult>();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const to = String(new FormData(e.currentTarget).get("to"));
    setResult(undefined);
    action.run(async () => setResult(await mailServerApi.test({ ...inputOf(form, settings), to })));
  };
  return (
    <Section id="mail-test" title={t("mailServer.test")}>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label={t("mailServer.to")}
          hint={t("mailServer.testHint")}
          name="to"
          type="email"
          required
        />
        <ErrorNote error={action.error} />
        {result && (
          <p role="status" class={`break-words ${result.success ? "text-success" : "text-error"}`}>
            {result.success
              ? t("mailServer.testOk", { answer: result.answer ?? "" })
              : t("mailServer.testFailed", {
                  reason: result.error ? serverText(result.error, result.error.message) : "",
                })}
          </p>
        )}
        <div>
          <SubmitButton busy={action.busy}>{t("mailServer.send")}</SubmitButton>
        </div>
      </form>
    </Section>
  );
}
