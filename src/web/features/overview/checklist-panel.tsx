import { ArrowRight, CircleCheck, CircleDashed, X } from "lucide-preact";
import { useState } from "preact/hooks";
import type { DeviceRow } from "../../lib/api-types.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { resolveKeys } from "../../platform/key-metadata.ts";
import { readStored, writeStored } from "../../platform/preferences.ts";
import { useResource } from "../../platform/resource.ts";
import { may } from "../../platform/session.ts";
import { Button } from "../../ui/button.tsx";
import { listRules } from "../alarms/alarms-api.ts";
import { backupsApi } from "../backups/backups-api.ts";
import { dashboardsApi } from "../dashboards/dashboards-api.ts";
import { notificationsApi } from "../notifications/notifications-api.ts";

/** First steps of a site, in their usual order. */
const STEPS = ["device", "units", "rule", "dashboard", "mail", "backup"] as const;
type Step = (typeof STEPS)[number];

const HIDDEN = "lineside.checklist";

const hrefs: Readonly<Record<Step, (device: DeviceRow) => string>> = {
  device: ({ deviceId }) => `/devices/${deviceId}/connect`,
  units: ({ profileId }) => `/settings/profiles/${profileId}?view=values`,
  rule: ({ deviceId }) => `/devices/${deviceId}`,
  dashboard: () => "/dashboards",
  mail: () => "/settings/notifications/mail-server",
  backup: () => "/settings/backups",
};

const hasConnected = ({ state }: DeviceRow): boolean => state !== "NEVER_CONNECTED";

/** Returns the state of each step that the signed-in user may do. */
async function loadSteps(devices: readonly DeviceRow[]): Promise<ReadonlyMap<Step, boolean>> {
  const mayManage = may("gateway:manage");
  const [named, rules, dashboards, mail, backups] = await Promise.all([
    resolveKeys(devices.map(({ deviceId }) => deviceId)),
    listRules(""),
    dashboardsApi.list(),
    mayManage ? notificationsApi.settings() : undefined,
    mayManage ? backupsApi.settings() : undefined,
  ]);
  const used = new Set(devices.map(({ profileId }) => profileId));
  const steps: readonly (readonly [Step, boolean | undefined])[] = [
    ["device", devices.some(hasConnected)],
    ["units", named.profiles.some(({ keyMetadata }) => keyMetadata.length > 0)],
    ["rule", rules.some(({ profileId }) => used.has(profileId))],
    ["dashboard", dashboards.length > 0],
    ["mail", mail?.mailDelivering],
    ["backup", backups && backups.place !== null],
  ];
  return new Map(steps.flatMap(([step, isDone]) => (isDone === undefined ? [] : [[step, isDone] as const])));
}

/** First steps of a small site, until they are done or the list is closed. `devices` are all devices except that of the gateway. */
export function Checklist({ devices }: { devices: readonly DeviceRow[] }) {
  const [isHidden, setHidden] = useState(readStored(HIDDEN) !== undefined);
  const ids = devices.map(({ deviceId, state }) => `${deviceId} ${state}`).join("\n");
  const steps = useResource(() => loadSteps(devices), [ids]).data;
  const device = devices.find(hasConnected) ?? devices[0];
  if (isHidden || steps === undefined || device === undefined) return null;
  const done = steps.values().filter(Boolean).toArray().length;
  if (done === steps.size) return null;
  const close = () => {
    writeStored(HIDDEN, "1");
    setHidden(true);
  };
  return (
    <section class="panel" aria-labelledby="checklist">
      <div class="flex items-center justify-between gap-4 px-4 py-3">
        <h2 id="checklist" class="font-semibold">
          {t("checklist.title", { done, total: steps.size })}
        </h2>
        <Button icon={X} size={14} class="btn btn-ghost btn-sm" onClick={close}>
          {t("checklist.hide")}
        </Button>
      </div>
      <ul class="grid border-t border-base-300/60 sm:grid-cols-2 lg:grid-cols-3">
        {[...steps].map(([step, isDone]) => (
          <li key={step} class="flex min-w-0 items-start gap-3 px-4 py-2.5">
            {isDone ? (
              <CircleCheck size={18} class="mt-0.5 flex-none text-success" aria-hidden="true" />
            ) : (
              <CircleDashed size={18} class="mt-0.5 flex-none text-soft" aria-hidden="true" />
            )}
            <span class="min-w-0">
              {isDone ? (
                <>
                  <span class="text-soft">{t(`checklist.${step}`)}</span>
                  <span class="sr-only"> {t("checklist.done")}</span>
                </>
              ) : (
                <a
                  class="inline-flex items-center gap-1 font-medium hover:underline"
                  href={hrefs[step](device)}
                >
                  {t(`checklist.${step}`)}
                  <ArrowRight size={14} class="flex-none" aria-hidden="true" />
                </a>
              )}
              {!isDone && <span class="block text-sm text-soft">{t(`checklist.${step}Hint`)}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
