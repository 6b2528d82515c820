import { Archive, Download } from "lucide-preact";
import { withBase } from "../../platform/base.ts";
import { formatBytes, formatDate, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { usePages } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { saveLink } from "../../ui/save-file.ts";
import { type BackupSnapshot, backupsApi } from "./backups-api.ts";

const PAGE_SIZE = 20;

/** Backups at the place, newest first. */
export function SnapshotList() {
  const list = usePages(backupsApi.snapshots, [], PAGE_SIZE);
  return (
    <section class="flex flex-col gap-3" aria-labelledby="backup-snapshots">
      <h2 id="backup-snapshots" class="font-semibold">
        {t("backups.snapshots")}
      </h2>
      <ResourceList
        title={t("backups.snapshots")}
        isWithin
        list={list}
        icon={Archive}
        none={[t("backups.noSnapshots"), t("backups.noSnapshotsHint")]}
        moreText={t("backups.more")}
      >
        {(snapshot) => <SnapshotRow key={snapshot.id} snapshot={snapshot} />}
      </ResourceList>
    </section>
  );
}

function SnapshotRow({ snapshot }: { snapshot: BackupSnapshot }) {
  const action = useAction();
  const { id, createdAt, version, bytes, addedBytes, isGood } = snapshot;
  const date = formatDate(toMs(createdAt) ?? 0, "zoned");
  const download = () =>
    action.run(async () => {
      // The browser saves it as it comes: an archive may be larger than the page's memory.
      saveLink(withBase(await backupsApi.downloadPath(id)));
      toast("success", t("backups.downloading"));
    });
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <div class="min-w-0 flex-[1_1_16rem]">
        <p>
          <time dateTime={createdAt}>{date}</time>
        </p>
        <p class="reading text-sm text-soft wrap-anywhere">{id}</p>
        {!isGood && <p class="text-sm text-error">{t("backups.damaged")}</p>}
      </div>
      <p class="text-sm text-soft">
        {t("backups.size", { size: formatBytes(bytes), added: formatBytes(addedBytes) })}
        <span class="block">{t("backups.version", { version })}</span>
      </p>
      <button
        type="button"
        class="btn btn-sm"
        disabled={action.busy}
        aria-label={t("backups.downloadOf", { date })}
        onClick={download}
      >
        {action.busy ? (
          <span class="loading loading-spinner loading-xs" aria-hidden="true" />
        ) : (
          <Download size={14} aria-hidden="true" />
        )}
        {t("common.download")}
      </button>
      {action.error !== undefined && (
        <div class="w-full">
          <ErrorNote error={action.error} />
        </div>
      )}
    </li>
  );
}
