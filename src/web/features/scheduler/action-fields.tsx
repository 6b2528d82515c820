import { Plus, X } from "lucide-preact";
import type { ValueKind } from "../../lib/attribute-value.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Field } from "../../ui/field.tsx";
import { Segments } from "../../ui/segments.tsx";
import { ValueInput } from "../attributes/attribute-dialog.tsx";
import { DevicePicker } from "../devices/device-picker.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import { type ActionForm, type AttributeRow, newRow } from "./action-form.ts";

const TYPES = ["attributes", "command"] as const;
const KINDS: readonly ValueKind[] = ["text", "number", "boolean", "json"];

interface Props {
  readonly form: ActionForm;
  readonly onChange: (changes: Partial<ActionForm>) => void;
  /** What is wrong, by where it is entered. */
  readonly problem: string | { readonly key: string } | undefined;
}

export function ActionFields({ form, onChange, problem }: Props) {
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class="mb-2 font-semibold">{t("job.action")}</legend>
      <Segments
        label={t("job.action")}
        items={TYPES.map((id) => ({
          id,
          text: t(id === "attributes" ? "job.setAttributes" : "job.sendCommand"),
        }))}
        current={form.type}
        onChoose={(type) => onChange({ type })}
      />
      {form.type === "attributes" ? (
        <AttributeRows form={form} onChange={onChange} problem={problem} />
      ) : (
        <>
          <Field label={t("commands.method")} hint={t("commands.methodHint")}>
            <input
              class="input reading w-full"
              required
              maxLength={256}
              autocapitalize="off"
              value={form.method}
              onInput={(e) => onChange({ method: e.currentTarget.value })}
            />
          </Field>
          <Field
            label={t("commands.params")}
            error={problem === "params" ? t("attributes.notJson") : undefined}
          >
            <textarea
              class="textarea reading w-full"
              rows={4}
              spellcheck={false}
              value={form.params}
              onInput={(e) => onChange({ params: e.currentTarget.value })}
            />
          </Field>
          <Field label={t("commands.retries")} hint={t("commands.retriesHint")}>
            <input
              class="input w-28"
              type="number"
              min={0}
              max={100}
              required
              value={form.retries}
              onInput={(e) => onChange({ retries: e.currentTarget.valueAsNumber || 0 })}
            />
          </Field>
        </>
      )}
    </fieldset>
  );
}

function AttributeRows({ form, onChange, problem }: Props) {
  const change = (row: AttributeRow, changes: Partial<AttributeRow>) =>
    onChange({ rows: form.rows.map((known) => (known === row ? { ...row, ...changes } : known)) });
  return (
    <div class="flex flex-col gap-3">
      {form.rows.map((row) => (
        <div key={row.id} class="flex flex-col gap-2 rounded-field border border-base-300 p-3">
          <div class="flex items-end gap-2">
            <div class="min-w-0 flex-1">
              <Field label={t("attributes.key")}>
                <input
                  class="input reading w-full"
                  required
                  maxLength={256}
                  autocapitalize="off"
                  value={row.key}
                  onInput={(e) => change(row, { key: e.currentTarget.value })}
                />
              </Field>
            </div>
            <select
              class="select w-28 flex-none"
              aria-label={t("attributes.kind")}
              value={row.kind}
              onChange={(e) => {
                const kind = KINDS.find((known) => known === e.currentTarget.value);
                if (kind) change(row, { kind });
              }}
            >
              {KINDS.map((kind) => (
                <option key={kind} value={kind} selected={kind === row.kind}>
                  {t(`kind.${kind}`)}
                </option>
              ))}
            </select>
            {form.rows.length > 1 && (
              <button
                type="button"
                class="btn btn-ghost btn-square flex-none"
                aria-label={t("job.removeAttribute", { key: row.key })}
                onClick={() => onChange({ rows: form.rows.filter((known) => known !== row) })}
              >
                <X size={16} aria-hidden="true" />
              </button>
            )}
          </div>
          <Field
            label={t("attributes.value")}
            error={
              typeof problem === "object" && problem.key === row.key
                ? t("job.notTyped", { key: row.key })
                : undefined
            }
          >
            <ValueInput kind={row.kind} text={row.text} onText={(text) => change(row, { text })} />
          </Field>
        </div>
      ))}
      <button
        type="button"
        class="btn btn-sm self-start"
        onClick={() => onChange({ rows: [...form.rows, newRow()] })}
      >
        <Plus size={16} aria-hidden="true" />
        {t("job.addAttribute")}
      </button>
    </div>
  );
}

export function TargetFields({ form, onChange, problem }: Props) {
  const types = useResource(devicesApi.types, []);
  const isSome = form.deviceIds !== undefined;
  const known = (types.data ?? []).map(({ deviceType }) => deviceType);
  const shown =
    form.deviceType === "" || known.includes(form.deviceType) ? known : [form.deviceType, ...known];
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class="mb-2 font-semibold">{t("job.targets")}</legend>
      <label class="flex cursor-pointer items-start gap-3">
        <input
          type="radio"
          name="targets"
          class="radio radio-sm mt-0.5"
          checked={isSome}
          onChange={() => onChange({ deviceIds: [] })}
        />
        {t("job.someDevices")}
      </label>
      <label class="flex cursor-pointer items-start gap-3">
        <input
          type="radio"
          name="targets"
          class="radio radio-sm mt-0.5"
          checked={!isSome}
          onChange={() => onChange({ deviceIds: undefined })}
        />
        <span>
          {t("job.allOfType")}
          <span class="block text-sm text-soft">{t("job.allOfTypeHint")}</span>
        </span>
      </label>
      {form.deviceIds && (
        <DevicePicker chosen={form.deviceIds} onChange={(deviceIds) => onChange({ deviceIds })} />
      )}
      {!isSome && (
        <Field label={t("job.type")} error={typeof problem === "string" ? typeProblem(problem) : undefined}>
          <select
            class="select w-full"
            required
            value={form.deviceType}
            onChange={(e) => onChange({ deviceType: e.currentTarget.value })}
          >
            <option value="" selected={form.deviceType === ""} />
            {shown.map((type) => (
              <option key={type} value={type} selected={type === form.deviceType}>
                {type}
              </option>
            ))}
          </select>
        </Field>
      )}
      {problem === "device" && isSome && (
        <p role="alert" class="text-sm text-error">
          {t("job.chooseDevice")}
        </p>
      )}
    </fieldset>
  );
}

const typeProblem = (problem: string) => (problem === "forbiddenType" ? t("problem.jobType") : undefined);
