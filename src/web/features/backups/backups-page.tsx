import { useState } from "preact/hooks";
import { usePages, useResource } from "../../platform/resource.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Loaded } from "../../ui/loaded.tsx";
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
  const runs = usePages(backupsApi.runs, [], RUNS_SHOWN);
  /** Rises with every saved form: the place may be another one. */
  const [saves, setSaves] = useState(0);
  const reload = () => {
    settings.reload();
    runs.reload();
  };
  useRefresh(reload, settings.data?.running === undefined ? IDLE_POLL_MS : RUNNING_POLL_MS);
  return (
    <div class="flex max-w-3xl flex-col gap-5">
      <Loaded of={settings}>
        {(shown) => (
          <>
            <BackupState settings={shown} newestRun={runs.data?.rows[0]} onStarted={reload} />
            <BackupSettingsForm
              settings={shown}
              onSaved={(saved) => {
                settings.set(saved);
                setSaves(saves + 1);
              }}
            />
            {(shown.place !== null || (runs.data?.total ?? 0) > 0) && <RunList runs={runs} />}
            {shown.place !== null && <SnapshotList key={`${saves}-${shown.newestGood?.runId}`} />}
            <RestoreNote settings={shown} />
          </>
        )}
      </Loaded>
    </div>
  );
}
