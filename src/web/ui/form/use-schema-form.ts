import { useState } from "preact/hooks";
import type { FormValues } from "../../lib/form-schema.ts";
import { type FormDefinition, fieldsOfForm, sentValues } from "./form-definition.ts";
import type { FormState } from "./schema-fields.tsx";
import { useAction } from "./use-form.ts";

/**
 * State of a form whose fields may depend on the values: the values, the server's errors, and submission. `draft` keeps the input longer than the
 * form is shown.
 */
export function useSchemaForm(
  definition: FormDefinition | ((values: FormValues) => FormDefinition),
  initial: FormValues,
  draft?: { current: FormValues },
) {
  const [values, setValues] = useState<FormValues>(() => ({ ...initial, ...draft?.current }));
  const form = typeof definition === "function" ? definition(values) : definition;
  const action = useAction(fieldsOfForm(form.fields).map(({ path }) => path));
  const onChange = (next: FormValues) => {
    if (draft) draft.current = next;
    setValues(next);
  };
  const state: FormState = { values, onChange, errorOf: action.errorOf };
  return {
    state,
    busy: action.busy,
    error: action.error,
    /** Props of the dialog or page around the fields. */
    dialog: { busy: action.busy, error: action.error },
    /** Returns the values as they would be sent. */
    body: () => sentValues(form, values),
    send: (save: (body: FormValues) => Promise<unknown>) => action.run(() => save(sentValues(form, values))),
  };
}
