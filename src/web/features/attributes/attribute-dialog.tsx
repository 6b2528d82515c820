import { useState } from "preact/hooks";
import type { AttributeEntry, Scope } from "../../lib/api-types.ts";
import { kindOf, parseEditorText, toEditorText, type ValueKind } from "../../lib/attribute-value.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/form/field.tsx";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { attributesApi } from "./attributes-api.ts";

const WRITABLE = ["SHARED", "SERVER"] as const satisfies readonly Scope[];
const KINDS: readonly ValueKind[] = ["text", "number", "boolean", "json"];

interface Props {
  readonly deviceId: string;
  /** Undefined for a new attribute. */
  readonly entry?: AttributeEntry;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function AttributeDialog({ deviceId, entry, onClose, onDone }: Props) {
  const [scope, setScope] = useState<Scope>(entry?.scope ?? "SHARED");
  const [kind, setKind] = useState<ValueKind>(kindOf(entry?.value));
  const [text, setText] = useState(toEditorText(entry?.value));
  const [wrong, setWrong] = useState(false);
  const action = useAction();
  const submit = (form: HTMLFormElement) => {
    const key = entry?.key ?? String(new FormData(form).get("key")).trim();
    const value = parseEditorText(text, kind);
    setWrong(value === undefined);
    if (value === undefined) return;
    action.run(async () => {
      await attributesApi.set(deviceId, scope, { [key]: value });
      onDone();
    });
  };
  return (
    <FormDialog
      title={entry ? t("common.editKey", { key: entry.key }) : t("attributes.add")}
      submitText={t("common.save")}
      onSubmit={submit}
      busy={action.busy}
      error={action.error}
      onClose={onClose}
    >
      {!entry && (
        <TextField
          label={t("common.name")}
          name="key"
          required
          maxLength={maxLengthOf("tenants/tenants.schemas.ts", "setAttributeBody", "key")}
          autocapitalize="off"
          autofocus
          class="input reading w-full"
        />
      )}
      {!entry && (
        <div class="flex flex-col gap-1.5">
          <span class="text-sm font-medium">{t("attributes.scope")}</span>
          <Segments
            label={t("attributes.scope")}
            items={WRITABLE.map((id) => ({ id, text: t(`scope.${id}`) }))}
            current={scope}
            onSelect={setScope}
          />
          <span class="text-sm text-soft">{t(`scopeHint.${scope}`)}</span>
        </div>
      )}
      <div class="flex flex-col gap-1.5">
        <span class="text-sm font-medium">{t("attributes.kind")}</span>
        <Segments
          label={t("attributes.kind")}
          items={KINDS.map((id) => ({ id, text: t(`kind.${id}`) }))}
          current={kind}
          onSelect={setKind}
        />
      </div>
      <Field label={t("common.value")}>
        <ValueInput kind={kind} text={text} onText={setText} />
      </Field>
      {wrong && (
        <p role="alert" class="text-error">
          {kind === "json" ? t("attributes.notJson") : t("attributes.notNumber")}
        </p>
      )}
    </FormDialog>
  );
}

export function ValueInput({
  kind,
  text,
  onText,
}: {
  kind: ValueKind;
  text: string;
  onText: (text: string) => void;
}) {
  if (kind === "boolean") {
    return (
      <select
        class="select w-full"
        value={text === "true" ? "true" : "false"}
        onChange={(e) => onText(e.currentTarget.value)}
      >
        <option value="true">{t("value.true")}</option>
        <option value="false">{t("value.false")}</option>
      </select>
    );
  }
  if (kind === "json") {
    return (
      <textarea
        class="textarea reading w-full"
        rows={6}
        spellcheck={false}
        value={text}
        onInput={(e) => onText(e.currentTarget.value)}
      />
    );
  }
  return (
    <input
      class="input reading w-full"
      inputMode={kind === "number" ? "decimal" : "text"}
      value={text}
      onInput={(e) => onText(e.currentTarget.value)}
    />
  );
}
