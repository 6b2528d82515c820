import { CircleCheck, RefreshCw, Trash2, TriangleAlert, Upload } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Section } from "../../ui/page/section.tsx";
import { type Update, updateApi } from "./update-api.ts";

const POLL_MS = 2_000;
const toPercent = (share: number) => Math.floor(share * 100);

/** Uploads an update file, installs it, and reports the result. */
export function UpdateSection() {
  const resource = useKept(updateApi.get, []);
  const [isWaiting, setWaiting] = useState(false);
  const isInstalling = isWaiting || resource.data?.isInstalling === true;
  useRefresh(resource.reload, isInstalling ? POLL_MS : undefined);
  // The gateway has forgotten the upload when it is back as one version or the other.
  const isSettled =
    (resource.data?.result !== undefined || resource.data?.isOnProbation === true) &&
    !resource.data.isInstalling &&
    resource.data.upload === undefined;
  useEffect(() => {
    if (isSettled || resource.data?.failure !== undefined) setWaiting(false);
  }, [isSettled, resource.data?.failure]);
  return (
    <Section id="system-update" title={t("update.title")} hint={t("update.hint")}>
      <Loaded of={resource} ignoresErrors={isInstalling}>
        {(update) => (
          <>
            {update.result && !isInstalling && <Result result={update.result} />}
            {update.failure && <Warning text={serverText(update.failure, update.failure.message)} />}
            {update.isOnProbation && !isInstalling && (
              <p role="status">{t("update.probation", { version: update.version })}</p>
            )}
            {isInstalling ? (
              <p class="flex items-center gap-2" role="status">
                <span class="loading loading-spinner loading-sm" aria-hidden="true" />
                {t("update.installing")}
              </p>
            ) : (
              <UpdateFile update={update} onChange={resource.reload} onInstall={() => setWaiting(true)} />
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

const Warning = ({ text }: { text: string }) => (
  <p class="flex items-start gap-2 wrap-anywhere" role="status">
    <TriangleAlert size={18} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
    {text}
  </p>
);

function Result({ result }: { result: NonNullable<Update["result"]> }) {
  const { outcome, from, to, at, reason } = result;
  const text = t(`update.${outcome}`, { from, to, date: formatDate(toMs(at) ?? 0, "zoned") });
  if (outcome !== "UPDATED")
    return <Warning text={reason ? `${text} ${serverText(reason, reason.message)}` : text} />;
  return (
    <p class="flex flex-wrap items-center gap-2" role="status">
      <CircleCheck size={18} class="flex-none text-success" aria-hidden="true" />
      {text}
    </p>
  );
}

interface UploadProps {
  readonly update: Update;
  readonly onChange: () => void;
  readonly onInstall: () => void;
}

function UpdateFile({ update, onChange, onInstall }: UploadProps) {
  const { problem, upload } = update;
  if (problem) return <Warning text={serverText(problem, problem.message)} />;
  const isComplete = upload !== undefined && upload.bytes === upload.totalBytes;
  return isComplete ? (
    <Installation version={upload.version} onChange={onChange} onInstall={onInstall} />
  ) : (
    <FileForm upload={upload} onChange={onChange} />
  );
}

function FileForm({ upload, onChange }: { upload: Update["upload"]; onChange: () => void }) {
  const action = useAction();
  const [file, setFile] = useState<File>();
  const [share, setShare] = useState<number>();
  const send = () =>
    action.run(async () => {
      try {
        if (file !== undefined) await updateApi.upload(file, upload, setShare);
      } finally {
        setShare(undefined);
        onChange();
      }
    });
  return (
    <>
      {upload && share === undefined && (
        <p class="text-sm text-soft">
          {t("update.partial", {
            version: upload.version,
            percent: toPercent(upload.bytes / upload.totalBytes),
          })}
        </p>
      )}
      <div class="flex flex-wrap items-end gap-2">
        <label class="flex w-full flex-col gap-1 text-sm sm:w-auto">
          {t("update.file")}
          <input
            class="file-input w-full"
            type="file"
            accept=".update"
            disabled={action.busy}
            onChange={(event) => setFile(event.currentTarget.files?.[0])}
          />
        </label>
        <Button icon={Upload} size={14} disabled={action.busy || file === undefined} onClick={send}>
          {t("update.upload")}
        </Button>
      </div>
      {share !== undefined && (
        <p class="flex flex-col gap-1 text-sm" role="status">
          <progress class="progress progress-primary" value={share} max={1} aria-hidden="true" />
          {t("update.uploading", { percent: toPercent(share) })}
        </p>
      )}
      <ErrorNote error={action.error} />
    </>
  );
}

function Installation(props: { version: string; onChange: () => void; onInstall: () => void }) {
  const { version, onChange, onInstall } = props;
  const action = useAction();
  const discard = () =>
    action.run(async () => {
      await updateApi.discard();
      onChange();
    });
  const install = async () => {
    await updateApi.install();
    onInstall();
  };
  return (
    <>
      <p class="flex items-center gap-2" role="status">
        <CircleCheck size={18} class="flex-none text-success" aria-hidden="true" />
        {t("update.ready", { version })}
      </p>
      <div class="flex flex-wrap gap-2">
        <Button
          icon={RefreshCw}
          size={14}
          onClick={() =>
            ask({
              title: t("update.confirm", { version }),
              warning: t("update.confirmHint"),
              action: t("update.install"),
              onConfirm: install,
            })
          }
        >
          {t("update.install")}
        </Button>
        <Button icon={Trash2} size={14} disabled={action.busy} onClick={discard}>
          {t("update.discard")}
        </Button>
      </div>
      <ErrorNote error={action.error} />
    </>
  );
}
