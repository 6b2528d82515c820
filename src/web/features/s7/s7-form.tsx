import { t } from "../../platform/i18n/i18n.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { SchemaFields } from "../../ui/schema-fields.tsx";
import { useSchemaForm } from "../../ui/use-schema-form.ts";
import type { ConnectionFormProps } from "../field/connection-page.tsx";
import { type S7Connection, type S7ConnectionInput, s7Api } from "./s7-api.ts";
import { connectionForm } from "./s7-forms.ts";

const defaults = { name: "", host: "", port: 102, rack: 0, slot: 1, timeoutMs: 2_000, enabled: true };

export function S7Form({ connection, draft, onClose, onSaved }: ConnectionFormProps<S7Connection>) {
  const form = useSchemaForm(connectionForm, { ...defaults, ...connection }, draft);
  const submit = (e: SubmitEvent) => {
    e.preventDefault();
    form.send(async (body) => {
      const input = body as S7ConnectionInput; // the API checks it
      onSaved(connection ? await s7Api.update(connection.connectionId, input) : await s7Api.create(input));
    });
  };
  return (
    <form class="flex flex-col gap-4" onSubmit={submit}>
      <SchemaFields form={connectionForm} {...form.state} />
      <FormButtons busy={form.busy} error={form.error} onCancel={onClose}>
        {connection ? t("common.save") : t("modbus.create")}
      </FormButtons>
    </form>
  );
}
