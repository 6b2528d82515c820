import { useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { FixedKeys } from "../../ui/form/fixed-keys.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { SectionForm } from "../../ui/form/section-form.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Trail } from "../../ui/page/trail.tsx";
import type { MailSettingsInput, MailTestInput } from "./mail-server-api.ts";
import { type MailSettings, type MailTestResult, mailServerApi } from "./mail-server-api.ts";
import { inputOf, mailServerForm, valuesOf } from "./mail-server-form.ts";

/** The mail server of the gateway, for its operator. */
export function MailServerPage() {
  const settings = useResource(() => mailServerApi.get(), []);
  return (
    <div class="flex max-w-3xl flex-col gap-4">
      <Trail steps={[{ href: "/settings/notifications", text: t("page.notifications") }]} />
      <Loaded of={settings}>{(data) => <ServerForm settings={data} onSaved={settings.set} />}</Loaded>
    </div>
  );
}

function ServerForm(props: { settings: MailSettings; onSaved: (settings: MailSettings) => void }) {
  const { settings } = props;
  const form = useSchemaForm(mailServerForm, valuesOf(settings));
  const submit = () =>
    form.send(async (body) => {
      const saved = await mailServerApi.save(inputOf(body, settings) as MailSettingsInput); // the API checks it
      form.state.onChange(valuesOf(saved));
      props.onSaved(saved);
      toast("success", t("mailServer.saved"));
    });
  return (
    <>
      <Section id="mail-server" title={t("mailServer.title")}>
        <SectionForm {...form.dialog} onSubmit={submit} isFixed={settings.fixed.length >= 2}>
          <p class="text-soft">{t("mailServer.intro")}</p>
          <FixedKeys keys={settings.fixed} />
          <SchemaFields
            form={mailServerForm}
            {...form.state}
            isDisabled={(path) => settings.fixed.includes(path === "from" ? "smtp_from" : "smtp_url")}
            hints={settings.server?.hasPassword ? { "server.password": t("mailServer.kept") } : {}}
          />
        </SectionForm>
      </Section>
      <MailTest
        input={(to) => ({ ...inputOf(form.body(), settings), to }) as MailTestInput} // the API checks it
      />
    </>
  );
}

/** Sends a mail with the entered settings, before they are saved. */
function MailTest({ input }: { input: (to: string) => MailTestInput }) {
  const action = useAction();
  const [result, setResult] = useState<MailTestResult>();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const to = String(new FormData(e.currentTarget).get("to"));
    setResult(undefined);
    action.run(async () => setResult(await mailServerApi.test(input(to))));
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
              ? t("mailServer.testOk", { response: result.response ?? "" })
              : t("mailServer.testFailed", {
                  reason: result.error ? serverText(result.error, result.error.message) : "",
                })}
          </p>
        )}
        <div class="flex justify-end">
          <SubmitButton busy={action.busy}>{t("mailServer.send")}</SubmitButton>
        </div>
      </form>
    </Section>
  );
}
