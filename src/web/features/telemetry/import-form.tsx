import { useState } from "preact/hooks";
import { historyFormatOf } from "../../../lib/csv/history-format.ts";
import { KEY_BYTES_MAX } from "../../../lib/keys/key-metadata.ts";
import type { Text } from "../../../lib/texts/text.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { Field } from "../../ui/form/field.tsx";
import { LabelledSegments } from "../../ui/form/segments.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ZoneField } from "../../ui/form/zone-field.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { importParts } from "./file-chunks.ts";
import { type ImportQuery, telemetryApi } from "./telemetry-api.ts";

const DECIMALS = ["auto", "point", "comma"] as const;
const DATE_ORDERS = ["auto", "day-first", "month-first"] as const;

type RowError = Text & { readonly row: number; readonly message: string };

interface Outcome {
  readonly points: number;
  /** Time of the newest stored row, epoch ms; 0 before the first row. */
  readonly newestTs: number;
  readonly failed: number;
  readonly sameTime: number;
  readonly missing: number;
  readonly timeColumns: readonly string[];
  /** Its row is counted from the beginning of the file. */
  readonly firstError: RowError | undefined;
}

const nothingImported: Outcome = {
  points: 0,
  newestTs: 0,
  failed: 0,
  sameTime: 0,
  missing: 0,
  timeColumns: [],
  firstError: undefined,
};

/** Imports a file part by part, and yields the progress. */
async function* importFile(
  deviceId: string,
  file: File,
  query: ImportQuery,
): AsyncGenerator<{ outcome: Outcome; share: number }> {
  let outcome = nothingImported;
  let rows = 0;
  let sampleRows = 0;
  let previousTs: number | undefined;
  for await (const part of importParts(file, query.format)) {
    const skipRows = part.hasSample ? sampleRows : 0;
    const repeated = part.hasSample ? { skipRows, previousTs } : {};
    const response = await telemetryApi.importHistory(deviceId, { ...query, ...repeated }, part.body);
    const [error] = response.errors;
    outcome = {
      points: outcome.points + response.points,
      newestTs: Math.max(outcome.newestTs, response.newestTs ?? 0),
      failed: outcome.failed + response.failed,
      sameTime: outcome.sameTime + response.sameTime,
      missing: outcome.missing + response.missing,
      timeColumns: response.timeColumns,
      firstError: outcome.firstError ?? (error && { ...error, row: error.row - skipRows + rows }),
    };
    if (!part.hasSample) sampleRows = response.rows;
    rows += response.rows;
    previousTs = response.lastTs;
    yield { outcome, share: part.share };
  }
}

/** Outcome of an import: imported, refused and left-out values. */
function OutcomeNote({ outcome }: { outcome: Outcome }) {
  const { points, failed, sameTime, missing, timeColumns, firstError } = outcome;
  const reason = firstError && serverPhrase(firstError, firstError.message);
  return (
    <div role="status" class={failed > 0 ? "text-warning" : "text-success"}>
      <p>
        {t("history.imported", { points: points.toLocaleString() })}
        {timeColumns.length > 0 && ` ${t("history.timeFrom", { columns: timeColumns.join(", ") })}`}
      </p>
      {firstError !== undefined && reason !== undefined && (
        <p>{t("history.refused", { rows: failed, row: firstError.row, reason })}</p>
      )}
      {sameTime > 0 && <p>{t("history.sameTime", { rows: sameTime.toLocaleString() })}</p>}
      {missing > 0 && <p>{t("history.missing", { cells: missing.toLocaleString() })}</p>}
    </div>
  );
}

interface CsvSettings {
  readonly decimal: (typeof DECIMALS)[number];
  readonly dates: (typeof DATE_ORDERS)[number];
  readonly timeColumn: string;
  readonly timezone: string;
}

const automatic = (): CsvSettings => ({
  decimal: "auto",
  dates: "auto",
  timeColumn: "",
  timezone: ownZone(),
});

const queryOf = ({ decimal, dates, timeColumn, timezone }: CsvSettings): Omit<ImportQuery, "format"> => ({
  timezone,
  ...(decimal !== "auto" && { decimal }),
  ...(dates !== "auto" && { dates }),
  ...(timeColumn.trim() !== "" && { timeColumn: timeColumn.trim() }),
});

function CsvFields({ value, onChange }: { value: CsvSettings; onChange: (value: CsvSettings) => void }) {
  const set = (part: Partial<CsvSettings>) => onChange({ ...value, ...part });
  return (
    <>
      <LabelledSegments
        label={t("history.decimal")}
        items={DECIMALS.map((id) => ({ id, text: t(`history.decimal.${id}`) }))}
        current={value.decimal}
        onSelect={(decimal) => set({ decimal })}
      />
      <LabelledSegments
        label={t("history.dates")}
        items={DATE_ORDERS.map((id) => ({ id, text: t(`history.dates.${id}`) }))}
        current={value.dates}
        onSelect={(dates) => set({ dates })}
      />
      <Field label={t("history.timeColumn")} hint={t("history.timeColumnHint")}>
        <input
          class="input w-full"
          value={value.timeColumn}
          maxLength={KEY_BYTES_MAX}
          onInput={(e) => set({ timeColumn: e.currentTarget.value })}
        />
      </Field>
      <ZoneField
        value={value.timezone}
        hint={t("history.zoneHint")}
        onChange={(timezone) => set({ timezone })}
      />
    </>
  );
}

export function ImportForm(props: { deviceId: string; onImported: (ts: number) => void }) {
  const { deviceId, onImported } = props;
  const [progress, setProgress] = useState<number | undefined>(undefined);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const [csv, setCsv] = useState<CsvSettings>(automatic);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const file = new FormData(e.currentTarget).get("file");
    if (!(file instanceof File) || file.size === 0) return;
    const format = historyFormatOf(file.name);
    const query: ImportQuery = format === "csv" ? { format, ...queryOf(csv) } : { format };
    setOutcome(undefined);
    action.run(async () => {
      let reached = nothingImported;
      try {
        for await (const step of importFile(deviceId, file, query)) {
          reached = step.outcome;
          setProgress(step.share);
        }
      } finally {
        setProgress(undefined);
        setOutcome(reached);
        if (reached.points > 0) onImported(reached.newestTs);
      }
    });
  };
  return (
    <form
      class="flex flex-col gap-3 not-first:border-t not-first:border-base-300 not-first:pt-5"
      onSubmit={submit}
    >
      <h3 class="font-semibold">{t("history.import")}</h3>
      <Field label={t("history.file")} hint={t("history.fileHint")}>
        <input
          class="file-input w-full"
          type="file"
          name="file"
          accept=".csv,.ndjson,.jsonl,.txt,.tsv"
          required
        />
      </Field>
      <CsvFields value={csv} onChange={setCsv} />
      {progress !== undefined && (
        <progress
          class="progress progress-primary w-full"
          value={progress}
          max={1}
          aria-label={t("history.progress")}
        />
      )}
      {outcome !== undefined && <OutcomeNote outcome={outcome} />}
      <ErrorNote error={action.error} />
      <div>
        <SubmitButton busy={action.busy}>{t("history.upload")}</SubmitButton>
      </div>
    </form>
  );
}
