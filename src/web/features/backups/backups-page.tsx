import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { BackupSettingsForm } from "./backup-settings-form.tsx";
import { BackupState } from "./backup-state.tsx";
import { backupsApi } from "./backups-api.ts";
import { RestoreNote } from "./restore-note.tsx";
import { RunList } from "./run-list.tsx";
import { SnapshotList } from "./snapshot-list.tsx";

const RUNNING_POLL_MS = 1_000;
const IDLE_POLL_MS = 15_000;
const RUNS_SHOWN = 10;

/** Backups of the whole gateway: their state, where and when they are made, and those that exist. */
export function BackupsPage() {
  const settings = useResource(backupsApi.settings, []);
  const shown = useKept(settings);
  const [runsShown, setRunsShown] = useState(RUNS_SHOWN);
  const runs = useResource(() => backupsApi.runs(runsShown), [runsShown]);
  const shownRuns = useKept(runs);
  /** Rises with every saved form: the place may be another one. */
  const [saves, setSaves] = useState(0);
  const isRunning = shown?.running !== undefined;
  const newestGoodId = shown?.newestGood?.runId;
  const reload = () => {
    settings.reload();
    runs.reload();
  };
  const newestReload = useRef(reload);
  newestReload.current = reload;
  useEffect(() => {
    const work = () => document.visibilityState === "visible" && newestReload.current();
    const timer = setInterval(work, isRunning ? RUNNING_POLL_MS : IDLE_POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  if (settings.error !== undefined && !shown) return <ErrorNote of={settings} />;
  if (!shown) return <p class="text-soft">{t("common.loading")}</p>;
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      <BackupState settings={shown} newestRun={shownRuns?.rows[0]} onStarted={reload} />
      <BackupSettingsForm
        settings={shown}
        onSaved={(saved) => {
          settings.set(saved);
          setSaves(saves + 1);
        }}
      />
      <ErrorNote of={runs} />
      {shownRuns && (shown.place !== null || shownRuns.total > 0) && (
        <RunList runs={shownRuns} onMore={() => setRunsShown(runsShown + RUNS_SHOWN)} />
      )}
      {shown.place !== null && <SnapshotList key={`${saves}-${newestGoodId}`} />}
      <RestoreNote settings={shown} />
    </div>
  );
}
