import type { DeviceRow } from "../../lib/api-types.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useKept } from "../../platform/resource.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { DeviceState } from "../alarms/device-state.tsx";
import { devicesApi } from "../devices/devices-api.ts";

const GATEWAYS_SHOWN = 12;
const CHILDREN_LOADED = 500;
/** Max. children with a lamp of their own. The rest is a number. */
const LAMPS_SHOWN = 24;

interface Gateway {
  readonly row: DeviceRow;
  readonly children: readonly DeviceRow[];
}

async function loadGateways(): Promise<Gateway[]> {
  const gateways = await devicesApi.list({ limit: GATEWAYS_SHOWN, offset: 0, role: "GATEWAY", sort: "name" });
  if (gateways.rows.length === 0) return [];
  const devices = await devicesApi.list({ limit: CHILDREN_LOADED, offset: 0, role: "DEVICE", sort: "name" });
  return gateways.rows.map((row) => ({
    row,
    children: devices.rows.filter(({ parentDeviceId }) => parentDeviceId === row.deviceId),
  }));
}

/** Shows the gateways with a status lamp per child; renders nothing if there are no gateways. */
export function GatewayList() {
  const loaded = useKept(loadGateways, []);
  const reloadSoon = useCoalesced(loaded.reload);
  useLive({ topics: ["devices"] }, (message) => {
    if (message.type === "snapshot" || message.topic === "devices") reloadSoon();
  });
  if (loaded.data === undefined || loaded.data.length === 0) return null;
  return (
    <section class="panel min-w-0" aria-label={t("common.gateways")}>
      <h2 class="panel-label px-4 pt-4 pb-2">{t("common.gateways")}</h2>
      <ul class="grid lg:grid-cols-2">
        {loaded.data.map(({ row, children }) => (
          <li key={row.deviceId} class="flex min-w-0 flex-col gap-1.5 border-t border-base-300 px-4 py-3">
            <a
              class="flex min-w-0 items-center gap-3 font-medium hover:underline"
              href={`/devices/${row.deviceId}/children`}
            >
              <DeviceState deviceId={row.deviceId} state={row.state} bare />
              <span class="truncate">{row.name}</span>
              <span class="ml-auto flex-none text-sm font-normal text-soft">
                {plural("overview.children", children.length)}
              </span>
            </a>
            <Children rows={children} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Children({ rows }: { rows: readonly DeviceRow[] }) {
  const more = rows.length - LAMPS_SHOWN;
  return (
    <ul class="flex flex-wrap items-center gap-x-4 gap-y-1.5 pl-5">
      {rows.slice(0, LAMPS_SHOWN).map(({ deviceId, name, state }) => (
        <li key={deviceId}>
          <a class="flex items-center gap-2 text-sm hover:underline" href={`/devices/${deviceId}`}>
            <DeviceState deviceId={deviceId} state={state} bare />
            {name}
          </a>
        </li>
      ))}
      {more > 0 && <li class="text-sm text-soft">{t("common.countMore", { count: more })}</li>}
    </ul>
  );
}
