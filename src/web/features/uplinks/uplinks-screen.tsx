import { CloudUpload, Plus, Trash2 } from "lucide-preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { TARGET_TYPES } from "./target-fields.ts";
import { NewUplinkPage, UplinkPage } from "./uplink-page.tsx";
import { UplinkStateText } from "./uplink-progress.tsx";
import { type Uplink, uplinksApi } from "./uplinks-api.ts";

const REFRESH_MS = 5_000;

/** Engines to which the gateway sends what it stores: all of them, one, or a new one. */
export function UplinksScreen() {
  const { uplinkId } = useRoute().params;
  return (
    <Page>
      {uplinkId === "new" && <NewUplinkPage />}
      {uplinkId && uplinkId !== "new" && <UplinkPage key={uplinkId} uplinkId={uplinkId} />}
      {!uplinkId && <UplinkList />}
    </Page>
  );
}

function UplinkList() {
  const search = useLocation().query.search ?? "";
  const [deleting, setDeleting] = useState<Uplink | undefined>(undefined);
  const list = useResource(() => uplinksApi.list(search), [search]);
  const uplinks = useKept(list);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && list.reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [search]);
  return (
    <>
      <ListScreen
        title={t("nav.uplinks")}
        intro={t("uplinks.intro")}
        list={list}
        count={uplinks?.rows.length}
        search={search}
        searchLabel={t("uplinks.search")}
        countText={uplinks && plural("uplinks.count", uplinks.total)}
        icon={CloudUpload}
        none={[t("uplinks.none"), t("uplinks.noneHint")]}
        noMatch={[t("uplinks.noMatch"), t("common.tryFewerLetters")]}
        create={
          may("uplinks:write") && (
            <a class="btn btn-primary btn-sm" href="/uplinks/new">
              <Plus size={16} aria-hidden="true" />
              {t("uplinks.create")}
            </a>
          )
        }
      >
        {uplinks?.rows.map((uplink) => (
          <Row key={uplink.uplinkId} uplink={uplink} onDelete={() => setDeleting(uplink)} />
        ))}
      </ListScreen>
      {deleting && (
        <ConfirmDialog
          title={t("uplinks.deleteTitle")}
          warning={t("uplinks.deleteWarning", { name: deleting.name })}
          onCancel={() => setDeleting(undefined)}
          onConfirm={async () => {
            await uplinksApi.delete(deleting.uplinkId);
            toast("success", t("common.nameIsDeleted", { name: deleting.name }));
            setDeleting(undefined);
            list.reload();
          }}
        />
      )}
    </>
  );
}

function Row({ uplink, onDelete }: { uplink: Uplink; onDelete: () => void }) {
  const { uplinkId, name, target, errorText, lagSeconds } = uplink;
  const type = TARGET_TYPES.find((targetType) => targetType === target.type);
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3" data-testid="uplink">
      <div class="min-w-0 flex-[2_1_16rem]">
        <a class="link link-hover font-medium wrap-anywhere" href={`/uplinks/${uplinkId}`}>
          {name}
        </a>
        <p class="text-sm text-soft">{type && t(`uplinkType.${type}`)}</p>
      </div>
      <div class="min-w-0 flex-[1_1_12rem]">
        <UplinkStateText uplink={uplink} />
        {lagSeconds !== null && lagSeconds >= 1 && (
          <p class="text-sm text-soft">
            {t("uplinks.behind", { time: durationText(Math.round(lagSeconds) * 1_000) })}
          </p>
        )}
        {errorText !== null && <p class="text-sm text-warning wrap-anywhere">{serverText(errorText)}</p>}
      </div>
      {may("uplinks:write") && (
        <IconButton
          icon={Trash2}
          label={t("common.deleteName", { name })}
          class="btn btn-ghost btn-sm text-error"
          onClick={onDelete}
        />
      )}
    </li>
  );
}
