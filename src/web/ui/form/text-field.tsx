import type { JSX } from "preact";
import { Field } from "./field.tsx";

interface Props extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "label"> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}

/** A single-line input with its label. Accepts the attributes of `input`. */
export function TextField({ label, hint, error, onText, ...input }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      <input class="input w-full" onInput={onText && ((e) => onText(e.currentTarget.value))} {...input} />
    </Field>
  );
}
