import { formSchema } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import type { FormValues } from "../../lib/form-schema.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { DurationField } from "../../ui/form/duration-field.tsx";
import { type ControlProps, type FormDefinition, sentValues } from "../../ui/form/form-definition.ts";
import { DeviceScope } from "../devices/device-scope.tsx";
import type { Generator, GeneratorConfig, GeneratorForm, Metric } from "./generators-api.ts";

const schema = formSchema("generators/generators.schemas.ts", "createGeneratorBody", [
  "name",
  "description",
  "config",
]);

const Interval = ({ label, error, value, onChange }: ControlProps) => (
  <DurationField
    label={label}
    error={error}
    ms={Math.round(Number(value) * 1000)}
    onChange={(ms) => onChange(ms / 1000)}
  />
);

const Targets = ({ error, value, onChange, values }: ControlProps) => (
  <DeviceScope
    all={[t("generator.own"), values.isNew === true ? t("generator.ownHint") : undefined]}
    some={[t("generator.selected"), t("generator.selectedHint")]}
    selected={(value ?? undefined) as readonly string[] | undefined} // the type of the schema
    onChange={onChange}
    problem={error}
  />
);

/** Name and interval. */
export const settingsForm: FormDefinition = {
  schema,
  texts: ["generator"],
  fields: [
    [{ path: "name", input: { autofocus: true } }, "description"],
    { path: "config.intervalSeconds", text: "interval", control: Interval },
  ],
};

export const targetsForm: FormDefinition = {
  schema,
  texts: ["generator"],
  fields: [{ path: "config.deviceIds", text: "devices", control: Targets }],
};

export const generatorForm: FormDefinition = {
  ...settingsForm,
  fields: [...settingsForm.fields, ...targetsForm.fields],
};

const hasPattern =
  (pattern: Metric["pattern"]) =>
  (row: FormValues): boolean =>
    row.pattern === pattern;

/** A key with its range and pattern. */
export const metricForm: FormDefinition = {
  schema: formSchema("generators/generators.schemas.ts", "metricSchema"),
  texts: ["generatorMetric"],
  fields: [
    [
      { path: "key", input: { autocapitalize: "off", autocomplete: "off", class: "input reading w-full" } },
      {
        path: "pattern",
        isRequired: true,
        optionText: (pattern) => t(`generatorPattern.${pattern as NonNullable<Metric["pattern"]>}`),
      },
    ],
    [
      "min",
      "max",
      "decimals",
      { path: "step", text: "walkStep", when: hasPattern("walk") },
      { path: "step", text: "counterStep", when: hasPattern("counter") },
      { path: "periodSeconds", when: hasPattern("sine") },
    ],
  ],
};

/** Values of `metricForm`, with a local id. */
export interface MetricRow extends FormValues {
  readonly id: number;
}

let rowCount = 0;

export const newRow = (metric: FormValues = { min: 0, max: 100 }): MetricRow => ({
  pattern: "walk",
  ...metric,
  id: rowCount++,
});

export const rowsOf = (generator: Generator | undefined): MetricRow[] =>
  generator?.config.metrics.map((metric) => newRow({ ...metric, pattern: metric.pattern ?? "random" })) ?? [
    newRow({ key: "temperature", min: 18, max: 26 }),
  ];

export const valuesOf = (generator: Generator | undefined): FormValues => ({
  isNew: generator === undefined,
  name: generator?.name,
  description: generator?.description,
  config: { intervalSeconds: 10, ...generator?.config },
});

/** Returns the body of the request. Fields of other patterns stay in the form. */
export const inputOf = (body: FormValues, rows: readonly MetricRow[]) => ({
  ...(body as Pick<GeneratorForm, "name" | "description">), // the API checks it
  config: {
    ...(body.config as GeneratorConfig), // likewise
    metrics: rows.map((row) => sentValues(metricForm, row) as Metric), // likewise
  },
});
