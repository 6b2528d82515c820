import { Plus, X } from "lucide-preact";
import { useState } from "preact/hooks";
import { kindOf, parseEditorText, toEditorText, type ValueKind } from "../../lib/attribute-value.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { JsonValue } from "../../lib/wire.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form/field.tsx";
import type { ControlProps } from "../../ui/form/form-definition.ts";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ValueInput } from "../attributes/attribute-dialog.tsx";

const KINDS: readonly ValueKind[] = ["text", "number", "boolean", "json"];

interface Row {
  readonly id: number;
  readonly key: string;
  readonly kind: ValueKind;
  readonly text: string;
}

let newestId = 0;
const newRow = (key = "", value?: JsonValue): Row => ({
  id: ++newestId,
  key,
  kind: kindOf(value),
  text: toEditorText(value),
});

const isTyped = ({ text, kind }: Row) => parseEditorText(text, kind) !== undefined;

/** Edits attributes and the types of their values. The value of the field is undefined while one attribute does not match its type. */
export function AttributeRows({ value, onChange, values }: ControlProps) {
  const [rows, setRows] = useState(() => {
    const attributes = Object.entries((value ?? {}) as Readonly<Record<string, JsonValue>>); // the type of the schema
    return attributes.length === 0 ? [newRow()] : attributes.map(([key, item]) => newRow(key, item));
  });
  const set = (changed: Row[]) => {
    setRows(changed);
    const entries = changed.map(({ key, text, kind }) => [key.trim(), parseEditorText(text, kind)] as const);
    onChange(changed.every(isTyped) ? Object.fromEntries(entries) : undefined);
  };
  return (
    <div class="flex flex-col gap-3">
      {rows.map((row, index) => (
        <RowFields
          key={row.id}
          row={row}
          isWrong={values.isTried === true && !isTyped(row)}
          onChange={(changes) => set(rows.with(index, { ...row, ...changes }))}
          onRemove={rows.length > 1 ? () => set(rows.filter((other) => other !== row)) : undefined}
        />
      ))}
      <Button icon={Plus} class="btn btn-sm self-start" onClick={() => set([...rows, newRow()])}>
        {t("job.addAttribute")}
      </Button>
    </div>
  );
}

function RowFields(props: {
  row: Row;
  isWrong: boolean;
  onChange: (changes: Partial<Row>) => void;
  onRemove: (() => void) | undefined;
}) {
  const { row, onChange } = props;
  return (
    <div class="flex items-start gap-2">
      <div class="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_7rem] gap-x-2 gap-y-3 sm:grid-cols-[minmax(0,1fr)_7rem_minmax(0,1fr)]">
        <TextField
          label={t("common.name")}
          required
          maxLength={maxLengthOf("tenants/tenants.schemas.ts", "setAttributeBody", "key")}
          autocapitalize="off"
          value={row.key}
          class="input reading w-full"
          onText={(key) => onChange({ key })}
        />
        <SelectField
          label={t("attributes.kind")}
          value={row.kind}
          options={KINDS}
          text={(kind) => t(`kind.${kind}`)}
          onSelect={(kind) => onChange({ kind })}
        />
        <div class="max-sm:col-span-2">
          <Field
            label={t("common.value")}
            error={props.isWrong ? t("job.notTyped", { key: row.key }) : undefined}
          >
            <ValueInput kind={row.kind} text={row.text} onText={(text) => onChange({ text })} />
          </Field>
        </div>
      </div>
      {props.onRemove && (
        <IconButton
          icon={X}
          label={t("common.removeKey", { key: row.key })}
          class="btn btn-ghost btn-square mt-6.5 flex-none"
          onClick={props.onRemove}
        />
      )}
    </div>
  );
}
