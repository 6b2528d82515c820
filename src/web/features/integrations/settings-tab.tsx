import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { changesOf, fieldsOf } from "./integration-form.ts";
import { type Integration, integrationsApi } from "./integrations-api.ts";
import { SettingsFields } from "./settings-fields.tsx";

interface Props {
  readonly integration: Integration;
  readonly onSaved: (integration: Integration) => void;
}

export function SettingsTab({ integration, onSaved }: Props) {
  const { integrationId, type, settings_json } = integration;
  const [name, setName] = useState(integration.name);
  const [fields, setFields] = useState(() => fieldsOf(settings_json));
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      const changes = { name: name.trim(), settings_json: changesOf(type, fields, settings_json) };
      const saved = await integrationsApi.update(integrationId, changes);
      setFields(fieldsOf(saved.settings_json));
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      onSaved(saved);
    });
  };
  return (
    <form class="panel flex max-w-2xl flex-col gap-5 p-4" onSubmit={submit}>
      <TextField
        label={t("integration.name")}
        required
        maxLength={200}
        pattern=".*\S.*"
        value={name}
        onText={setName}
      />
      <SettingsFields type={type} fields={fields} onChange={setFields} before={settings_json} />
      <ErrorNote error={action.error} />
      <div>
        <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
      </div>
    </form>
  );
}
