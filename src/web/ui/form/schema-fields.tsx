import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type FieldSchema, type FormValues, fieldAt, valueAt, withValue } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Section } from "../page/section.tsx";
import { Checkbox, Radio } from "./choice.tsx";
import type { FieldGroup, Fields } from "./form-definition.ts";
import {
  type FormDefinition,
  type FormField,
  isGroup,
  isShown,
  textOfField,
  toField,
} from "./form-definition.ts";
import { SelectField } from "./select-field.tsx";
import { TextAreaField } from "./text-area-field.tsx";
import { TextField } from "./text-field.tsx";

/** Removing the pattern attribute of an input leaves an empty pattern, which only an empty text matches; this one matches all. */
const ANY_TEXT = ".*";

export interface FormState {
  readonly values: FormValues;
  readonly onChange: (values: FormValues) => void;
  /** Returns the error of the field at a path. */
  readonly errorOf?: ((path: string) => string | undefined) | undefined;
  /** True, or true for the field at a path, if it cannot be changed. */
  readonly isDisabled?: boolean | ((path: string) => boolean) | undefined;
  /** Options by path, if they differ from the schema's; with texts if the catalog has none. */
  readonly options?: Readonly<Record<string, ReadonlyArray<string | readonly [string, string]>>> | undefined;
  /** Hints by path, which replace those of the catalog. */
  readonly hints?: Readonly<Record<string, string>> | undefined;
}

/** The fields of a form, each with the control and the limits of its schema. */
export const SchemaFields = (props: FormState & { form: FormDefinition }) => (
  <FieldList {...props} fields={props.form.fields} />
);

type ListProps = FormState & { form: FormDefinition };

function FieldList({ fields, ...props }: ListProps & { fields: Fields }) {
  const { form, values } = props;
  return (
    <>
      {fields.map((item) => {
        const row = [item]
          .flat()
          .filter((entry) =>
            isGroup(entry) ? entry.when?.(values) !== false : isShown(form, toField(entry), values),
          );
        const inputs = row.map((entry) => {
          if (isGroup(entry)) return <GroupOfForm key={entry.group} {...props} group={entry} />;
          const field = toField(entry);
          return <FieldOfForm key={field.text ?? field.path} {...props} field={field} />;
        });
        if (!Array.isArray(item) || inputs.length < 2) return inputs;
        return (
          <div key={inputs[0]?.key} class="grid gap-4 sm:grid-flow-col sm:auto-cols-fr">
            {inputs}
          </div>
        );
      })}
    </>
  );
}

function GroupOfForm({ group, ...props }: ListProps & { group: FieldGroup }) {
  const { form, values } = props;
  const [wasFolded] = useState(() => group.isFolded?.(values));
  const title = textOfField("fieldGroup", form.texts, group.group) ?? group.group;
  const indent = group.isIndented ? "border-l-2 border-base-300 pl-4" : "";
  const list = <FieldList {...props} fields={group.fields} />;
  if (group.isSection)
    return (
      <Section id={`fields-${group.group}`} title={title}>
        {list}
      </Section>
    );
  if (wasFolded === undefined)
    return (
      <fieldset class={`flex min-w-0 flex-col gap-4 ${indent}`}>
        <legend class="mb-2 font-semibold">{title}</legend>
        {list}
      </fieldset>
    );
  return (
    <details open={!wasFolded}>
      <summary class="cursor-pointer text-sm font-medium">{title}</summary>
      <div class={`mt-3 flex flex-col gap-4 ${indent}`}>{list}</div>
    </details>
  );
}

function FieldOfForm(props: FormState & { form: FormDefinition; field: FormField }) {
  const { form, field, values } = props;
  const onChange = (after: FormValues) => props.onChange(form.adjust?.(values, after) ?? after);
  const { path, text = path } = field;
  const schema = fieldAt(form.schema, path, values);
  const options = props.options?.[path]?.map((option) =>
    typeof option === "string" ? { value: option } : { value: option[0], name: option[1] },
  );
  const label = field.own?.label ?? textOfField("field", form.texts, text) ?? text;
  const common = {
    label,
    hint: props.hints?.[path] ?? field.own?.hint ?? textOfField("fieldHint", form.texts, text),
    error: props.errorOf?.(path),
    isDisabled: typeof props.isDisabled === "function" ? props.isDisabled(path) : props.isDisabled,
    value: valueAt(values, path),
    onChange: (value: unknown) => onChange(withValue(values, path, value)),
  };
  if (schema && field.control)
    return <field.control {...common} schema={schema} values={values} setValues={onChange} />;
  return (
    schema && (
      <SchemaField
        {...common}
        field={field}
        schema={{ ...schema, ...(options && { kind: "choice", options: options.map(({ value }) => value) }) }}
        pattern={textOfField("fieldPattern", form.texts, text)}
        optionText={(option) =>
          options?.find(({ value }) => value === option)?.name ??
          textOfField("fieldOption", form.texts, `${text}.${option}`)
        }
        optionHint={(option) => textOfField("fieldHint", form.texts, `${text}.${option}`)}
      />
    )
  );
}

