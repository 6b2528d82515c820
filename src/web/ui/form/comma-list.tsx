import { useState } from "preact/hooks";
import type { ControlProps } from "./form-definition.ts";
import { TextField } from "./text-field.tsx";

export const namesOf = (text: string): string[] => text.split(/[\n,]/).flatMap((name) => name.trim() || []);

/** A list of names on one line, separated by commas. */
export function CommaList({ label, hint, isDisabled, value, onChange }: ControlProps) {
  const [text, setText] = useState(() => (Array.isArray(value) ? value.join(", ") : ""));
  return (
    <TextField
      label={label}
      hint={hint}
      disabled={isDisabled}
      value={text}
      onText={(names) => {
        setText(names);
        onChange(namesOf(names));
      }}
    />
  );
}
