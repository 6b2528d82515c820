import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Checkbox, Radio } from "../../ui/form/choice.tsx";
import type { ControlProps, FormDefinition } from "../../ui/form/form-definition.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import type { PipelineScope } from "./pipelines-api.ts";

/** Returns the scope without empty lists. */
export const scopeOf = (scope: PipelineScope): PipelineScope =>
  Object.fromEntries(Object.entries(scope).filter(([, ids]) => ids.length > 0));

/** All devices, or those in every non-empty list; undefined for all. */
function Scope({ label, value, onChange, values }: ControlProps) {
  const scope = value as PipelineScope | undefined; // the type of the schema
  const isEmpty = scope !== undefined && Object.keys(scopeOf(scope)).length === 0;
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class="mb-2 font-semibold">{label}</legend>
      <Radio name="scope" checked={scope === undefined} onChange={() => onChange(undefined)}>
        {t("common.allDevices")}
      </Radio>
      <Radio
        name="scope"
        checked={scope !== undefined}
        onChange={() => onChange({})}
        hint={t("pipeline.scopeSomeHint")}
      >
        {t("pipeline.scopeSome")}
      </Radio>
      {scope && <ScopeLists scope={scope} onChange={onChange} />}
      {isEmpty && values.isTried === true && (
        <p role="alert" class="text-sm text-error">
          {t("pipeline.scopeEmpty")}
        </p>
      )}
    </fieldset>
  );
}

function ScopeLists(props: { scope: PipelineScope; onChange: (scope: PipelineScope) => void }) {
  const { scope, onChange } = props;
  const types = useResource(devicesApi.types, []);
  const profiles = useResource(devicesApi.profiles, []);
  const existing = (types.data ?? []).map(({ deviceType }) => deviceType);
  return (
    <div class="flex flex-col gap-4 border-l-2 border-base-300 pl-4">
      <Choices
        label={t("pipeline.types")}
        items={[...new Set([...existing, ...(scope.deviceTypes ?? [])])].map((type) => [type, type])}
        selected={scope.deviceTypes ?? []}
        onChange={(deviceTypes) => onChange({ ...scope, deviceTypes })}
      />
      <Choices
        label={t("pipeline.profiles")}
        items={(profiles.data ?? []).map(({ profileId, name }) => [profileId, name])}
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
  items: ReadonlyArray<readonly [id: string, text: string]>;
  selected: readonly string[];
  onChange: (selected: string[]) => void;
}) {
  const { label, items, selected, onChange } = props;
  if (items.length === 0) return null;
  return (
    <fieldset class="flex flex-col gap-1">
      <legend class="mb-1 text-sm font-medium">{label}</legend>
      <div class="flex max-h-48 flex-col gap-1 overflow-y-auto">
        {items.map(([id, text]) => (
          <Checkbox
            key={id}
            checked={selected.includes(id)}
            onCheck={(isOn) => onChange(isOn ? [...selected, id] : selected.filter((other) => other !== id))}
          >
            <span class="min-w-0 wrap-anywhere">{text}</span>
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}

export const pipelineForm: FormDefinition = {
  schema: formSchema("pipelines/pipelines.schemas.ts", "createPipelineBody", [
    "name",
    "description",
    "order",
    "scope",
  ]),
  texts: ["pipeline"],
  fields: [
    { path: "name", input: { autofocus: true } },
    { path: "description", rows: 2 },
    { path: "order", isRequired: true, input: { class: "input w-28" } },
    { path: "scope", control: Scope },
  ],
};
