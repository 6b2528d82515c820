import { CloudUpload } from "lucide-preact";
import { useLocation, useRoute } from "preact-iso";
import { durationText } from "../../platform/i18n/duration-text.ts";
import { serverText } from "../../platform/i18n/error-texts.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { useRefresh } from "../../platform/use-refresh.ts";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { CreateLink, DeleteButton } from "../../ui/page/row-buttons.tsx";
import { TARGET_TYPES } from "./target-fields.ts";
import { NewUplinkPage, UplinkPage } from "./uplink-page.tsx";
import { UplinkStateText } from "./uplink-progress.tsx";
import { type Uplink, uplinksApi } from "./uplinks-api.ts";

const REFRESH_MS = 5_000;

/** Targets to which the gateway sends stored data: the list, one, or a new one. */
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
  const list = useKept(() => uplinksApi.list(search), [search]);
  useRefresh(list.reload, REFRESH_MS);
  return (
    <ResourceList
      title={t("nav.uplinks")}
      intro={t("uplinks.intro")}
      list={list}
      search={search}
      searchLabel={t("uplinks.search")}
      countText={(total) => plural("uplinks.count", total)}
      icon={CloudUpload}
      none={[t("uplinks.none"), t("uplinks.noneHint")]}
      noMatch={[t("uplinks.noMatch"), t("common.tryFewerLetters")]}
      create={may("uplinks:write") && <CreateLink href="/uplinks/new">{t("uplinks.create")}</CreateLink>}
    >
      {(uplink) => <Row key={uplink.uplinkId} uplink={uplink} onDeleted={list.reload} />}
    </ResourceList>
  );
}

function Row({ uplink, onDeleted }: { uplink: Uplink; onDeleted: () => void }) {
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
        <DeleteButton
          label={t("common.deleteName", { name })}
          onClick={() =>
            confirmDelete({
              name,
              title: t("uplinks.deleteTitle"),
              warning: t("uplinks.deleteWarning", { name }),
              onDelete: () => uplinksApi.delete(uplinkId),
              onDeleted,
            })
          }
        />
      )}
    </li>
  );
}
