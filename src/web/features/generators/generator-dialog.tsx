import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, Radio } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { DurationField } from "../../ui/duration-field.tsx";
import { errorText } from "../../ui/error-text.ts";
import { FormButtons } from "../../ui/form-buttons.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { rememberNames } from "../devices/device-names.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { type ConfigForm, configOf, formOf, type MetricRow, newRow } from "./generator-form.ts";
import { type ConfigProblem, configProblem } from "./generator-text.ts";
import { type Generator, generatorsApi } from "./generators-api.ts";
import { MetricFields } from "./metric-fields.tsx";
import { usePreview } from "./use-preview.ts";

interface Props {
  /** Generator to edit; absent for a new one. */
  readonly generator?: Generator;
  readonly onClose: (saved: boolean) => void;
}

/** Creates or changes a generator. */
export function GeneratorDialog({ generator, onClose }: Props) {
  const [name, setName] = useState(generator?.name ?? "");
  const [description, setDescription] = useState(generator?.description ?? "");
  const [startsNow, setStartsNow] = useState(true);
  const [form, setForm] = useState<ConfigForm>(() => {
    rememberNames(generator?.devices ?? []);
    return formOf(generator?.config);
  });
  const action = useAction();
  const config = configOf(form);
  const preview = usePreview(config);
  const errors = (preview?.errorTexts ?? []).map(configProblem);
  const problems = [...errors, ...(preview?.warningTexts ?? []).map(configProblem)];
  const change = (changes: Partial<ConfigForm>) => setForm((configForm) => ({ ...configForm, ...changes }));
  const submit = (e: Event) => {
    e.preventDefault();
    if (errors.length > 0) return;
    action.run(async () => {
      const wanted = { name: name.trim(), description: description.trim(), config };
      const saved = generator
        ? await generatorsApi.update(generator.id, wanted)
        : await generatorsApi.create(wanted, startsNow ? "active" : "draft");
      toast("success", t("generators.saved", { name: saved.name }));
      onClose(true);
    });
  };
  return (
    <Dialog
      title={generator ? t("generators.edit", { name: generator.name }) : t("generator.new")}
      onClose={() => onClose(false)}
      firm
    >
      <form class="flex flex-col gap-5" onSubmit={submit}>
        <TextField
          label={t("generator.name")}
          hint={generator ? undefined : t("generator.nameHint")}
          required
          maxLength={200}
          pattern=".*\S.*"
          value={name}
          autofocus
          onText={setName}
        />
        <TextField
          label={t("generator.description")}
          maxLength={2_000}
          value={description}
          onText={setDescription}
        />
        <div>
          <DurationField
            label={t("generator.interval")}
            ms={form.intervalMs}
            onChange={(intervalMs) => change({ intervalMs })}
          />
          <Notes problems={problems.filter(({ field }) => field === "interval")} />
        </div>
        <Metrics form={form} onChange={change} problems={problems} preview={preview} />
        <Targets form={form} onChange={change} problems={problems} isNew={generator === undefined} />
        {!generator && (
          <Checkbox checked={startsNow} onCheck={setStartsNow}>
            {t("generator.startNow")}
          </Checkbox>
        )}
        <Notes problems={problems.filter(({ field, row }) => field === undefined && row === undefined)} />
        {action.error !== undefined && (
          <p role="alert" class="text-sm text-error">
            {errorText(action.error)}
          </p>
        )}
        <FormButtons busy={action.busy} onCancel={() => onClose(false)}>
          {t("common.save")}
        </FormButtons>
      </form>
    </Dialog>
  );
}

function Notes({ problems }: { problems: readonly ConfigProblem[] }) {
  if (problems.length === 0) return null;
  return (
    <div role="alert" class="mt-1.5 text-sm text-error">
      {problems.map(({ text }) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

interface PartProps {
  readonly form: ConfigForm;
  readonly onChange: (changes: Partial<ConfigForm>) => void;
  readonly problems: readonly ConfigProblem[];
}

function Metrics({
  form,
  onChange,
  problems,
  preview,
}: PartProps & { preview: ReturnType<typeof usePreview> }) {
  const { rows } = form;
  const changeRow = (row: MetricRow, changes: Partial<MetricRow>) =>
    onChange({ rows: rows.map((metricRow) => (metricRow === row ? { ...row, ...changes } : metricRow)) });
  const { readings, valuesPerDay } = preview?.result ?? {};
  const perDevice = valuesPerDay === undefined ? undefined : 86_400_000 / form.intervalMs;
  return (
    <fieldset class="flex min-w-0 flex-col gap-3">
      <legend class="mb-2 font-semibold">{t("generator.metrics")}</legend>
      {rows.map((row, index) => (
        <MetricFields
          key={row.id}
          row={row}
          problems={problems.filter((problem) => problem.row === index)}
          readings={readings}
          onChange={(changes) => changeRow(row, changes)}
          onRemove={
            rows.length > 1
              ? () => onChange({ rows: rows.filter((metricRow) => metricRow !== row) })
              : undefined
          }
        />
      ))}
      <Notes problems={problems.filter(({ field }) => field === "metrics")} />
      <Button
        icon={Plus}
        class="btn btn-sm self-start"
        onClick={() => onChange({ rows: [...rows, newRow()] })}
      >
        {t("generator.addMetric")}
      </Button>
      {perDevice !== undefined && (
        <p class="text-sm text-soft">
          {t("generator.volume", { count: formatCount(Math.round(perDevice * rows.length)) })}
        </p>
      )}
    </fieldset>
  );
}

function Targets({ form, onChange, problems, isNew }: PartProps & { isNew: boolean }) {
  const { deviceIds } = form;
  return (
    <fieldset class="flex flex-col gap-3">
      <legend class="mb-2 font-semibold">{t("generator.devices")}</legend>
      <label class="flex cursor-pointer items-start gap-3">
        <input
          type="radio"
          name="targets"
          class="radio radio-sm mt-0.5"
          checked={deviceIds === undefined}
          onChange={() => onChange({ deviceIds: undefined })}
        />
        <span>
          {t("generator.own")}
          {isNew && <span class="block text-sm text-soft">{t("generator.ownHint")}</span>}
        </span>
      </label>
      <Radio
        name="targets"
        checked={deviceIds !== undefined}
        onChange={() => onChange({ deviceIds: [] })}
        hint={t("generator.selectedHint")}
      >
        {t("generator.selected")}
      </Radio>
      {deviceIds && (
        <DevicePicker selected={deviceIds} onChange={(selected) => onChange({ deviceIds: selected })} />
      )}
      <Notes problems={problems.filter(({ field }) => field === "devices")} />
    </fieldset>
  );
}
