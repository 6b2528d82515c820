import { LayoutDashboard, Plus, Star, Trash2, Upload } from "lucide-preact";
import { useRef } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { useCreateDialog } from "../../platform/use-create-dialog.ts";
import { useUrlFilter } from "../../platform/use-url-filter.ts";
import { Button } from "../../ui/button.tsx";
import { confirmDelete } from "../../ui/confirmation.tsx";
import { FilterSelect } from "../../ui/form/filter-select.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { errorText } from "../../ui/page/error-text.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { Age } from "../../ui/state/age.tsx";
import { boardOf, layoutIn } from "./board/board.ts";
import { BoardPage } from "./board/board-page.tsx";
import { COLUMNS } from "./board/grid.ts";
import { type Dashboard, dashboardsApi } from "./dashboards-api.ts";
import { NewDashboard } from "./new-dashboard.tsx";
import { WallPage } from "./wall/wall.tsx";

export function DashboardsScreen() {
  const { dashboardId } = useRoute().params;
  const isWall = useLocation().query.wall === "1";
  if (!dashboardId) return <DashboardsPage />;
  return isWall ? (
    <WallPage key={dashboardId} dashboardId={dashboardId} />
  ) : (
    <BoardPage key={dashboardId} dashboardId={dashboardId} />
  );
}

function DashboardsPage() {
  const { route } = useLocation();
  const {
    filter: { search, tag },
    set,
  } = useUrlFilter(["search", "tag"]);
  const creating = useCreateDialog();
  const list = useKept(() => dashboardsApi.list(search), [search]);
  const choices = useResource(dashboardsApi.choices, []);
  const favorites = new Set(choices.data?.favorites);
  const used = list.data?.flatMap((dashboard) => dashboard.tags ?? []) ?? [];
  // The selected tag may no longer exist, but users must be able to deselect it.
  const tags = [...new Set(tag === "" ? used : [...used, tag])].sort();
  const shown = list.data
    ?.filter((dashboard) => tag === "" || dashboard.tags?.includes(tag))
    .sort((a, b) => Number(favorites.has(b.id)) - Number(favorites.has(a.id)));
  const choose = async ({ id }: Dashboard) => {
    try {
      choices.set(await dashboardsApi.choose(id, { isFavorite: !favorites.has(id) }));
    } catch (error) {
      toast("error", errorText(error));
    }
  };
  const mayWrite = may("dashboards:write");
  const create = mayWrite && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={creating.open}>
      {t("dashboards.create")}
    </Button>
  );
  return (
    <Page>
      <ResourceList
        title={t("nav.dashboards")}
        list={{ ...list, data: shown }}
        isFiltered={tag !== ""}
        notes={<Loaded of={choices} skeleton={null} />}
        filters={
          tags.length > 0 && (
            <FilterSelect
              label={t("dashboards.tags")}
              all={t("dashboards.allTags")}
              value={tag}
              options={tags.map((id) => ({ id, text: id }))}
              onSelect={(id) => set({ tag: id })}
            />
          )
        }
        search={search}
        searchLabel={t("dashboards.search")}
        icon={LayoutDashboard}
        none={[t("dashboards.none"), t("dashboards.noneHint")]}
        noMatch={[t("dashboards.noMatch"), t("dashboards.noMatchHint")]}
        actions={mayWrite && <ImportButton />}
        create={create}
      >
        {(dashboard) => (
          <DashboardRow
            key={dashboard.id}
            dashboard={dashboard}
            isFavorite={favorites.has(dashboard.id)}
            onFavorite={() => choose(dashboard)}
            onDeleted={mayWrite ? list.reload : undefined}
          />
        )}
      </ResourceList>
      {creating.isOpen && (
        <NewDashboard
          onClose={(dashboard) => {
            creating.close();
            if (dashboard)
              route(`/dashboards/${dashboard.id}${dashboard.widgets.length === 0 ? "?edit=1" : ""}`);
          }}
        />
      )}
    </Page>
  );
}

function DashboardRow(props: {
  dashboard: Dashboard;
  isFavorite: boolean;
  onFavorite: () => void;
  onDeleted: (() => void) | undefined;
}) {
  const { dashboard, isFavorite, onDeleted } = props;
  return (
    <li class="relative flex items-center gap-4 px-4 py-3 hover:bg-base-200">
      <BoardPicture dashboard={dashboard} />
      <div class="min-w-0 flex-1">
        <a
          class="font-medium wrap-anywhere after:absolute after:inset-0"
          href={`/dashboards/${dashboard.id}`}
        >
          {dashboard.name}
        </a>
        <p class="text-sm text-soft">
          {plural("dashboards.widgets", dashboard.widgets.length)} · {t("dashboards.changed")}{" "}
          <Age ts={toMs(dashboard.updatedAt)} />
          {dashboard.tags?.map((tag) => (
            <span key={tag} class="badge badge-sm ml-2">
              {tag}
            </span>
          ))}
        </p>
      </div>
      <IconButton
        icon={Star}
        label={t("dashboards.favorite", { name: dashboard.name })}
        class={`btn btn-ghost btn-square btn-sm relative z-1 ${isFavorite ? "text-warning [&>svg]:fill-current" : "text-soft"}`}
        aria-pressed={isFavorite}
        onClick={props.onFavorite}
      />
      {onDeleted && (
        <IconButton
          icon={Trash2}
          label={t("common.deleteName", { name: dashboard.name })}
          class="btn btn-ghost btn-square btn-sm relative z-1 text-soft hover:text-error"
          onClick={() =>
            confirmDelete({
              name: dashboard.name,
              title: t("dashboards.delete"),
              warning: t("dashboards.deleteWarning", { name: dashboard.name }),
              onDelete: () => dashboardsApi.delete(dashboard.id),
              onDeleted,
            })
          }
        />
      )}
    </li>
  );
}

function BoardPicture({ dashboard }: { dashboard: Dashboard }) {
  const board = boardOf(dashboard);
  const layout = layoutIn(board, board.states[0]?.id ?? "default");
  const rows = Math.max(6, ...layout.map(({ y, h }) => y + h));
  return (
    <svg
      viewBox={`0 0 ${COLUMNS} ${rows}`}
      preserveAspectRatio="none"
      class="h-14 w-24 flex-none rounded-field border border-base-300 bg-base-200 p-1"
      aria-hidden="true"
    >
      {layout.map(({ i, x, y, w, h }) => (
        <rect
          key={i}
          x={x + 0.15}
          y={y + 0.15}
          width={w - 0.3}
          height={h - 0.3}
          class={w * h > 20 ? "fill-primary/50" : "fill-base-content/25"}
        />
      ))}
    </svg>
  );
}

function ImportButton() {
  const { route } = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File) => {
    try {
      const dashboard = await dashboardsApi.import(JSON.parse(await file.text()));
      toast("success", t("dashboards.imported", { name: dashboard.name }));
      route(`/dashboards/${dashboard.id}`);
    } catch (error) {
      toast("error", error instanceof SyntaxError ? t("dashboards.importNoJson") : errorText(error));
    }
  };
  return (
    <>
      <Button icon={Upload} class="btn btn-ghost btn-sm" onClick={() => input.current?.click()}>
        {t("common.import")}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        class="hidden"
        aria-label={t("common.import")}
        onChange={(e) => {
          const [file] = e.currentTarget.files ?? [];
          if (file) take(file);
          e.currentTarget.value = "";
        }}
      />
    </>
  );
}
