import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { DeviceState as State } from "../../../lib/devices/device-state.ts";
import type { DeviceRow, TelemetryValue } from "../../lib/api-types.ts";
import { mainKeys } from "../../lib/main-keys.ts";
import { formatReading, toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { keyName, metadataOf } from "../../platform/key-metadata.ts";
import { useLive } from "../../platform/live.ts";
import { now } from "../../platform/now.ts";
import { redrawOn } from "../../platform/redraw-on.ts";
import { Skeleton } from "../../ui/page/loaded.tsx";
import { Age } from "../../ui/state/age.tsx";
import { DeviceState } from "../alarms/device-state.tsx";
import { nameOf } from "../devices/device-names.ts";
import { type SitePulse, stableList } from "./site-pulse.ts";

type Values = Readonly<Record<string, TelemetryValue>>;

/** Follows the newest values of devices. A component that reads it is rendered again, as with the clock. */
function useNewestValues(deviceIds: readonly string[]): ReadonlyMap<string, Values> {
  const newest = useRef(new Map<string, Values>()).current;
  const take = ({ deviceId, values }: { deviceId: string; values: Values }) =>
    newest.set(deviceId, { ...newest.get(deviceId), ...values });
  const topics = deviceIds.length > 0 ? { topics: ["telemetry" as const], deviceIds } : undefined;
  useLive(topics, (message) => {
    if (message.type === "snapshot") message.telemetry.forEach(take);
    else if (message.topic === "telemetry") take(message);
  });
  return newest;
}

const SHOWN = 8;
const VALUES_SHOWN = 3;
/** Age from which a row shows the age of its newest values. */
const OLD_MS = 60_000;

function DeviceLink(props: { deviceId: string; name: string; state: State; ts: number | undefined }) {
  return (
    <li class="border-t border-base-300">
      <a class="flex items-center gap-3 px-4 py-2.5 hover:bg-base-200" href={`/devices/${props.deviceId}`}>
        <DeviceState deviceId={props.deviceId} state={props.state} bare />
        <span class="min-w-0 flex-1 truncate font-medium">{props.name}</span>
        <span class="reading flex-none text-sm text-soft">
          <Age ts={props.ts} />
        </span>
      </a>
    </li>
  );
}

function ListPanel(props: { title: string; more: string; href: string; children: ComponentChildren }) {
  return (
    <section class="panel min-w-0">
      <div class="flex items-center justify-between gap-3 px-4 pt-4 pb-2">
        <h2 class="panel-label">{props.title}</h2>
        <a class="link link-hover flex-none text-sm" href={props.href}>
          {props.more}
        </a>
      </div>
      {props.children}
    </section>
  );
}

/** Most recently active devices with their newest values. */
export function RecentDevices(props: {
  pulse: SitePulse;
  isSiteKnown: boolean;
  /** Known states. A device that sends is active. */
  states: ReadonlyMap<string, State>;
}) {
  const { pulse, isSiteKnown, states } = props;
  redrawOn(now); // messages only fill the list, which is drawn once a second
  const shown = useRef<readonly string[]>([]);
  shown.current = stableList(shown.current, pulse.recent(SHOWN), {
    newestOf: (deviceId) => pulse.newest.get(deviceId),
    nameOf,
  });
  const newest = useNewestValues(shown.current);
  return (
    <ListPanel
      title={t("overview.recent")}
      more={t("common.allDevices")}
      href="/devices?sort=-lastActivityAt"
    >
      {shown.current.length === 0 && (
        <div class="px-4 pb-4 text-soft">{isSiteKnown ? t("overview.recentNone") : <Skeleton />}</div>
      )}
      <ul>
        {shown.current.map((deviceId) => (
          <RecentDevice
            key={deviceId}
            deviceId={deviceId}
            ts={pulse.newest.get(deviceId) ?? 0}
            values={newest.get(deviceId) ?? {}}
            state={states.get(deviceId) ?? "ACTIVE"}
          />
        ))}
      </ul>
    </ListPanel>
  );
}

function RecentDevice(props: { deviceId: string; ts: number; values: Values; state: State }) {
  const { deviceId, ts, values, state } = props;
  const isOld = now.value - ts >= OLD_MS;
  const keys = mainKeys(values, (key) => metadataOf(deviceId, key), VALUES_SHOWN);
  return (
    <li class="border-t border-base-300">
      <a
        class="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 hover:bg-base-200"
        href={`/devices/${deviceId}`}
      >
        <DeviceState deviceId={deviceId} state={state} bare />
        <span class="min-w-0 flex-1 truncate font-medium sm:max-w-56">{nameOf(deviceId)}</span>
        {isOld && (
          <span class="reading flex-none text-sm text-soft sm:order-last">
            <Age ts={ts} />
          </span>
        )}
        <span class="grid min-w-0 flex-1 basis-full grid-cols-3 gap-x-4 pl-5 sm:basis-0 sm:pl-0">
          {keys.map((key) => (
            <span key={key} class="flex min-w-0 flex-col xl:flex-row xl:items-baseline xl:gap-2">
              <span class="truncate text-sm text-soft">{keyName(deviceId, key)}</span>
              <span class="reading truncate text-sm">
                {formatReading(values[key], metadataOf(deviceId, key))}
              </span>
            </span>
          ))}
        </span>
      </a>
    </li>
  );
}

/** Devices that do not report, most recently silent first. */
export function SilentDevices({ rows }: { rows: readonly DeviceRow[] }) {
  return (
    <ListPanel
      title={t("overview.silent")}
      more={t("overview.allSilent")}
      href="/devices?state=inactive&sort=-lastActivityAt"
    >
      <ul class="max-lg:[&>:nth-child(n+5)]:hidden lg:grid lg:grid-cols-2">
        {rows.map((row) => (
          <DeviceLink
            key={row.deviceId}
            deviceId={row.deviceId}
            name={row.name}
            state={row.state}
            ts={toMs(row.lastActivityAt)}
          />
        ))}
      </ul>
    </ListPanel>
  );
}
