import { Factory } from "lucide-preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { type DemoPlantStatus, demoPlantApi } from "./demo-plant-api.ts";

/** Starts the simulated factory and opens its dashboard. */
export function useDemoPlant() {
  const { route } = useLocation();
  const action = useAction();
  const start = () =>
    action.run(async () => {
      const { dashboardId } = await demoPlantApi.start();
      route(`/dashboards/${dashboardId}`);
    });
  return { start, busy: action.busy, error: action.error };
}

export function StartDemoPlant() {
  const demo = useDemoPlant();
  return (
    <>
      <Button
        icon={Factory}
        class="btn self-start"
        onClick={demo.start}
        disabled={demo.busy || !mayWrite.value}
      >
        {t("setup.demo")}
      </Button>
      <ErrorNote error={demo.error} />
    </>
  );
}

const HISTORY_MS = 1_000;

/** Note about the demo plant, if there is one: its purpose and how to end it. */
export function DemoPlantNote() {
  const loaded = useResource(demoPlantApi.status, []);
  const action = useAction();
  const demo = useDemoPlant();
  const status = loaded.data;
  const isFilling = status !== undefined && status.state !== "none" && status.progress < 1;
  useEffect(() => {
    if (!isFilling) return;
    const timer = setTimeout(loaded.reload, HISTORY_MS);
    return () => clearTimeout(timer);
  }, [status]);
  if (status === undefined || status.state === "none" || !mayWrite.value) return null;
  const stop = () => action.run(async () => loaded.set(await demoPlantApi.stop()));
  return (
    <section class="panel flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3" aria-label={t("demo.title")}>
      <Factory size={18} class="flex-none text-soft" aria-hidden="true" />
      <p class="min-w-48 flex-1 text-sm">
        {statusText(status)}{" "}
        <a class="link" href={`/dashboards/${status.dashboardId}`}>
          {t("demo.open")}
        </a>
      </p>
      {status.state === "running" ? (
        <button type="button" class="btn btn-sm" onClick={stop} disabled={action.busy}>
          {t("demo.stop")}
        </button>
      ) : (
        <button type="button" class="btn btn-sm" onClick={demo.start} disabled={demo.busy}>
          {t("setup.demo")}
        </button>
      )}
      <button
        type="button"
        class="btn btn-ghost btn-sm text-error"
        onClick={() =>
          ask({
            title: t("demo.remove"),
            warning: t("demo.removeWarning"),
            action: t("demo.remove"),
            onConfirm: async () => {
              await demoPlantApi.remove();
              loaded.reload();
            },
          })
        }
      >
        {t("demo.remove")}
      </button>
      <ErrorNote error={action.error} />
    </section>
  );
}

function statusText({ state, progress, deviceCount }: DemoPlantStatus): string {
  if (state === "stopped") return t("demo.stopped");
  const running = t("demo.running", { count: deviceCount });
  return progress < 1 ? `${running} ${t("demo.history", { percent: Math.round(progress * 100) })}` : running;
}
