import { Plus } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox, Radio } from "../../ui/choice.tsx";
import { DurationField } from "../../ui/duration-field.tsx";
import { FormPage } from "../../ui/form-page.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { useAction } from "../../ui/use-form.ts";
import { rememberNames } from "../devices/device-names.ts";
import { DevicePicker } from "../devices/device-picker.tsx";
import { type ConfigForm, configOf, formOf, type MetricRow, newRow } from "./generator-form.ts";
import { type ConfigProblem, configProblem } from "./generator-text.ts";
import {
  type Generator,
  type GeneratorConfig,
  type GeneratorPreview,
  generatorsApi,
} from "./generators-api.ts";
import { MetricFields } from "./metric-fields.tsx";

const TYPING_PAUSE_MS = 250;

/** Returns the messages of a config, requested after a short pause in typing; the previous response stays until the next arrives. */
function usePreview(config: GeneratorConfig): GeneratorPreview | undefined {
  const [preview, setPreview] = useState<GeneratorPreview | undefined>(undefined);
  const asked = JSON.stringify(config);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      generatorsApi.preview(config).then(
        (answer) => current && setPreview(answer),
        () => current && setPreview(undefined), // saving says what is wrong
      );
    }, TYPING_PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [asked]);
  return preview;
}

export function EditGeneratorPage({ generatorId }: { generatorId: string }) {
  const resource = useResource(() => generatorsApi.get(generatorId), [generatorId]);
  return (
    <Loaded of={resource} isPage>
      {(generator) => <GeneratorFormPage generator={generator} />}
    </Loaded>
  );
}

/** Creates a generator, or changes the one that it gets. */
export function GeneratorFormPage({ generator }: { generator?: Generator }) {
  const { route } = useLocation();
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
  const submit = () => {
    if (errors.length > 0) return;
    action.run(async () => {
      const wanted = { name: name.trim(), description: description.trim(), config };
      const saved = generator
        ? await generatorsApi.update(generator.id, wanted)
        : await generatorsApi.create(wanted, startsNow ? "active" : "draft");
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      route("/generators", true);
    });
  };
  return (
    <FormPage
      title={generator ? t("common.editName", { name: generator.name }) : t("generators.create")}
      back={{ href: "/generators", text: t("nav.generators") }}
      submitText={t(generator ? "common.save" : "generators.create")}
      onSubmit={submit}
      busy={action.busy}
      error={action.error}
      isFixed={!may("generators:write")}
    >
      <div class="panel grid gap-4 p-4 sm:grid-cols-2 sm:p-5">
        <NameFields
          name={name}
          onName={setName}
          description={description}
          onDescription={setDescription}
          isNew={generator === undefined}
        />
        <div>
          <DurationField
            label={t("generator.interval")}
            ms={form.intervalMs}
            onChange={(intervalMs) => change({ intervalMs })}
          />
          <Notes problems={problems.filter(({ field }) => field === "interval")} />
        </div>
        {!generator && (
          <div class="flex items-end pb-2.5">
            <Checkbox checked={startsNow} onCheck={setStartsNow}>
              {t("generator.startNow")}
            </Checkbox>
          </div>
        )}
      </div>
      <Metrics form={form} onChange={change} problems={problems} preview={preview} />
      <Targets form={form} onChange={change} problems={problems} isNew={generator === undefined} />
      <Notes problems={problems.filter(({ field, row }) => field === undefined && row === undefined)} />
    </FormPage>
  );
}

function NameFields(props: {
  name: string;
  onName: (name: string) => void;
  description: string;
  onDescription: (description: string) => void;
  isNew: boolean;
}) {
  return (
    <>
      <TextField
        label={t("common.name")}
        hint={props.isNew ? t("generator.nameHint") : undefined}
        required
        maxLength={200}
        pattern=".*\S.*"
        value={props.name}
        autofocus={props.isNew}
        onText={props.onName}
      />
      <TextField
        label={t("common.description")}
        maxLength={2_000}
        value={props.description}
        onText={props.onDescription}
      />
    </>
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
    <Section id="generator-metrics" title={t("generator.metrics")}>
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
        {t("common.addKey")}
      </Button>
      {perDevice !== undefined && (
        <p class="text-sm text-soft">
          {t("generator.volume", { count: formatCount(Math.round(perDevice * rows.length)) })}
        </p>
      )}
    </Section>
  );
}

function Targets({ form, onChange, problems, isNew }: PartProps & { isNew: boolean }) {
  const { deviceIds } = form;
  return (
    <Section id="generator-devices" title={t("common.devices")}>
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
    </Section>
  );
}
