import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { Radio } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import { type Pipeline, type PipelineScope, pipelinesApi } from "./pipelines-api.ts";

interface Props {
  /** Pipeline to edit; absent for a new one. */
  readonly pipeline?: Pipeline;
  readonly onClose: (saved: Pipeline | undefined) => void;
}

type ScopeList = keyof PipelineScope;
const LISTS: readonly ScopeList[] = ["deviceTypes", "profileIds", "deviceIds"];

/** Returns the scope without empty lists. */
const scopeOf = (scope: PipelineScope): PipelineScope =>
  Object.fromEntries(LISTS.flatMap((list) => (scope[list]?.length ? [[list, scope[list]]] : [])));

/** Name, order and scope of a pipeline; its steps are edited on its page. */
export function PipelineDialog({ pipeline, onClose }: Props) {
  const [name, setName] = useState(pipeline?.name ?? "");
  const [description, setDescription] = useState(pipeline?.description ?? "");
  const [order, setOrder] = useState(pipeline?.order ?? 0);
  const [scope, setScope] = useState<PipelineScope | undefined>(
    pipeline && Object.keys(pipeline.scope).length > 0 ? pipeline.scope : undefined,
  );
  const [problem, setProblem] = useState(false);
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    const selected = scopeOf(scope ?? {});
    const isEmpty = scope !== undefined && Object.keys(selected).length === 0;
    setProblem(isEmpty);
    if (isEmpty) return;
    // Another scope is a new version; the same one is not.
    const isSame = pipeline && JSON.stringify(scopeOf(pipeline.scope)) === JSON.stringify(selected);
    const form = { name: name.trim(), description, order, ...(isSame ? {} : { scope: selected }) };
    action.run(async () => {
      const saved = pipeline
        ? await pipelinesApi.update(pipeline.pipelineId, form)
        : await pipelinesApi.create(form);
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      onClose(saved);
    });
  };
  return (
    <Dialog
      title={pipeline ? t("pipeline.details") : t("pipelines.create")}
      onClose={() => onClose(undefined)}
      firm
    >
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <TextField
          label={t("common.name")}
          required
          maxLength={256}
          pattern=".*\S.*"
          value={name}
          autofocus
          onText={setName}
        />
        <TextAreaField
          label={t("common.description")}
          rows={2}
          maxLength={2000}
          value={description}
          class="textarea w-full"
          onText={setDescription}
        />
        <TextField
          label={t("pipeline.orderLabel")}
          hint={t("pipeline.orderHint")}
          type="number"
          required
          min={-1_000_000}
          max={1_000_000}
          step={1}
          value={order}
          class="input w-28"
          onInput={(e) => setOrder(e.currentTarget.valueAsNumber || 0)}
        />
        <fieldset class="flex flex-col gap-3">
          <legend class="mb-2 font-semibold">{t("pipeline.scope")}</legend>
          <label class="flex cursor-pointer items-start gap-3">
            <input
              type="radio"
              name="scope"
              class="radio radio-sm mt-0.5"
              checked={scope === undefined}
              onChange={() => setScope(undefined)}
            />
            {t("common.allDevices")}
          </label>
          <Radio
            name="scope"
            checked={scope !== undefined}
            onChange={() => setScope({})}
            hint={t("pipeline.scopeSomeHint")}
          >
            {t("pipeline.scopeSome")}
          </Radio>
          {scope && <ScopeLists scope={scope} onChange={setScope} />}
          {problem && (
            <p role="alert" class="text-sm text-error">
              {t("pipeline.scopeEmpty")}
            </p>
          )}
        </fieldset>
        <FormButtons busy={action.busy} error={action.error} onCancel={() => onClose(undefined)}>
          {t("common.save")}
        </FormButtons>
      </form>
    </Dialog>
  );
}

function ScopeLists(props: { scope: PipelineScope; onChange: (scope: PipelineScope) => void }) {
  const { scope, onChange } = props;
  const types = useResource(devicesApi.types, []);
  const profiles = useResource(devicesApi.profiles, []);
  const typeItems = [
    ...new Set([
      ...(types.data ?? []).map((candidate) => candidate.deviceType),
      ...(scope.deviceTypes ?? []),
    ]),
  ];
  const profileItems = (profiles.data ?? []).map(({ profileId, name }) => ({ id: profileId, text: name }));
  return (
    <div class="flex flex-col gap-4 border-l-2 border-base-300 pl-4">
      <Choices
        label={t("pipeline.types")}
        items={typeItems.map((id) => ({ id, text: id }))}
        selected={scope.deviceTypes ?? []}
        onChange={(deviceTypes) => onChange({ ...scope, deviceTypes })}
      />
      <Choices
        label={t("pipeline.profiles")}
        items={profileItems}
        selected={scope.profileIds ?? []}
        onChange={(profileIds) => onChange({ ...scope, profileIds })}
      />
      <fieldset class="flex flex-col gap-2">
        <legend class="mb-1 text-sm font-medium">{t("common.devices")}</legend>
        <DevicePicker
          selected={scope.deviceIds ?? []}
          onChange={(deviceIds) => onChange({ ...scope, deviceIds })}
        />
      </fieldset>
    </div>
  );
}

function Choices(props: {
  label: string;
  items: ReadonlyArray<{ id: string; text: string }>;
  selected: readonly string[];
  onChange: (selected: string[]) => void;
}) {
  const { label, items, selected, onChange } = props;
  if (items.length === 0) return null;
  return (
    <fieldset class="flex flex-col gap-1">
      <legend class="mb-1 text-sm font-medium">{label}</legend>
      <div class="flex max-h-40 flex-col gap-1 overflow-y-auto">
        {items.map(({ id, text }) => (
          <label key={id} class="flex cursor-pointer items-center gap-3 py-0.5">
            <input
              type="checkbox"
              class="checkbox checkbox-sm flex-none"
              checked={selected.includes(id)}
              onChange={(e) =>
                onChange(
                  e.currentTarget.checked
                    ? [...selected, id]
                    : selected.filter((candidate) => candidate !== id),
                )
              }
            />
            <span class="min-w-0 wrap-anywhere">{text}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
