import { Undo2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { BulkOutcome, BulkProgressBar } from "../device-bulk/bulk-outcome.tsx";
import { type BulkProgress, runBulk } from "../device-bulk/bulk-run.ts";
import { deviceBulkApi } from "../device-bulk/device-bulk-api.ts";
import type { ImportedRow } from "./bulk-api.ts";

/** Returns the button that deletes the devices of an import, and the outcome. Devices that were changed or active are kept. */
export function useImportUndo(rows: readonly ImportedRow[]) {
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
