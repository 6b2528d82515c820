import { useMemo, useState } from "preact/hooks";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useAction } from "../../ui/use-form.ts";
import { changesOf, nameForm, settingsForm, settingsOf, valuesOf } from "./integration-form.tsx";
import { type Integration, integrationsApi } from "./integrations-api.ts";

interface Props {
  readonly integration: Integration;
  readonly onSaved: (integration: Integration) => void;
}

export function SettingsTab({ integration, onSaved }: Props) {
  const { integrationId, type, settings_json } = integration;
  const form = useMemo(() => settingsForm(type, settings_json), [type]);
  const [name, setName] = useState<FormValues>({ name: integration.name });
  const [values, setValues] = useState(() => valuesOf(settings_json));
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      const saved = await integrationsApi.update(integrationId, {
        name: String(name.name).trim(),
        settings_json: changesOf(settings_json, settingsOf(form, values)),
      });
      setValues(valuesOf(saved.settings_json));
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      onSaved(saved);
    });
  };
  return (
    <form class="panel flex max-w-2xl flex-col gap-5 p-4" onSubmit={submit}>
      <SchemaFields form={nameForm} values={name} onChange={setName} />
      <SchemaFields form={form} values={values} onChange={setValues} />
      <ErrorNote error={action.error} />
      <div>
        <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
      </div>
    </form>
  );
}
