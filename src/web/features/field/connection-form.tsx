import type { ComponentChildren } from "preact";
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { FormButtons } from "../../ui/form/form-buttons.tsx";
import type { FormDefinition } from "../../ui/form/form-definition.ts";
import { type FormState, SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import type { FieldConnection } from "./field-api.ts";

export interface ConnectionFormProps<Connection> {
  readonly connection?: Connection;
  /** Entered values of a new connection. */
  readonly draft?: { current: FormValues };
  readonly onClose: () => void;
  readonly onSaved: (connection: Connection) => void;
}

interface Props<Connection, Input> extends ConnectionFormProps<Connection> {
  readonly form: FormDefinition;
  /** Values of a new connection. */
  readonly defaults: FormValues;
  readonly api: {
    readonly create: (input: Input) => Promise<Connection>;
    readonly update: (id: string, input: Input) => Promise<Connection>;
  };
  /** Content above the form, such as a search for devices. */
  readonly above?: (state: FormState) => ComponentChildren;
  /** Content instead of the fields. */
  readonly fields?: (state: FormState) => ComponentChildren;
}

/** Form of a connection of any protocol, in a dialog. */
export function ConnectionForm<Connection extends FieldConnection, Input>(props: Props<Connection, Input>) {
  const { form, api, connection } = props;
  const { state, busy, error, send } = useSchemaForm(form, { ...props.defaults, ...connection }, props.draft);
  const submit = (e: SubmitEvent) => {
    e.preventDefault();
    send(async (body) => {
      const input = body as Input; // the API checks it
      props.onSaved(connection ? await api.update(connection.connectionId, input) : await api.create(input));
    });
  };
  return (
    <>
      {props.above?.(state)}
      <form class="flex flex-col gap-4" onSubmit={submit}>
        {props.fields?.(state) ?? <SchemaFields form={form} {...state} />}
        <FormButtons busy={busy} error={error} onCancel={props.onClose}>
          {connection ? t("common.save") : t("fieldConnection.create")}
        </FormButtons>
      </form>
    </>
  );
}
