import { Check } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept } from "../../platform/resource.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Age } from "../../ui/state/age.tsx";
import { type Alarm, alarmMessage, alarmsApi } from "./alarms-api.ts";
import { SeverityWord } from "./severity.tsx";

const SHOWN = 5;

/** Loads the first open alarms: unacknowledged alarms first, then by severity. */
async function loadOpen(of: {
  readonly deviceId?: string | undefined;
  readonly gatewayId?: string | undefined;
}) {
  const [waiting, others] = await Promise.all(
    ["ACTIVE_UNACK", "ACTIVE_ACK"].map((status) =>
      alarmsApi.list({ ...of, status, sort: "-severity", limit: SHOWN }),
    ),
  );
  const lists = [waiting, others].flatMap((list) => list ?? []);
  return {
    rows: lists.flatMap(({ rows }) => rows).slice(0, SHOWN),
    total: lists.reduce((sum, { total }) => sum + total, 0),
  };
}

/** List of open alarms of the site or of a single device; for a gateway including its children. `detail` is beside their number. */
export function OpenAlarms(props: { deviceId?: string; isGateway?: boolean; detail?: ComponentChildren }) {
  const { deviceId, isGateway = false, detail } = props;
  const list = useKept(
    () => loadOpen(isGateway ? { gatewayId: deviceId } : { deviceId }),
    [deviceId, isGateway],
  );
  const reloadSoon = useCoalesced(list.reload);
  useLive(
    { topics: ["alarms"], ...(deviceId !== undefined && !isGateway && { deviceIds: [deviceId] }) },
    (message) => {
      if (message.type === "snapshot" || message.topic === "alarms") reloadSoon();
    },
  );
  return (
    // The height of "none", so that what stands below does not move.
    <Loaded of={list} skeleton={<div class="panel h-14" aria-hidden="true" />}>
      {(alarms) => <AlarmPanel {...alarms} deviceId={deviceId} isGateway={isGateway} detail={detail} />}
    </Loaded>
  );
}

interface PanelProps {
  readonly rows: readonly Alarm[];
  readonly total: number;
  readonly deviceId: string | undefined;
  readonly isGateway: boolean;
  readonly detail: ComponentChildren;
}

function AlarmPanel({ rows, total, deviceId, isGateway, detail }: PanelProps) {
  return (
    <section class="panel" aria-label={t("common.openAlarms")}>
      <div class="flex items-baseline justify-between gap-4 px-4 py-3">
        <div class="flex flex-1 flex-wrap items-baseline gap-x-6 gap-y-1">
          <h2 class="font-semibold">
            {total === 0 ? t("common.noOpenAlarms") : plural("alarms.openCount", total)}
          </h2>
          {total === 0 && (
            <span class="flex items-center gap-2 text-sm text-soft">
              <Check size={16} aria-hidden="true" />
              {t("alarms.noneOpenHint")}
            </span>
          )}
          {detail}
        </div>
        <a
          class="link link-hover flex-none text-sm"
          href={
            deviceId === undefined
              ? "/alarms"
              : `/alarms?${new URLSearchParams({ [isGateway ? "gateway" : "device"]: deviceId, state: "all" })}`
          }
        >
          {t("alarms.all")}
        </a>
      </div>
      {rows.length > 0 && (
        <ul class="divide-y divide-base-300/60 border-t border-base-300/60">
          {rows.map((alarm) => (
            <li
              key={alarm.alarmId}
              data-testid="open-alarm"
              class="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5"
            >
              <span class="mr-auto w-32 flex-none sm:mr-0">
                <SeverityWord severity={alarm.severity} />
              </span>
              <div class="order-1 min-w-0 basis-full wrap-anywhere sm:order-none sm:flex-1 sm:basis-48">
                <p>
                  <a class="link link-hover font-semibold" href={`/alarms/${alarm.alarmId}`}>
                    {alarm.name}
                  </a>
                  {(deviceId === undefined || isGateway) && ` · ${alarm.deviceName}`}
                </p>
                {alarmMessage(alarm) !== alarm.name && <p class="text-sm text-soft">{alarmMessage(alarm)}</p>}
              </div>
              {alarm.acknowledgedAt !== undefined && (
                <span class="order-2 inline-flex items-center gap-1.5 text-sm text-soft sm:order-none">
                  <Check size={14} aria-hidden="true" />
                  {t("alarmState.acknowledged")}
                </span>
              )}
              <span class="text-sm text-soft">
                <Age ts={toMs(alarm.raisedAt)} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
