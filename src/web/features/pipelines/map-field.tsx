import { Plus, X } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { isKept, KeptSecret } from "./kept-secret.tsx";
import { ScalarInput } from "./scalar-input.tsx";
import type { FieldKind } from "./step-form.ts";

interface Props {
  readonly label: string;
  readonly value: unknown;
  readonly values: FieldKind;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  readonly onChange: (value: unknown) => void;
}

interface Row {
  readonly id: number;
  readonly key: string;
  readonly value: unknown;
}

let rowsCreated = 0;
const rowsOf = (value: unknown): Row[] =>
  Object.entries(typeof value === "object" && value !== null ? value : {}).map(([key, inner]) => ({
    id: ++rowsCreated,
    key,
    value: inner,
  }));

/** Lines of a name and its value. */
export function MapField({ label, hint, error, value, values, onChange }: Props) {
  const [rows, setRows] = useState<Row[]>(() => {
    const existingRows = rowsOf(value);
    return existingRows.length > 0 ? existingRows : [{ id: ++rowsCreated, key: "", value: undefined }];
  });
  const first = values.kind === "choice" ? values.choices[0] : "";
  const set = (changed: Row[]) => {
    setRows(changed);
    const entries = changed.flatMap(({ key, value: inner }) => (key === "" ? [] : [[key, inner ?? first]]));
    onChange(entries.length === 0 ? undefined : Object.fromEntries(entries));
  };
  const change = (row: Row, changes: Partial<Row>) =>
    set(rows.map((candidate) => (candidate === row ? { ...row, ...changes } : candidate)));
  return (
    <fieldset class="flex min-w-0 flex-col gap-2">
      <legend class="mb-1.5 text-sm font-medium">{label}</legend>
      {rows.map((row) => (
        <div key={row.id} class="flex items-center gap-2">
          <input
            class="input reading min-w-0 flex-1"
            aria-label={t("step.rowKey", { field: label })}
            autocapitalize="off"
            spellcheck={false}
            value={row.key}
            onInput={(e) => change(row, { key: e.currentTarget.value })}
          />
          <span aria-hidden="true">→</span>
          <span class="min-w-0 flex-1">
            <MapValue
              row={row}
              kind={values}
              label={label}
              onChange={(inner) => change(row, { value: inner })}
            />
          </span>
          <IconButton
            icon={X}
            label={t("step.removeRow", { key: row.key })}
            class="btn btn-ghost btn-square btn-sm flex-none"
            onClick={() => set(rows.filter((candidate) => candidate !== row))}
          />
        </div>
      ))}
      {error && (
        <span role="alert" class="text-sm text-error">
          {error}
        </span>
      )}
      <Button
        icon={Plus}
        class="btn btn-sm self-start"
        onClick={() => setRows([...rows, { id: ++rowsCreated, key: "", value: undefined }])}
      >
        {t("step.addRow")}
      </Button>
      {hint && <span class="text-sm text-soft">{hint}</span>}
    </fieldset>
  );
}

function MapValue(props: { row: Row; kind: FieldKind; label: string; onChange: (value: unknown) => void }) {
  const { row, kind, onChange } = props;
  const label = t("step.rowValue", { field: props.label });
  if (isKept(row.value)) return <KeptSecret label={label} onReplace={() => onChange("")} />;
  if (kind.kind === "choice")
    return (
      <select
        class="select w-full"
        aria-label={label}
        value={String(row.value ?? kind.choices[0])}
        onChange={(e) => onChange(e.currentTarget.value)}
      >
        {kind.choices.map((choice) => (
          <option key={choice} value={choice} selected={choice === (row.value ?? kind.choices[0])}>
            {choice}
          </option>
        ))}
      </select>
    );
  return (
    <ScalarInput
      kind={kind.kind === "value" ? "value" : "text"}
      value={row.value}
      onChange={onChange}
      label={label}
    />
  );
}
