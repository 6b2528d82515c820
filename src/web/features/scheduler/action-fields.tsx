import { Plus, X } from "lucide-preact";
import type { ValueKind } from "../../lib/attribute-value.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { Button } from "../../ui/button.tsx";
import { Radio } from "../../ui/choice.tsx";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { Section } from "../../ui/section.tsx";
import { Segments } from "../../ui/segments.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextAreaField } from "../../ui/text-area-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { ValueInput } from "../attributes/attribute-dialog.tsx";
import { DevicePicker } from "../devices/device-picker.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import { type ActionForm, type AttributeRow, newRow } from "./action-form.ts";

const TYPES = ["attributes", "command"] as const;
const KINDS: readonly ValueKind[] = ["text", "number", "boolean", "json"];

interface Props {
  readonly form: ActionForm;
  readonly onChange: (changes: Partial<ActionForm>) => void;
  /** Errors by field. */
  readonly problem: string | { readonly key: string } | undefined;
}

export function ActionFields({ form, onChange, problem }: Props) {
  return (
    <Section id="job-action" title={t("common.action")}>
      <Segments
        label={t("common.action")}
        items={TYPES.map((id) => ({
          id,
          text: t(id === "attributes" ? "job.setAttributes" : "job.sendCommand"),
        }))}
        current={form.type}
        onSelect={(type) => onChange({ type })}
      />
      {form.type === "attributes" ? (
        <AttributeRows form={form} onChange={onChange} problem={problem} />
      ) : (
        <>
          <TextField
            label={t("common.method")}
            hint={t("commands.methodHint")}
            required
            maxLength={256}
            autocapitalize="off"
            value={form.method}
            class="input reading w-full"
            onText={(text) => onChange({ method: text })}
          />
          <TextAreaField
            label={t("commands.params")}
            error={problem === "params" ? t("attributes.notJson") : undefined}
            rows={4}
            spellcheck={false}
            value={form.params}
            onText={(text) => onChange({ params: text })}
          />
          <TextField
            label={t("commands.retries")}
            hint={t("commands.retriesHint")}
            type="number"
            min={0}
            max={100}
            required
            value={form.retries}
            class="input w-28"
            onInput={(e) => onChange({ retries: e.currentTarget.valueAsNumber || 0 })}
          />
        </>
      )}
    </Section>
  );
}

function AttributeRows({ form, onChange, problem }: Props) {
  const change = (row: AttributeRow, changes: Partial<AttributeRow>) =>
    onChange({
      rows: form.rows.map((attributeRow) => (attributeRow === row ? { ...row, ...changes } : attributeRow)),
    });
  return (
    <div class="flex flex-col gap-3">
      {form.rows.map((row) => (
        <div key={row.id} class="flex items-start gap-2">
          <div class="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_7rem] gap-x-2 gap-y-3 sm:grid-cols-[minmax(0,1fr)_7rem_minmax(0,1fr)]">
            <TextField
              label={t("common.name")}
              required
              maxLength={256}
              autocapitalize="off"
              value={row.key}
              class="input reading w-full"
              onText={(text) => change(row, { key: text })}
            />
            <SelectField
              label={t("attributes.kind")}
              value={row.kind}
              options={KINDS}
              text={(kind) => t(`kind.${kind}`)}
              onSelect={(kind) => change(row, { kind })}
            />
            <div class="max-sm:col-span-2">
              <Field
                label={t("common.value")}
                error={
                  typeof problem === "object" && problem.key === row.key
                    ? t("job.notTyped", { key: row.key })
                    : undefined
                }
              >
                <ValueInput kind={row.kind} text={row.text} onText={(text) => change(row, { text })} />
              </Field>
            </div>
          </div>
          {form.rows.length > 1 && (
            <IconButton
              icon={X}
              label={t("common.removeKey", { key: row.key })}
              class="btn btn-ghost btn-square mt-6.5 flex-none"
              onClick={() => onChange({ rows: form.rows.filter((attributeRow) => attributeRow !== row) })}
            />
          )}
        </div>
      ))}
      <Button
        icon={Plus}
        class="btn btn-sm self-start"
        onClick={() => onChange({ rows: [...form.rows, newRow()] })}
      >
        {t("job.addAttribute")}
      </Button>
    </div>
  );
}

export function TargetFields({ form, onChange, problem }: Props) {
  const types = useResource(devicesApi.types, []);
  const isSome = form.deviceIds !== undefined;
  const existing = (types.data ?? []).map(({ deviceType }) => deviceType);
  const shown =
    form.deviceType === "" || existing.includes(form.deviceType) ? existing : [form.deviceType, ...existing];
  return (
    <Section id="job-targets" title={t("common.devices")}>
      <label class="flex cursor-pointer items-start gap-3">
        <input
          type="radio"
          name="targets"
          class="radio radio-sm mt-0.5"
          checked={isSome}
          onChange={() => onChange({ deviceIds: [] })}
        />
        {t("common.selectedDevices")}
      </label>
      <Radio
        name="targets"
        checked={!isSome}
        onChange={() => onChange({ deviceIds: undefined })}
        hint={t("job.allOfTypeHint")}
      >
        {t("job.allOfType")}
      </Radio>
      {form.deviceIds && (
        <DevicePicker selected={form.deviceIds} onChange={(deviceIds) => onChange({ deviceIds })} />
      )}
      {!isSome && (
        <SelectField
          label={t("common.deviceType")}
          error={typeof problem === "string" ? typeProblem(problem) : undefined}
          required
          value={form.deviceType}
          options={shown}
          none={""}
          onSelect={(chosen) => onChange({ deviceType: chosen })}
          onNone={() => onChange({ deviceType: "" })}
        />
      )}
      {problem === "device" && isSome && (
        <p role="alert" class="text-sm text-error">
          {t("common.selectADevice")}
        </p>
      )}
    </Section>
  );
}

const typeProblem = (problem: string) => (problem === "forbiddenType" ? t("job.typeForbidden") : undefined);
