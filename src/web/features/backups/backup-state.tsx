import { DatabaseBackup, Play, TriangleAlert } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatBytes, formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { EmptyPanel } from "../../ui/page/empty.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Section } from "../../ui/page/section.tsx";
import { Age } from "../../ui/state/age.tsx";
import { type BackupRun, type BackupSettings, backupsApi } from "./backups-api.ts";

interface Props {
  readonly settings: BackupSettings;
  readonly newestRun: BackupRun | undefined;
  readonly onStarted: () => void;
}

/** Shows whether there is a good backup, and the time of the next one. */
export function BackupState({ settings, newestRun, onStarted }: Props) {
  const action = useAction();
  const start = () =>
    action.run(async () => {
      await backupsApi.run();
      toast("success", t("backups.started"));
      onStarted();
    });
  if (settings.place === null && settings.newestGood === undefined)
    return <EmptyPanel icon={DatabaseBackup} title={t("backups.none")} hint={t("backups.noneHint")} />;
  const { running, place } = settings;
  return (
    <Section id="backup-state" title={t("common.state")}>
      <Problems settings={settings} newestRun={newestRun} />
      <dl class="grid gap-4 sm:grid-cols-2">
        <NewestGood run={settings.newestGood} />
        <Fact label={t("backups.next")}>
          <NextBackup settings={settings} />
        </Fact>
      </dl>
      {running && <Progress share={running.share} />}
      <ErrorNote error={action.error} />
      <div class="flex flex-wrap items-center gap-3">
        <Button
          icon={Play}
          class="btn btn-primary"
          disabled={action.busy || running !== undefined || place === null}
          onClick={start}
        >
          {t("backups.run")}
        </Button>
        {place === null && <p class="text-sm text-soft">{t("backups.saveFirst")}</p>}
      </div>
    </Section>
  );
}

/** Problem that is omitted, because the page shows the reason of the failure. */
const LAST_FAILED = "backup.last_failed";

function Problems({ settings: { problems }, newestRun }: Pick<Props, "settings" | "newestRun">) {
  const failure = newestRun?.state === "FAILED" ? newestRun.error : undefined;
  const texts = [
    ...problems
      .filter(({ code }) => code !== LAST_FAILED)
      .map((problem) => serverText(problem, problem.message)),
    ...(failure ? [t("backups.lastFailed", { reason: serverText(failure, failure.message) })] : []),
  ];
  return texts.map((text) => (
    <p key={text} role="alert" class="flex items-start gap-2 font-medium text-error">
      <TriangleAlert size={18} class="mt-0.5 flex-none" aria-hidden="true" />
      <span class="min-w-0 wrap-anywhere">{text}</span>
    </p>
  ));
}

const Fact = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="min-w-0">
    <dt class="panel-label">{label}</dt>
    <dd class="mt-1">{children}</dd>
  </div>
);

function NewestGood({ run }: { run: BackupRun | undefined }) {
  const startedAt = toMs(run?.startedAt);
  return (
    <Fact label={t("backups.newest")}>
      {run === undefined || startedAt === undefined ? (
        <span class="text-lg text-soft">{t("backups.newestNone")}</span>
      ) : (
        <>
          <span class="text-lg font-medium">
            <Age ts={startedAt} />
          </span>
          <span class="block text-sm text-soft">{formatDate(startedAt, "zoned")}</span>
          <RunSize run={run} />
        </>
      )}
    </Fact>
  );
}

export function RunSize({ run: { bytes, addedBytes } }: { run: BackupRun }) {
  if (bytes === undefined || addedBytes === undefined) return null;
  return (
    <span class="block text-sm text-soft">
      {t("backups.size", { size: formatBytes(bytes), added: formatBytes(addedBytes) })}
    </span>
  );
}

function NextBackup({ settings: { nextAt } }: { settings: BackupSettings }) {
  const time = toMs(nextAt);
  if (time === undefined) return <span class="text-lg text-soft">{t("backups.nextNone")}</span>;
  return (
    <span class="text-lg font-medium">
      {time <= now.value ? t("backups.nextSoon") : formatDate(time, "zoned")}
    </span>
  );
}

function Progress({ share }: { share: number }) {
  const percent = Math.floor(share * 100);
  return (
    <div class="flex flex-col gap-1.5">
      <progress
        class="progress progress-primary w-full"
        value={percent}
        max={100}
        aria-labelledby="backup-progress"
      />
      <p id="backup-progress" class="text-sm" role="status">
        {t("backups.running", { percent })}
      </p>
    </div>
  );
}
