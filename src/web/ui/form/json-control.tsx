import { useState } from "preact/hooks";
import { parseEditorText } from "../../lib/attribute-value.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "./field.tsx";
import type { ControlProps } from "./form-definition.ts";

/** A JSON value as text; an empty text is an empty object. */
export function JsonControl({ label, hint, error, value, onChange }: ControlProps) {
  const [text, setText] = useState(() => JSON.stringify(value ?? {}, null, 2));
  const parse = (json: string) => (json.trim() === "" ? {} : parseEditorText(json, "json"));
  const problem = parse(text) === undefined ? t("attributes.notJson") : "";
  return (
    <Field label={label} hint={hint} error={problem || error}>
      <textarea
        class="textarea reading w-full"
        rows={4}
        spellcheck={false}
        ref={(area) => area?.setCustomValidity(problem)}
        value={text}
        onInput={(e) => {
          setText(e.currentTarget.value);
          onChange(parse(e.currentTarget.value) ?? value);
        }}
      />
    </Field>
  );
}