interface Props {
  readonly field: FormField;
  readonly schema: FieldSchema;
  readonly label: string;
  readonly hint: string | undefined;
  readonly pattern: string | undefined;
  readonly optionText: (option: string | number) => string | undefined;
  readonly optionHint: (option: string | number) => string | undefined;
  readonly error: string | undefined;
  readonly isDisabled: boolean | undefined;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** True for a stored secret, which is not shown; typing replaces it. */
const isKept = (value: unknown): boolean => typeof value === "object" && value !== null && "kept" in value;

const fieldText = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** Returns the attributes of an input that express the limits of a field. */
const limitsOf = ({ schema, field, value }: Pick<Props, "schema" | "field" | "value">) => ({
  required: (schema.isRequired === true || field.isRequired === true) && !isKept(value),
  ...(schema.minLength !== undefined && { minLength: schema.minLength }),
  ...(schema.maxLength !== undefined && { maxLength: schema.maxLength }),
});

function SchemaField(props: Props) {
  const { field, schema, label, hint, error, value, onChange } = props;
  const common = {
    label,
    hint: isKept(value) ? t("common.secretKept") : hint,
    error,
    disabled: props.isDisabled,
  };
  const onText = (text: string) => onChange(text === "" && isKept(value) ? value : text);
  if (schema.kind === "boolean")
    return (
      <Checkbox checked={value === true} disabled={props.isDisabled} hint={hint} onCheck={onChange}>
        {label}
      </Checkbox>
    );
  if (schema.kind === "choice") return field.isRadio ? <Radios {...props} /> : <Choice {...props} />;
  if (schema.kind === "set") return <Checkboxes {...props} />;
  if (schema.kind === "list")
    return (
      <TextAreaField
        {...common}
        rows={field.rows ?? 2}
        required={limitsOf(props).required}
        placeholder={field.input?.placeholder}
        value={Array.isArray(value) ? value.join("\n") : ""}
        onText={(text) => onChange(text.split("\n"))}
      />
    );
  if (schema.kind === "number") return <NumberField {...props} common={common} />;
  if (field.rows !== undefined)
    return (
      <TextAreaField
        {...common}
        rows={field.rows}
        {...limitsOf(props)}
        placeholder={field.input?.placeholder}
        value={fieldText(value)}
        onText={onText}
      />
    );
  return (
    <TextField
      {...common}
      {...(schema.isSecret && { type: "password", autocomplete: "new-password" })}
      {...limitsOf(props)}
      pattern={schema.pattern ?? ANY_TEXT}
      title={props.pattern}
      {...field.input}
      value={fieldText(value)}
      onText={onText}
    />
  );
}

interface NumberProps extends Props {
  readonly common: Pick<Props, "label" | "error"> & {
    hint: string | undefined;
    disabled: boolean | undefined;
  };
}

function NumberField({ field, schema, value, onChange, common, ...props }: NumberProps) {
  const { scale = 1 } = field;
  const scaled = (entered: number | undefined) =>
    entered === undefined ? undefined : Math.round(entered * scale * 1e6) / 1e6;
  const unscaled = (entered: number) => (schema.isWhole ? Math.round(entered / scale) : entered / scale);
  return (
    <TextField
      {...common}
      type="number"
      required={limitsOf({ ...props, field, schema, value }).required}
      min={scaled(schema.minimum)}
      max={scaled(schema.maximum)}
      step={schema.isWhole && scale === 1 ? 1 : "any"}
      {...field.input}
      value={typeof value === "number" ? scaled(value) : fieldText(value)}
      onText={(text) =>
        onChange(text === "" ? (schema.isNullable ? null : undefined) : unscaled(Number(text)))
      }
    />
  );
}

const optionsOf = ({ field, schema, optionText }: Props): ReadonlyArray<readonly [string | number, string]> =>
  (schema.options ?? []).map((option) => [
    option,
    field.optionText?.(option) ?? optionText(option) ?? String(option),
  ]);

function Choice(props: Props) {
  const { field, schema, label, hint, error, value, onChange } = props;
  const selected = (value ?? field.default ?? schema.default ?? "") as string | number; // the schema has no other options
  const isRequired =
    schema.isRequired === true ||
    field.isRequired === true ||
    (field.default ?? schema.default) !== undefined;
  return (
    <SelectField
      label={label}
      hint={hint}
      error={error}
      disabled={props.isDisabled}
      required={isRequired}
      value={selected}
      options={optionsOf(props)}
      none={!isRequired || selected === "" ? (props.optionText("none") ?? "") : undefined}
      onSelect={onChange}
      onNone={() => onChange(undefined)}
    />
  );
}

function Checkboxes(props: Props) {
  const { label, value, onChange } = props;
  const selected: readonly unknown[] = Array.isArray(value) ? value : [];
  const options = optionsOf(props);
  const set = (option: unknown, isOn: boolean) =>
    onChange(options.map(([id]) => id).filter((id) => (id === option ? isOn : selected.includes(id))));
  return (
    <fieldset class="flex flex-col gap-2" disabled={props.isDisabled}>
      <legend class="mb-2 font-semibold">{label}</legend>
      <div class="flex flex-wrap gap-x-5 gap-y-2">
        {options.map(([option, text]) => (
          <Checkbox key={option} checked={selected.includes(option)} onCheck={(isOn) => set(option, isOn)}>
            {text}
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}

function Radios(props: Props): ComponentChildren {
  const { field, label, value, onChange, optionHint } = props;
  return (
    <fieldset class="flex flex-col gap-2" disabled={props.isDisabled}>
      <legend class="mb-2 text-sm font-medium">{label}</legend>
      {optionsOf(props).map(([option, text]) => (
        <Radio
          key={option}
          name={field.path}
          checked={option === value}
          hint={optionHint(option)}
          onChange={() => onChange(option)}
        >
          {text}
        </Radio>
      ))}
    </fieldset>
  );
}
