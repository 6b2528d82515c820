import { CircleCheck, FolderArchive, ShieldCheck, Trash2, TriangleAlert } from "lucide-preact";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatBytes, formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { askReadiness } from "../../platform/readiness.ts";
import { useKept } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { type DataCheck, systemApi } from "./system-api.ts";

const POLL_MS = 1_000;

/** Known damage of the data files, their newest check, and the support bundle. */
export function DataFiles() {
  const resource = useKept(systemApi.check, []);
  const action = useAction();
  const isRunning = resource.data?.startedAt !== undefined && resource.data.finishedAt === undefined;
  useRefresh(resource.reload, isRunning ? POLL_MS : undefined);
  const start = () =>
    action.run(async () => {
      await systemApi.startCheck();
      resource.reload();
    });
  return (
    <Section id="system-files" title={t("system.files")} hint={t("system.filesHint")}>
      <Loaded of={resource}>
        {(check) => (
          <>
            <CheckResult check={check} isRunning={isRunning} />
            {check.losses.length > 0 && <Losses losses={check.losses} onDone={resource.set} />}
            {check.unknownDevices > 0 && (
              <UnknownDevices count={check.unknownDevices} onDone={resource.set} />
            )}
          </>
        )}
      </Loaded>
      <ErrorNote error={action.error} />
      <div class="flex flex-wrap gap-2">
        <Button icon={ShieldCheck} size={14} disabled={action.busy || isRunning} onClick={start}>
          {t(isRunning ? "system.checking" : "system.check")}
        </Button>
        <BundleButton />
      </div>
    </Section>
  );
}

function CheckResult({ check, isRunning }: { check: DataCheck; isRunning: boolean }) {
  const { damage, failure, databases, lastCompletedAt } = check;
  const date = formatDate(toMs(lastCompletedAt) ?? 0, "zoned");
  return (
    <div class="flex flex-col gap-2" role="status">
      {damage.length > 0 && <Damage lines={damage} />}
      {failure !== undefined && (
        <p class="flex items-start gap-2 wrap-anywhere">
          <TriangleAlert size={18} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
          {t("system.checkFailed", { reason: failure })}
        </p>
      )}
      {lastCompletedAt !== undefined && damage.length === 0 && (
        <p class="flex items-center gap-2">
          <CircleCheck size={18} class="flex-none text-success" aria-hidden="true" />
          {t("system.filesWhole", { date })}
        </p>
      )}
      {databases && (
        <p class="text-sm text-soft">
          {databases.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(" · ")}
        </p>
      )}
      {lastCompletedAt === undefined && !isRunning && failure === undefined && (
        <p class="text-soft">{t("system.notChecked")}</p>
      )}
    </div>
  );
}

const Damage = ({ lines }: { lines: readonly string[] }) => (
  <div class="flex items-start gap-2">
    <TriangleAlert size={18} class="mt-0.5 flex-none text-error" aria-hidden="true" />
    <div class="min-w-0">
      <p>
        <strong class="text-error">{t("system.damaged")}</strong> {t("system.damagedHint")}
      </p>
      <ul class="reading list-disc pl-5 text-sm wrap-anywhere" lang="en">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  </div>
);

interface WarningProps {
  readonly onDone: (check: DataCheck) => void;
}

function Losses({ losses, onDone }: WarningProps & { losses: DataCheck["losses"] }) {
  const action = useAction();
  const acknowledge = () =>
    action.run(async () => {
      onDone(await systemApi.acknowledgeLosses());
      await askReadiness();
    });
  return (
    <div class="flex flex-col items-start gap-2" role="status">
      <p>
        <strong class="text-error">{t("system.losses")}</strong> {t("system.lossesHint")}
      </p>
      <ul class="reading list-disc pl-5 text-sm wrap-anywhere">
        {losses.map(({ foundAt, message, ...text }) => (
          <li key={message}>
            {formatDate(toMs(foundAt) ?? 0, "zoned")}: {serverText(text, message)}
          </li>
        ))}
      </ul>
      <ErrorNote error={action.error} />
      <Button icon={CircleCheck} size={14} disabled={action.busy} onClick={acknowledge}>
        {t("system.acknowledgeLosses")}
      </Button>
    </div>
  );
}

/** Telemetry of devices that are missing from the device table. */
function UnknownDevices({ count, onDone }: WarningProps & { count: number }) {
  const remove = async () => {
    onDone(await systemApi.deleteUnknownTelemetry());
    await askReadiness();
  };
  return (
    <div class="flex flex-col items-start gap-2" role="status">
      <p>{t("system.unknownDevices", { count })}</p>
      <Button
        icon={Trash2}
        size={14}
        onClick={() =>
          ask({
            title: t("system.deleteUnknown"),
            warning: t("system.deleteUnknownHint", { count }),
            action: t("system.deleteUnknown"),
            onConfirm: remove,
          })
        }
      >
        {t("system.deleteUnknown")}
      </Button>
    </div>
  );
}

function BundleButton() {
  const action = useAction();
  const download = () =>
    action.run(async () => {
      saveFile(await systemApi.supportBundle(), "lineside-support.tar.gz");
      toast("success", t("system.bundleSaved"));
    });
  return (
    <>
      <Button icon={FolderArchive} size={14} disabled={action.busy} onClick={download}>
        {t("system.bundle")}
      </Button>
      <ErrorNote error={action.error} />
    </>
  );
}
