import { LayoutDashboard, Plus, Trash2, Upload } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { toast } from "../../platform/toasts.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { ErrorNote, errorText } from "../../ui/error-note.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { SearchBox } from "../../ui/search-box.tsx";
import { BoardPage } from "./board-page.tsx";
import { type Dashboard, dashboardsApi } from "./dashboards-api.ts";
import { NewDashboard } from "./new-dashboard.tsx";

/** Dashboards: all of them, or one. */
export function DashboardsScreen() {
  const { dashboardId } = useRoute().params;
  return dashboardId ? <BoardPage key={dashboardId} dashboardId={dashboardId} /> : <DashboardsPage />;
}

function DashboardsPage() {
  const { path, query, route } = useLocation();
  const search = query.search ?? "";
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Dashboard | undefined>(undefined);
  useEffect(() => {
    if (query.create) setCreating(true);
  }, [query.create]);
  const list = useResource(() => dashboardsApi.list(search), [search]);
  const dashboards = useKept(list);
  const isEmpty = dashboards?.length === 0;
  const mayWrite = may("dashboards:write");
  const create = mayWrite && (
    <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
      {t("dashboards.create")}
    </Button>
  );
  return (
    <div class="mx-auto flex min-h-full max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      <PageHead title={t("nav.dashboards")}>
        {mayWrite && <ImportButton />}
        {(!isEmpty || search !== "") && create}
      </PageHead>
      {(search !== "" || !isEmpty) && (
        <SearchBox
          label={t("dashboards.search")}
          value={search}
          onSearch={(text) => route(text ? `${path}?search=${encodeURIComponent(text)}` : path, true)}
        />
      )}
      {list.error !== undefined && <ErrorNote error={list.error} onRetry={list.reload} />}
      {isEmpty && (
        <div class="panel">
          <Empty
            icon={<LayoutDashboard size={32} aria-hidden="true" />}
            title={t(search === "" ? "dashboards.none" : "dashboards.noMatch")}
            hint={t(search === "" ? "dashboards.noneHint" : "dashboards.noMatchHint")}
          >
            {search === "" && create}
          </Empty>
        </div>
      )}
      {dashboards && !isEmpty && (
        <ul class="panel divide-y divide-base-300/60" aria-label={t("nav.dashboards")}>
          {dashboards.map((dashboard) => (
            <li key={dashboard.id} class="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 py-3">
              <a
                class="link link-hover min-w-0 flex-[2_1_16rem] font-medium wrap-anywhere"
                href={`/dashboards/${dashboard.id}`}
              >
                {dashboard.name}
              </a>
              <span class="flex-[1_1_8rem] text-sm text-soft">
                {plural("dashboards.widgets", dashboard.widgets.length)}
              </span>
              <span class="flex-[1_1_8rem] text-sm text-soft">
                <Age ts={toMs(dashboard.updatedAt)} />
              </span>
              {mayWrite && (
                <IconButton
                  icon={Trash2}
                  label={t("dashboards.deleteOf", { name: dashboard.name })}
                  class="btn btn-ghost btn-square btn-sm text-error"
                  onClick={() => setDeleting(dashboard)}
                />
              )}
            </li>
          ))}
        </ul>
      )}
      {creating && (
        <NewDashboard
          onClose={(made) => {
            setCreating(false);
            if (query.create) route(path, true);
            if (made) route(`/dashboards/${made.id}${made.widgets.length === 0 ? "?edit=1" : ""}`);
          }}
        />
      )}
      {deleting && (
        <ConfirmDialog
          title={t("dashboards.delete")}
          warning={t("dashboards.deleteWarning", { name: deleting.name })}
          onCancel={() => setDeleting(undefined)}
          onConfirm={async () => {
            await dashboardsApi.delete(deleting.id);
            toast("success", t("dashboards.deleted", { name: deleting.name }));
            setDeleting(undefined);
            list.reload();
          }}
        />
      )}
    </div>
  );
}

function ImportButton() {
  const { route } = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const take = async (file: File) => {
    try {
      const made = await dashboardsApi.import(JSON.parse(await file.text()));
      toast("success", t("dashboards.imported", { name: made.name }));
      route(`/dashboards/${made.id}`);
    } catch (error) {
      toast("error", error instanceof SyntaxError ? t("dashboards.importNoJson") : errorText(error));
    }
  };
  return (
    <>
      <Button icon={Upload} class="btn btn-ghost btn-sm" onClick={() => input.current?.click()}>
        {t("dashboards.import")}
      </Button>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        class="hidden"
        aria-label={t("dashboards.import")}
        onChange={(e) => {
          const [file] = e.currentTarget.files ?? [];
          if (file) take(file);
          e.currentTarget.value = "";
        }}
      />
    </>
  );
}
