import type { JSX } from "preact";
import { Field } from "./field.tsx";

interface Props extends Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, "label"> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly onText?: ((text: string) => void) | undefined;
}

/** A multi-line text with its label. Accepts the attributes of `textarea`. */
export function TextAreaField({ label, hint, error, onText, ...area }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      <textarea
        class="textarea reading w-full"
        onInput={onText && ((e) => onText(e.currentTarget.value))}
        {...area}
      />
    </Field>
  );
}
