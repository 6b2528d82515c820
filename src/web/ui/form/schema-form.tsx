import type { ComponentChildren } from "preact";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import type { FormDefinition } from "./form-definition.ts";
import { FormDialog } from "./form-dialog.tsx";
import { type FormState, SchemaFields } from "./schema-fields.tsx";
import { SectionForm } from "./section-form.tsx";
import { useSchemaForm } from "./use-schema-form.ts";

interface Props extends Pick<FormState, "options" | "hints" | "isDisabled"> {
  readonly form: FormDefinition;
  readonly initial: FormValues;
  /** "Save" by default. */
  readonly submitText?: string;
  /** Sends the values; `show` replaces those of the form. */
  readonly onSave: (body: FormValues, show: (values: FormValues) => void) => Promise<unknown>;
  /** Buttons before the submit button. */
  readonly buttons?: ComponentChildren;
  /** Content below the fields. */
  readonly children?: ComponentChildren;
}

/** A form with its button, for a section of a page. */
export function SchemaForm({ form, initial, submitText, onSave, buttons, children, ...fields }: Props) {
  const { state, busy, error, send } = useSchemaForm(form, initial);
  return (
    <SectionForm
      submitText={submitText ?? t("common.save")}
      isFixed={fields.isDisabled === true}
      busy={busy}
      error={error}
      buttons={buttons}
      onSubmit={() => send((body) => onSave(body, state.onChange))}
    >
      <SchemaFields form={form} {...state} {...fields} />
      {children}
    </SectionForm>
  );
}

export function SchemaDialog(props: Props & { title: string; onClose: () => void }) {
  const { title, form, initial, submitText, onSave, onClose, children, buttons: _, ...fields } = props;
  const { state, busy, error, send } = useSchemaForm(form, initial);
  return (
    <FormDialog
      title={title}
      submitText={submitText ?? t("common.save")}
      busy={busy}
      error={error}
      onSubmit={() => send((body) => onSave(body, state.onChange))}
      onClose={onClose}
    >
      <SchemaFields form={form} {...state} {...fields} />
      {children}
    </FormDialog>
  );
}
