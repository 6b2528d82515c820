import { t } from "../i18n/i18n.ts";
import type { DeviceRow } from "../state/api-types.ts";
import { now } from "../state/now.ts";
import type { SitePulse } from "../state/site-pulse.ts";
import { Age } from "./parts.tsx";

/** Sorted anew once a second, not with every message. */
export function RecentDevices({ rows, pulse }: { rows: readonly DeviceRow[]; pulse: SitePulse }) {
  void now.value;
  const recent = pulse.recent(8);
  const byId = new Map(rows.map((row) => [row.deviceId, row]));
  return (
    <section class="panel">
      <div class="flex items-center justify-between gap-3 px-4 pt-4 pb-2">
        <h2 class="panel-label">{t("overview.recent")}</h2>
        <a class="link text-sm" href="/devices">
          {t("overview.allDevices")}
        </a>
      </div>
      {recent.length === 0 && <p class="px-4 pb-4 text-soft">{t("overview.recentNone")}</p>}
      <ul>
        {recent.map(({ deviceId, ts }) => (
          <li key={deviceId} class="border-t border-base-300">
            <a
              class="flex items-center justify-between gap-4 px-4 py-2.5 hover:bg-base-200"
              href={`/devices/${deviceId}`}
            >
              <span class="min-w-0 truncate font-medium">{byId.get(deviceId)?.name ?? deviceId}</span>
              <span class="reading flex-none text-sm text-soft">
                <Age ts={ts} />
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
