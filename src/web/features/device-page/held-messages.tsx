import { Clock } from "lucide-preact";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useKept } from "../../platform/resource.ts";
import { mayWrite } from "../../platform/session.ts";
import { ask } from "../../ui/confirmation.tsx";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { useAction } from "../../ui/use-form.ts";
import { heldApi } from "./held-api.ts";

/** Messages that wait for the gateway's clock, and what can be done with them. Nothing where none waits. */
export function HeldMessages({ deviceId }: { deviceId: string }) {
  const resource = useKept(() => heldApi.get(deviceId), [deviceId]);
  const action = useAction();
  if (resource.error === undefined && (resource.data?.messages ?? 0) === 0) return null;
  const after = async (work: Promise<unknown>) => {
    await work;
    resource.reload();
  };
  return (
    <Loaded of={resource}>
      {({ messages, firstDueAt }) => (
        <section class="panel flex flex-col gap-3 p-4" aria-label={t("held.title")}>
          <p class="flex items-start gap-2">
            <Clock size={18} class="mt-0.5 flex-none text-warning" aria-hidden="true" />
            <span>
              <strong>{plural("held.count", messages)}</strong>{" "}
              {t("held.hint", { firstDueAt: formatDate(toMs(firstDueAt) ?? 0, "zoned") })}
            </span>
          </p>
          <ErrorNote error={action.error} />
          {mayWrite.value && (
            <div class="flex flex-wrap gap-2">
              <button
                type="button"
                class="btn btn-sm"
                disabled={action.busy}
                onClick={() => action.run(() => after(heldApi.store(deviceId)))}
              >
                {t("held.store")}
              </button>
              <button
                type="button"
                class="btn btn-sm"
                onClick={() =>
                  ask({
                    title: t("common.delete"),
                    warning: t("held.deleteWarning"),
                    onConfirm: () => after(heldApi.delete(deviceId)),
                  })
                }
              >
                {t("common.delete")}
              </button>
            </div>
          )}
        </section>
      )}
    </Loaded>
  );
}
