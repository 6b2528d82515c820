import { Download, Undo2 } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { toCsv } from "../../lib/csv.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { BulkOutcome, BulkProgressBar } from "../device-bulk/bulk-outcome.tsx";
import { type BulkProgress, runBulk } from "../device-bulk/bulk-run.ts";
import { deviceBulkApi } from "../device-bulk/device-bulk-api.ts";
import type { ImportedRow, ImportResult } from "./bulk-api.ts";
import { mistakeText } from "./mistake-text.ts";
import { RowTable } from "./row-table.tsx";

function saveTokens(rows: readonly ImportedRow[]): void {
  const importedRows = rows.filter(({ deviceId }) => deviceId !== undefined);
  const lines = importedRows.map(({ name, deviceId, deviceToken }) => [name, deviceId, deviceToken]);
  const blob = new Blob([toCsv([["name", "deviceId", "token"], ...lines])], { type: "text/csv" });
  saveFile(blob, "device-tokens.csv");
}

/** Result of an import: number of devices, their tokens, and omitted rows. */
export function ImportOutcome({ result, onOther }: { result: ImportResult; onOther: () => void }) {
  const { created, failed, rows } = result;
  const refused = useMemo(() => rows.filter(({ error }) => error !== undefined), [rows]);
  const rowAt = (index: number) => {
    const { row = 0, name = "", error = "", field = "", code = "", params = {} } = refused[index] ?? {};
    return { row, name, detail: "", mistake: mistakeText({ field, code, params, message: error }) };
  };
  const undo = useImportUndo(rows);
  return (
    <>
      <div role="status" class="panel flex flex-col gap-1 p-4" data-testid="imported">
        <p class="text-lg font-medium">{plural("import.created", created)}</p>
        {failed > 0 && <p class="text-error">{plural("import.failed", failed)}</p>}
      </div>
      {created > 0 && (
        <div class="flex flex-col gap-2">
          <div class="flex flex-wrap gap-2">
            <Button icon={Download} class="btn btn-primary" onClick={() => saveTokens(rows)}>
              {t("import.tokens")}
            </Button>
            <a class="btn" href="/devices?sort=-createdAt">
              {t("import.toDevices")}
            </a>
            <button type="button" class="btn btn-ghost" onClick={onOther}>
              {t("import.other")}
            </button>
            {undo.button}
          </div>
          <p class="text-sm text-soft">{t("import.tokensHint")}</p>
          {undo.outcome}
        </div>
      )}
      {refused.length > 0 && <RowTable count={refused.length} rowAt={rowAt} label={t("common.devices")} />}
      {created === 0 && (
        <button type="button" class="btn self-start" onClick={onOther}>
          {t("import.other")}
        </button>
      )}
    </>
  );
}

/** Returns the button that deletes the devices of an import, and the result. Changed or active devices are kept. */
function useImportUndo(rows: readonly ImportedRow[]) {
  const [progress, setProgress] = useState<BulkProgress | undefined>(undefined);
  const [isDone, setDone] = useState(false);
  const ids = rows.flatMap(({ deviceId }) => deviceId ?? []);
  const nameOf = (id: string) => rows.find(({ deviceId }) => deviceId === id)?.name ?? id;
  const run = async () => {
    const watch = { onProgress: setProgress, isStopped: () => false };
    setProgress(await runBulk(ids, deviceBulkApi.deleteUntouched, watch));
    setDone(true);
  };
  const button = (
    <>
      {progress === undefined && (
        <Button
          icon={Undo2}
          class="btn btn-ghost"
          onClick={() =>
            ask({
              title: t("import.undo"),
              warning: plural("import.undoWarning", ids.length),
              action: plural("bulk.deleteGo", ids.length),
              onConfirm: run,
            })
          }
        >
          {t("import.undo")}
        </Button>
      )}
    </>
  );
  const outcome =
    progress &&
    (isDone ? <BulkOutcome progress={progress} nameOf={nameOf} /> : <BulkProgressBar progress={progress} />);
  return { button, outcome };
}
