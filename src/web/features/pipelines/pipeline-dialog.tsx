import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { pipelineForm, scopeOf } from "./pipeline-form.tsx";
import { type Pipeline, type PipelineForm, type PipelineScope, pipelinesApi } from "./pipelines-api.ts";

interface Props {
  /** Edited pipeline; absent for a new one. */
  readonly pipeline?: Pipeline;
  readonly onClose: (saved: Pipeline | undefined) => void;
}

/** Name, order and scope of a pipeline. Its steps are edited on its page. */
export function PipelineDialog({ pipeline, onClose }: Props) {
  const { name, description, order = 0, scope = {} } = pipeline ?? {};
  const form = useSchemaForm(pipelineForm, {
    name,
    description,
    order,
    scope: Object.keys(scope).length > 0 ? scope : undefined,
  });
  const submit = () => {
    form.state.onChange({ ...form.state.values, isTried: true });
    const entered = form.state.values.scope as PipelineScope | undefined; // the type of the schema
    const selected = scopeOf(entered ?? {});
    if (entered !== undefined && Object.keys(selected).length === 0) return;
    // Another scope is a new version; the same one is not.
    const isSame = pipeline && JSON.stringify(scopeOf(scope)) === JSON.stringify(selected);
    form.send(async ({ scope: _, ...fields }) => {
      const input = { ...(fields as PipelineForm), ...(isSame ? {} : { scope: selected }) }; // the API checks it
      const saved = pipeline
        ? await pipelinesApi.update(pipeline.pipelineId, input)
        : await pipelinesApi.create(input);
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      onClose(saved);
    });
  };
  return (
    <FormDialog
      {...form.dialog}
      title={pipeline ? t("pipeline.details") : t("pipelines.create")}
      submitText={t("common.save")}
      onSubmit={submit}
      onClose={() => onClose(undefined)}
      firm
    >
      <SchemaFields form={pipelineForm} {...form.state} />
    </FormDialog>
  );
}
