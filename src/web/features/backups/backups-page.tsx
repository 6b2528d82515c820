import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { usePages, useResource } from "../../platform/resource.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { BackupSettingsForm } from "./backup-settings-form.tsx";
import { BackupState } from "./backup-state.tsx";
import { type BackupSettings, backupsApi } from "./backups-api.ts";
import { RunList } from "./run-list.tsx";
import { SnapshotList } from "./snapshot-list.tsx";

const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** Returns the command lines that restore the newest backup from a place. Secrets are placeholders. */
export function restoreCommands({
  place,
  isEncrypted,
}: Pick<BackupSettings, "place" | "isEncrypted">): string {
  const lines: string[] = [];
  if (place?.kind === "s3") lines.push(`export AWS_ACCESS_KEY_ID=${quote(place.accessKeyId)}`);
  if (place?.kind === "s3") lines.push("read -rs AWS_SECRET_ACCESS_KEY && export AWS_SECRET_ACCESS_KEY");
  if (isEncrypted) lines.push("read -rs LINESIDE_BACKUP_PASSPHRASE && export LINESIDE_BACKUP_PASSPHRASE");
  const from =
    place?.kind === "s3"
      ? `${quote(`s3://${place.bucket}/${place.prefix}`)} --endpoint ${quote(place.endpoint)} --region ${quote(place.region)}`
      : quote(place?.path ?? "/media/usb/backups");
  lines.push(`lineside restore --from ${from}`);
  return lines.join("\n");
}

const RUNNING_POLL_MS = 1_000;
const IDLE_POLL_MS = 15_000;
const RUNS_SHOWN = 10;

/** Backups of the whole gateway: state, settings and existing backups. */
export function BackupsPage() {
  const settings = useResource(backupsApi.settings, []);
  const runs = usePages(backupsApi.runs, [], RUNS_SHOWN);
  /** Increases with every saved form, because the place may have changed. */
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

function RestoreNote({ settings }: { settings: BackupSettings }) {
  const commands = restoreCommands(settings);
  return (
    <Section id="backup-restore" title={t("backups.restore")} hint={t("backups.restoreHint")}>
      <pre class="reading rounded-field bg-base-200 p-3 text-sm break-words whitespace-pre-wrap">
        {commands}
      </pre>
      <div>
        <CopyButton text={commands} label={t("backups.restoreCopy")} />
      </div>
      <p class="text-sm text-soft">{t("backups.restoreNote")}</p>
    </Section>
  );
}
