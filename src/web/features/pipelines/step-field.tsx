import { Plus } from "lucide-preact";
import { useId, useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { Chips } from "../../ui/form/chips.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { Field } from "../../ui/form/field.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextAreaField } from "../../ui/form/text-area-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { isKept, KeptSecret } from "./kept-secret.tsx";
import { MapField } from "./map-field.tsx";
import type { FieldSchema } from "./pipelines-api.ts";
import { ScalarInput } from "./scalar-input.tsx";
import { type FieldKind, parseValue } from "./step-form.ts";

interface Props {
  readonly name: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly schema: FieldSchema;
  readonly value: unknown;
  readonly required: boolean;
  readonly hint: string | undefined;
  readonly error: string | undefined;
  /** Keys of the test message. */
  readonly keys: readonly string[];
  /** Undefined if nothing is set. */
  readonly onChange: (value: unknown) => void;
}

/** Field of a step, with the control for its schema. */
export function StepField(props: Props) {
  const { kind, label, hint, error, value, onChange, schema } = props;
  switch (kind.kind) {
    case "keys":
      return <KeysField {...props} />;
    case "map":
      return <MapField {...props} values={kind.values} />;
    case "boolean":
      return (
        // The one field of this kind is on unless it is switched off.
        <Checkbox
          checked={value !== false}
          hint={hint}
          onCheck={(isOn) => onChange(isOn ? undefined : false)}
        >
          {label}
        </Checkbox>
      );
    case "json":
      return <JsonField {...props} />;
    case "secret":
      return <SecretField {...props} />;
    case "choice":
      return (
        <SelectField
          label={label}
          hint={hint}
          error={error}
          value={typeof value === "string" ? value : ""}
          options={kind.choices}
          none={props.required ? undefined : t("step.standard")}
          onSelect={onChange}
          onNone={() => onChange(undefined)}
        />
      );
    default:
      return (
        <Field label={label} hint={hint} error={error}>
          <ScalarInput
            kind={kind.kind}
            value={value}
            onChange={onChange}
            max={schema.maxLength}
            suggest={props}
          />
        </Field>
      );
  }
}

function KeysField({ label, hint, error, value, keys, onChange }: Props) {
  const id = useId();
  const [text, setText] = useState("");
  const selectedItem = Array.isArray(value) ? value.map(String) : [];
  const set = (list: string[]) => onChange(list.length === 0 ? undefined : list);
  const add = () => {
    const added = text
      .split(",")
      .map((key) => key.trim())
      .filter((key) => key !== "" && !selectedItem.includes(key));
    setText("");
    if (added.length > 0) set([...selectedItem, ...added]);
  };
  return (
    <div class="flex flex-col gap-2">
      <Field label={label} hint={hint} error={error}>
        <span class="flex gap-2">
          <input
            class="input reading w-full"
            autocapitalize="off"
            autocomplete="off"
            spellcheck={false}
            list={id}
            value={text}
            onInput={(e) => setText(e.currentTarget.value)}
            onBlur={add}
            onKeyDown={(e) => {
              if (e.key !== "Enter") return;
              e.preventDefault();
              add();
            }}
          />
          <IconButton icon={Plus} label={t("common.addKey")} class="btn btn-square flex-none" onClick={add} />
        </span>
      </Field>
      <datalist id={id}>
        {keys
          .filter((key) => !selectedItem.includes(key))
          .map((key) => (
            <option key={key} value={key} />
          ))}
      </datalist>
      <Chips
        label={label}
        items={selectedItem.map((key) => ({ id: key, text: key }))}
        more={(count) => t("access.more", { count })}
        removeLabel={(key) => t("common.removeKey", { key })}
        onRemove={(key) => set(selectedItem.filter((candidate) => candidate !== key))}
      />
    </div>
  );
}

function SecretField({ label, hint, error, value, onChange }: Props) {
  if (isKept(value))
    return (
      <div class="flex flex-col gap-1.5">
        <span class="text-sm font-medium">{label}</span>
        <KeptSecret label={label} onReplace={() => onChange(undefined)} />
      </div>
    );
  return (
    <TextField
      label={label}
      hint={hint}
      error={error}
      type="password"
      autocomplete="new-password"
      value={typeof value === "string" ? value : ""}
      class="input reading w-full"
      onText={(text) => onChange(text || undefined)}
    />
  );
}

function JsonField({ label, hint, error, value, onChange }: Props) {
  const [text, setText] = useState(() =>
    value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value, null, 2),
  );
  // Invalid JSON is kept as text, and refused when saving.
  const isBroken = text.trim() !== "" && typeof parseValue(text) === "string";
  return (
    <TextAreaField
      label={label}
      hint={hint}
      error={isBroken ? t("widget.paramsWrong") : error}
      rows={Math.min(Math.max(text.split("\n").length, 4), 14)}
      spellcheck={false}
      value={text}
      onInput={(e) => {
        setText(e.currentTarget.value);
        onChange(e.currentTarget.value.trim() === "" ? undefined : parseValue(e.currentTarget.value));
      }}
    />
  );
}
