import { t } from "../../platform/i18n/i18n.ts";
import { Checkbox } from "../../ui/choice.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import {
  type FieldText,
  hasTlsChoice,
  isShown,
  type TargetDraft,
  type TargetField,
  type TargetType,
  targetFields,
  valueAt,
  withValue,
} from "./target-fields.ts";

interface Props {
  readonly type: TargetType;
  readonly target: TargetDraft;
  readonly onChange: (target: TargetDraft) => void;
}

/** Fields of a target. */
export function TargetForm({ type, target, onChange }: Props) {
  return (
    <div class="grid gap-4 sm:grid-cols-2">
      {targetFields[type]
        .filter((field) => isShown(field, target))
        .map((field) => (
          <Input
            key={field.path}
            field={field}
            value={valueAt(target, field.path)}
            onChange={(value) => onChange(withValue(target, field.path, value))}
          />
        ))}
      <Tls type={type} target={target} onChange={onChange} />
    </div>
  );
}

const optionText = (label: string): string => (label.includes(".") ? t(label as FieldText) : label);

function Input(props: { field: TargetField; value: unknown; onChange: (value: unknown) => void }) {
  const { field, value, onChange } = props;
  const label = t(field.label);
  const hint = field.hint && t(field.hint);
  const required = field.isRequired === true;
  switch (field.kind) {
    case "check":
      return (
        <Checkbox checked={value === true} onCheck={onChange}>
          {label}
        </Checkbox>
      );
    case "select":
      return (
        <SelectField label={label} hint={hint} onChange={(e) => onChange(e.currentTarget.value)}>
          {field.options?.map(([option, text]) => (
            <option key={option} value={option} selected={option === (value ?? "")}>
              {optionText(text)}
            </option>
          ))}
        </SelectField>
      );
    case "number":
      return (
        <TextField
          label={label}
          hint={hint}
          type="number"
          min={1}
          required={required}
          value={String(value ?? "")}
          onText={(text) => onChange(text === "" ? undefined : Number(text))}
        />
      );
    case "lines":
      return (
        <TextAreaField
          label={label}
          hint={hint}
          rows={2}
          required={required}
          value={Array.isArray(value) ? value.join("\n") : ""}
          onText={(text) => onChange(text.split("\n").map((line) => line.trim()))}
        />
      );
    case "secret":
      return <Secret label={label} hint={hint} value={value} onChange={onChange} />;
    default:
      return (
        <TextField
          label={label}
          hint={hint}
          required={required}
          value={String(value ?? "")}
          onText={onChange}
        />
      );
  }
}

/** A secret that was kept is not shown; what is typed replaces it. */
function Secret(props: {
  label: string;
  hint: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const { label, hint, value, onChange } = props;
  const isKept = typeof value === "object" && value !== null;
  return (
    <TextField
      label={label}
      hint={isKept ? t("common.secretKept") : hint}
      type="password"
      autocomplete="new-password"
      value={typeof value === "string" ? value : ""}
      onText={(text) => onChange(text === "" && isKept ? value : text)}
    />
  );
}

function PrivateKey(props: { value: unknown; onChange: (path: string, value: unknown) => void }) {
  const { value, onChange } = props;
  const isKept = typeof value === "object" && value !== null;
  return (
    <TextAreaField
      label={t("uplinkField.privateKey")}
      hint={isKept ? t("common.secretKept") : undefined}
      rows={3}
      placeholder="-----BEGIN PRIVATE KEY-----"
      value={typeof value === "string" ? value : ""}
      onText={(text) => onChange("tls.privateKey", text === "" && isKept ? value : text)}
    />
  );
}

function Tls({ type, target, onChange }: Props) {
  const tls = valueAt(target, "tls");
  const isOn = typeof tls === "object" && tls !== null;
  const change = (path: string, value: unknown) =>
    onChange(withValue({ ...target, tls: tls ?? {} }, path, value));
  return (
    <div class="flex flex-col gap-3 sm:col-span-2">
      {hasTlsChoice(type) && (
        <Checkbox checked={isOn} onCheck={(on) => onChange({ ...target, tls: on ? {} : null })}>
          {t("uplinkField.tls")}
        </Checkbox>
      )}
      {(isOn || !hasTlsChoice(type)) && (
        <details>
          <summary class="cursor-pointer text-sm font-medium">{t("uplinkField.certificates")}</summary>
          <div class="mt-3 grid gap-4 sm:grid-cols-2">
            {(["ca", "certificate"] as const).map((name) => (
              <TextAreaField
                key={name}
                label={t(`uplinkField.${name}`)}
                rows={3}
                placeholder="-----BEGIN CERTIFICATE-----"
                value={String(valueAt(target, `tls.${name}`) ?? "")}
                onText={(text) => change(`tls.${name}`, text)}
              />
            ))}
            <PrivateKey value={valueAt(target, "tls.privateKey")} onChange={change} />
          </div>
        </details>
      )}
    </div>
  );
}
