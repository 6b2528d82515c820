import { useState } from "preact/hooks";
import type { FormValues } from "../lib/form-schema.ts";
import { fieldProblem } from "./error-text.ts";
import { type FormDefinition, fieldsOfRow, sentValues } from "./form-definition.ts";
import type { FormState } from "./schema-fields.tsx";
import { useAction } from "./use-form.ts";

/** State of a form, whose fields may depend on the values: the values, the server's errors, and sending. */
export function useSchemaForm(
  definition: FormDefinition | ((values: FormValues) => FormDefinition),
  initial: FormValues,
) {
  const [values, setValues] = useState(initial);
  const form = typeof definition === "function" ? definition(values) : definition;
  const action = useAction();
  const problem = fieldProblem(
    action.error,
    fieldsOfRow(form.fields).map(({ path }) => path),
  );
  const state: FormState = {
    values,
    onChange: setValues,
    errorOf: (path) => (problem?.field === path ? problem.text : undefined),
  };
  return {
    state,
    busy: action.busy,
    /** Error that concerns none of the fields. */
    error: problem === undefined ? action.error : undefined,
    /** Sends the values. */
    send: (save: (body: FormValues) => Promise<unknown>) => action.run(() => save(sentValues(form, values))),
  };
}
