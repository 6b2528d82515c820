import type { ComponentChildren, JSX } from "preact";
import { Field } from "./field.tsx";

interface Props extends Omit<JSX.SelectHTMLAttributes<HTMLSelectElement>, "label"> {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  readonly children: ComponentChildren;
}

/** A choice from a list with its label; its children are the options. It takes the attributes of `select`. */
export function SelectField({ label, hint, error, ...select }: Props) {
  return (
    <Field label={label} hint={hint} error={error}>
      <select class="select w-full" {...select} />
    </Field>
  );
}
