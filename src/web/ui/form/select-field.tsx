import type { JSX } from "preact";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "./field.tsx";

type Option<Id extends string | number> = Id | readonly [id: Id, text: string];

interface Props<Id extends string | number>
  extends Omit<JSX.SelectHTMLAttributes<HTMLSelectElement>, "label" | "value" | "onChange" | "onSelect"> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly options: ReadonlyArray<Option<Id>>;
  /** Text of an option without one. */
  readonly text?: (id: NoInfer<Id>) => string;
  /** Text of the empty choice; absent if an option has to be selected. */
  readonly none?: string | undefined;
  readonly value?: string | number | undefined;
  readonly onSelect?: (id: NoInfer<Id>) => void;
  /** Called if the empty choice is selected. */
  readonly onNone?: () => void;
}

const idOf = <Id extends string | number>(option: Option<Id>): Id =>
  typeof option === "object" ? option[0] : option;

/** A select with its label. Accepts the attributes of `select`. */
export function SelectField<Id extends string | number>(props: Props<Id>) {
  const { label, hint, error, options, text = String, none, value, onSelect, onNone, ...select } = props;
  const ids = options.map(idOf);
  // Otherwise, the browser shows an option other than the saved one, or refuses the form until options are loaded.
  const isMissing = value !== undefined && value !== "" && !ids.some((id) => id === value);
  const choose = (chosen: string) => {
    const id = ids.find((candidate) => String(candidate) === chosen);
    if (id !== undefined) onSelect?.(id);
    else onNone?.();
  };
  return (
    <Field label={label} hint={hint} error={error}>
      <select
        class="select w-full"
        {...(value !== undefined && { value })}
        onChange={(e) => choose(e.currentTarget.value)}
        {...select}
      >
        {none !== undefined && (
          <option value="" selected={value === ""}>
            {none}
          </option>
        )}
        {isMissing && (
          <option value={value} selected>
            {options.length === 0 ? t("common.loading") : String(value)}
          </option>
        )}
        {options.map((option) => (
          <option key={idOf(option)} value={idOf(option)} selected={idOf(option) === value}>
            {typeof option === "object" ? option[1] : text(option)}
          </option>
        ))}
      </select>
    </Field>
  );
}
