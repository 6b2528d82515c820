import { Plus } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { formatCount } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { FormPage } from "../../ui/form/form-page.tsx";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { useSchemaForm } from "../../ui/form/use-schema-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { rememberNames } from "../devices/device-names.ts";
import {
  generatorForm,
  inputOf,
  type MetricRow,
  newRow,
  rowsOf,
  settingsForm,
  targetsForm,
  valuesOf,
} from "./generator-form.tsx";
import { type ConfigProblem, configProblem, problemOf } from "./generator-text.ts";
import {
  type Generator,
  type GeneratorConfig,
  type GeneratorPreview,
  generatorsApi,
} from "./generators-api.ts";
import { MetricFields } from "./metric-fields.tsx";

const SECONDS_PER_DAY = 86_400;
const TYPING_PAUSE_MS = 250;

/** Returns the messages of a config, requested after a short pause in typing. The previous response stays until the next one arrives. */
function usePreview(config: GeneratorConfig): GeneratorPreview | undefined {
  const [preview, setPreview] = useState<GeneratorPreview | undefined>(undefined);
  const asked = JSON.stringify(config);
  useEffect(() => {
    let current = true;
    const timer = setTimeout(() => {
      generatorsApi.preview(config).then(
        (response) => current && setPreview(response),
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

/** Creates a generator, or edits the given one. */
export function GeneratorFormPage({ generator }: { generator?: Generator }) {
  const { route } = useLocation();
  const [startsNow, setStartsNow] = useState(true);
  const [rows, setRows] = useState(() => {
    rememberNames(generator?.devices ?? []);
    return rowsOf(generator);
  });
  const form = useSchemaForm(generatorForm, valuesOf(generator));
  const { config } = inputOf(form.body(), rows);
  const preview = usePreview(config);
  const errors = (preview?.errorTexts ?? []).map(configProblem);
  const problems = [...errors, ...(preview?.warningTexts ?? []).map(configProblem)];
  const ofConfig = problems.filter(({ row }) => row === undefined);
  const state = {
    ...form.state,
    errorOf: (path: string) => form.state.errorOf?.(path) ?? problemOf(ofConfig, path.replace("config.", "")),
  };
  const submit = () => {
    if (errors.length > 0) return;
    form.send(async (body) => {
      const wanted = inputOf(body, rows);
      const saved = generator
        ? await generatorsApi.update(generator.id, wanted)
        : await generatorsApi.create(wanted, startsNow ? "active" : "draft");
      toast("success", t("common.nameIsSaved", { name: saved.name }));
      route("/generators", true);
    });
  };
  return (
    <FormPage
      {...form.dialog}
      title={generator ? t("common.editName", { name: generator.name }) : t("generators.create")}
      back={{ href: "/generators", text: t("nav.generators") }}
      submitText={t(generator ? "common.save" : "generators.create")}
      onSubmit={submit}
      isFixed={!may("generators:write")}
    >
      <div class="panel flex flex-col gap-4 p-4 sm:p-5">
        <SchemaFields
          form={settingsForm}
          {...state}
          {...(!generator && { hints: { name: t("generator.nameHint") } })}
        />
        {!generator && (
          <Checkbox checked={startsNow} onCheck={setStartsNow}>
            {t("generator.startNow")}
          </Checkbox>
        )}
      </div>
      <Section id="generator-metrics" title={t("generator.metrics")}>
        <Metrics rows={rows} onChange={setRows} problems={problems} readings={preview?.result.readings} />
        {preview?.result.valuesPerDay !== undefined && (
          <p class="text-sm text-soft">
            {t("generator.volume", {
              count: formatCount(Math.round((SECONDS_PER_DAY / config.intervalSeconds) * rows.length)),
            })}
          </p>
        )}
      </Section>
      <Section id="generator-devices" title={t("common.devices")}>
        <SchemaFields form={targetsForm} {...state} />
      </Section>
      <Notes text={problemOf(ofConfig, undefined)} />
    </FormPage>
  );
}

const Notes = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <p role="alert" class="text-sm text-error">
      {text}
    </p>
  );

function Metrics(props: {
  rows: readonly MetricRow[];
  onChange: (rows: MetricRow[]) => void;
  problems: readonly ConfigProblem[];
  readings: GeneratorPreview["result"]["readings"];
}) {
  const { rows, onChange, problems } = props;
  return (
    <>
      {rows.map((row, index) => (
        <MetricFields
          key={row.id}
          row={row}
          problems={problems.filter((problem) => problem.row === index)}
          readings={props.readings}
          onChange={(changed) => onChange(rows.with(index, changed))}
          onRemove={rows.length > 1 ? () => onChange(rows.filter((other) => other !== row)) : undefined}
        />
      ))}
      <Notes text={problemOf(problems, "metrics")} />
      <Button icon={Plus} class="btn btn-sm self-start" onClick={() => onChange([...rows, newRow()])}>
        {t("common.addKey")}
      </Button>
    </>
  );
}
