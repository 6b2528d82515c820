import type { ComponentChildren } from "preact";
import type { DeviceRow } from "../../lib/api-types.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { now } from "../../platform/now.ts";
import { Age } from "../../ui/age.tsx";
import { DeviceState } from "../alarms/device-state.tsx";
import { nameOf } from "../devices/device-names.ts";
import type { SitePulse } from "./site-pulse.ts";

const SHOWN = 8;

function DeviceLink(props: { deviceId: string; name: string; active: boolean; ts: number | undefined }) {
  return (
    <li class="border-t border-base-300">
      <a class="flex items-center gap-3 px-4 py-2.5 hover:bg-base-200" href={`/devices/${props.deviceId}`}>
        <DeviceState deviceId={props.deviceId} active={props.active} bare />
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
        <a class="link flex-none text-sm" href={props.href}>
          {props.more}
        </a>
      </div>
      {props.children}
    </section>
  );
}

/** Sorted anew once a second, not with every message. */
export function RecentDevices({ pulse }: { pulse: SitePulse }) {
  void now.value;
  const recent = pulse.recent(SHOWN);
  return (
    <ListPanel
      title={t("overview.recent")}
      more={t("overview.allDevices")}
      href="/devices?sort=-lastActivityAt"
    >
      {recent.length === 0 && <p class="px-4 pb-4 text-soft">{t("overview.recentNone")}</p>}
      <ul>
        {recent.map(({ deviceId, ts }) => (
          <DeviceLink key={deviceId} deviceId={deviceId} name={nameOf(deviceId)} active ts={ts} />
        ))}
      </ul>
    </ListPanel>
  );
}

/** Shows what may be wrong: devices that do not report, those that fell silent last first. */
export function SilentDevices({ rows }: { rows: readonly DeviceRow[] }) {
  return (
    <ListPanel
      title={t("overview.silent")}
      more={t("overview.allSilent")}
      href="/devices?state=inactive&sort=-lastActivityAt"
    >
      <ul>
        {rows.map((row) => (
          <DeviceLink
            key={row.deviceId}
            deviceId={row.deviceId}
            name={row.name}
            active={false}
            ts={toMs(row.lastActivityAt)}
          />
        ))}
      </ul>
    </ListPanel>
  );
}
