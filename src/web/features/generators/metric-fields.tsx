import { X } from "lucide-preact";
import { sparkPath } from "../../lib/chart-data.ts";
import { formatNumber } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { type MetricRow, usesStep } from "./generator-form.ts";
import type { ConfigProblem, ProblemField } from "./generator-text.ts";
import { type GeneratorPreview, PATTERNS } from "./generators-api.ts";

interface Props {
  readonly row: MetricRow;
  readonly problems: readonly ConfigProblem[];
  readonly readings: GeneratorPreview["result"]["readings"];
  readonly onChange: (changes: Partial<MetricRow>) => void;
  /** Removes the metric; absent for the only one. */
  readonly onRemove?: (() => void) | undefined;
}

export function MetricFields({ row, problems, readings, onChange, onRemove }: Props) {
  const problem = (field: ProblemField) =>
    problems.find((configProblem) => configProblem.field === field)?.text;
  const number = (field: "min" | "max" | "decimals" | "step" | "periodSeconds", isRequired = false) => (
    <input
      class="input w-full"
      inputMode="decimal"
      required={isRequired}
      autocomplete="off"
      value={row[field]}
      onInput={(e) => onChange({ [field]: e.currentTarget.value })}
    />
  );
  return (
    <fieldset
      class="flex min-w-0 flex-col gap-3 rounded-field border border-base-300 p-3"
      data-testid="metric"
    >
      <legend class="sr-only">{row.key || t("common.key")}</legend>
      <div class="flex items-start gap-2">
        <div class="grid min-w-0 flex-1 gap-3 sm:grid-cols-2">
          <TextField
            label={t("common.key")}
            error={row.key === "" ? undefined : problem("key")}
            required
            maxLength={256}
            autocapitalize="off"
            autocomplete="off"
            value={row.key}
            class="input reading w-full"
            onText={(text) => onChange({ key: text })}
          />
          <SelectField
            label={t("generator.pattern")}
            value={row.pattern}
            options={PATTERNS}
            text={(pattern) => t(`generatorPattern.${pattern}`)}
            onSelect={(pattern) => onChange({ pattern })}
          />
        </div>
        {onRemove && (
          <IconButton
            icon={X}
            label={t("common.removeKey", { key: row.key })}
            class="btn btn-ghost btn-square mt-6.5 flex-none"
            onClick={onRemove}
          />
        )}
      </div>
      <div class="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Field label={t("generator.min")} error={problem("min")}>
          {number("min", true)}
        </Field>
        <Field label={t("generator.max")} error={problem("max")}>
          {number("max", true)}
        </Field>
        <Field label={t("common.decimals")} hint={t("generator.decimalsHint")} error={problem("decimals")}>
          {number("decimals")}
        </Field>
        {usesStep(row.pattern) && (
          <Field
            label={t("generator.step")}
            hint={t(row.pattern === "walk" ? "generator.stepWalk" : "generator.stepCounter")}
            error={problem("step")}
          >
            {number("step")}
          </Field>
        )}
        {row.pattern === "sine" && (
          <Field
            label={t("generator.period")}
            hint={t("generator.periodHint")}
            error={problem("periodSeconds")}
          >
            {number("periodSeconds")}
          </Field>
        )}
      </div>
      <Spark name={row.key.trim()} readings={readings} />
    </fieldset>
  );
}

const BOX = { width: 240, height: 40 };

function Spark({ name, readings }: { name: string; readings: Props["readings"] }) {
  // Drawn by their number: the sparkline's gaps are for time that nobody heard of.
  const points = (readings ?? []).flatMap(({ values }, index) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? [] : [{ ts: index, value }];
  });
  const path = sparkPath(points, BOX);
  if (path === "") return <div class="h-10" />;
  const numbers = points.map(({ value }) => value);
  const [from, to] = [Math.min(...numbers), Math.max(...numbers)].map((value) => formatNumber(value));
  return (
    <svg
      viewBox={`0 0 ${BOX.width} ${BOX.height}`}
      preserveAspectRatio="none"
      class="h-10 w-full overflow-visible text-primary"
      role="img"
      aria-label={t("generator.preview", { key: name, from: from ?? "", to: to ?? "" })}
    >
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        stroke-width="1.5"
        stroke-linejoin="round"
        vector-effect="non-scaling-stroke"
      />
    </svg>
  );
}
