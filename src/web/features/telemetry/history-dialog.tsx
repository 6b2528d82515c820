import { ArrowDownUp } from "lucide-preact";
import { useState } from "preact/hooks";
import type { Text } from "../../../lib/texts/text.ts";
import { ownZone } from "../../lib/zoned-time.ts";
import { serverPhrase } from "../../platform/i18n/error-texts.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { mayWrite } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/choice.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Field } from "../../ui/field.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { Segments } from "../../ui/segments.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useAction } from "../../ui/use-form.ts";
import { ZoneField } from "../../ui/zone-field.tsx";
import { importParts } from "./file-chunks.ts";
import { telemetryApi } from "./telemetry-api.ts";

const FORMATS = ["csv", "ndjson"] as const;
const DECIMALS = ["auto", "point", "comma"] as const;
type Format = (typeof FORMATS)[number];

/** Describes what the charts show, in epoch ms. */
export interface Bounds {
  readonly from: number;
  readonly to: number;
}

/** `undefined` if there is nothing to export yet. */
export type ShownTime = Bounds | undefined;

interface Props {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly shown: ShownTime;
  readonly onImported: () => void;
  readonly onClose: () => void;
}

/** Shows where there is nothing to export only those who may import see it. */
export function HistoryButton({ shown, onOpen }: { shown: ShownTime; onOpen: (shown: ShownTime) => void }) {
  if (shown === undefined && !mayWrite.value) return null;
  return (
    <Button icon={ArrowDownUp} size={14} onClick={() => onOpen(shown)}>
      {t(shown === undefined ? "history.import" : "history.open")}
    </Button>
  );
}

/** Telemetry out of the device and into it as files. */
export function HistoryDialog(props: Props) {
  return (
    <Dialog title={t("history.title")} onClose={props.onClose}>
      <div class="flex flex-col gap-6">
        {props.shown !== undefined && <ExportForm {...props} shown={props.shown} />}
        {mayWrite.value && <ImportForm {...props} />}
        <div class="flex justify-end">
          <button type="button" class="btn btn-ghost" onClick={props.onClose}>
            {t("common.close")}
          </button>
        </div>
      </div>
    </Dialog>
  );
}

function ExportForm({ deviceId, deviceName, shown }: Props & { shown: { from: number; to: number } }) {
  const [format, setFormat] = useState<Format>("csv");
  const [hasUnits, setHasUnits] = useState(false);
  const [range, setRange] = useState<"shown" | "all">("shown");
  const action = useAction();
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      const bounds = range === "shown" ? { from: Math.floor(shown.from), to: Math.ceil(shown.to) } : {};
      const blob = await telemetryApi.exportHistory(deviceId, {
        format,
        ...(hasUnits && format === "csv" && { units: "true" }),
        ...bounds,
      });
      saveFile(blob, `${deviceName.replace(/[^\p{L}\p{N}_-]+/gu, "-")}.${format}`);
    });
  };
  return (
    <form class="flex flex-col gap-3" onSubmit={submit}>
      <h3 class="font-semibold">{t("history.export")}</h3>
      <div class="flex flex-wrap gap-3">
        <Segments
          label={t("history.format")}
          items={FORMATS.map((id) => ({ id, text: t(`history.${id}`) }))}
          current={format}
          onSelect={setFormat}
        />
        <Segments
          label={t("history.range")}
          items={(["shown", "all"] as const).map((id) => ({ id, text: t(`history.${id}`) }))}
          current={range}
          onSelect={setRange}
        />
      </div>
      <p class="text-sm text-soft">{t(format === "csv" ? "history.csvHint" : "history.ndjsonHint")}</p>
      {format === "csv" && (
        <Checkbox checked={hasUnits} onCheck={setHasUnits}>
          <span class="text-sm">{t("history.units")}</span>
        </Checkbox>
      )}
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <div>
        <SubmitButton busy={action.busy}>{t("history.download")}</SubmitButton>
      </div>
    </form>
  );
}

interface Outcome {
  readonly points: number;
  readonly failed: number;
  readonly firstError: (Text & { readonly message: string }) | undefined;
}

const firstErrorText = ({ firstError }: Outcome): string =>
  firstError === undefined ? "" : serverPhrase(firstError, firstError.message);

function ImportForm({ deviceId, onImported }: Props) {
  const [progress, setProgress] = useState<number | undefined>(undefined);
  const [outcome, setOutcome] = useState<Outcome | undefined>(undefined);
  const [decimal, setDecimal] = useState<(typeof DECIMALS)[number]>("auto");
  const [timezone, setTimezone] = useState(ownZone);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const file = new FormData(e.currentTarget).get("file");
    if (!(file instanceof File) || file.size === 0) return;
    const format: Format = /\.(nd)?jsonl?$/i.test(file.name) ? "ndjson" : "csv";
    const dialect = { timezone, ...(decimal !== "auto" && { decimal }) };
    const query = { format, ...(format === "csv" && dialect) };
    setOutcome(undefined);
    action.run(async () => {
      let sum: Outcome = { points: 0, failed: 0, firstError: undefined };
      try {
        for await (const part of importParts(file, format)) {
          const { points, failed, errors } = await telemetryApi.importHistory(deviceId, query, part.text);
          sum = {
            points: sum.points + points,
            failed: sum.failed + failed,
            firstError: sum.firstError ?? errors[0],
          };
          setProgress(part.share);
        }
      } finally {
        setProgress(undefined);
        setOutcome(sum);
        if (sum.points > 0) onImported();
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
        <input class="file-input w-full" type="file" name="file" accept=".csv,.ndjson,.jsonl,.txt" required />
      </Field>
      <Segments
        label={t("history.decimal")}
        items={DECIMALS.map((id) => ({ id, text: t(`history.decimal.${id}`) }))}
        current={decimal}
        onSelect={setDecimal}
      />
      <ZoneField value={timezone} hint={t("history.zoneHint")} onChange={setTimezone} />
      {progress !== undefined && (
        <progress
          class="progress progress-primary w-full"
          value={progress}
          max={1}
          aria-label={t("history.progress")}
        />
      )}
      {outcome !== undefined && (
        <p role="status" class={outcome.failed > 0 ? "text-warning" : "text-success"}>
          {t("history.imported", { points: outcome.points.toLocaleString() })}
          {outcome.failed > 0 &&
            ` ${t("history.refused", { rows: outcome.failed, reason: firstErrorText(outcome) })}`}
        </p>
      )}
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <div>
        <SubmitButton busy={action.busy}>{t("history.upload")}</SubmitButton>
      </div>
    </form>
  );
}
