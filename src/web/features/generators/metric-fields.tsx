import { X } from "lucide-preact";
import { sparkPath } from "../../lib/chart-data.ts";
import { formatNumber } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { SchemaFields } from "../../ui/form/schema-fields.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { type MetricRow, metricForm } from "./generator-form.tsx";
import { type ConfigProblem, problemOf } from "./generator-text.ts";
import type { GeneratorPreview } from "./generators-api.ts";

interface Props {
  readonly row: MetricRow;
  readonly problems: readonly ConfigProblem[];
  readonly readings: GeneratorPreview["result"]["readings"];
  readonly onChange: (row: MetricRow) => void;
  /** Removes the metric; absent for the only one. */
  readonly onRemove?: (() => void) | undefined;
}

export function MetricFields({ row, problems, readings, onChange, onRemove }: Props) {
  const key = String(row.key ?? "");
  return (
    <fieldset
      class="flex min-w-0 flex-col gap-3 rounded-field border border-base-300 p-3"
      data-testid="metric"
    >
      <legend class="sr-only">{key || t("common.key")}</legend>
      <div class="flex items-start gap-2">
        <div class="flex min-w-0 flex-1 flex-col gap-3">
          <SchemaFields
            form={metricForm}
            values={row}
            onChange={(values) => onChange({ ...values, id: row.id })}
            errorOf={(path) => (path === "key" && key === "" ? undefined : problemOf(problems, path))}
          />
        </div>
        {onRemove && (
          <IconButton
            icon={X}
            label={t("common.removeKey", { key })}
            class="btn btn-ghost btn-square mt-6.5 flex-none"
            onClick={onRemove}
          />
        )}
      </div>
      <Spark name={key.trim()} readings={readings} />
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
