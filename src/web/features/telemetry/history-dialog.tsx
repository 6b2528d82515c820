import { ArrowDownUp } from "lucide-preact";
import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { mayWrite } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { Segments } from "../../ui/form/segments.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { ImportForm } from "./import-form.tsx";
import { telemetryApi } from "./telemetry-api.ts";

const FORMATS = ["csv", "ndjson"] as const;
type Format = (typeof FORMATS)[number];

/** Time range of the charts, in epoch ms. */
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
  /** Receives the time of the newest imported value, epoch ms. */
  readonly onImported: (ts: number) => void;
  readonly onClose: () => void;
}

/** Button for history files. If there is nothing to export, only users who may import see it. */
export function HistoryButton({ shown, onOpen }: { shown: ShownTime; onOpen: (shown: ShownTime) => void }) {
  if (shown === undefined && !mayWrite.value) return null;
  return (
    <Button icon={ArrowDownUp} size={14} onClick={() => onOpen(shown)}>
      {t(shown === undefined ? "history.import" : "history.open")}
    </Button>
  );
}

/** Exports telemetry of the device to files, and imports files. */
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
      <ErrorNote error={action.error} />
      <div>
        <SubmitButton busy={action.busy}>{t("history.download")}</SubmitButton>
      </div>
    </form>
  );
}
