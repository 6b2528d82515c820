import { Plus } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { GATEWAY_DEVICE_TYPE } from "../../../lib/devices/gateway-device.ts";
import type { DeviceRow } from "../../lib/api-types.ts";
import { toMs } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useLive } from "../../platform/live.ts";
import { useResource } from "../../platform/resource.ts";
import { may, mayWrite } from "../../platform/session.ts";
import { useCoalesced } from "../../platform/use-coalesced.ts";
import { Button } from "../../ui/button.tsx";
import { later } from "../../ui/page/later.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageHead } from "../../ui/page/page-head.tsx";
import { OpenAlarms } from "../alarms/open-alarms.tsx";
import { DemoPlantNote, StartDemoPlant } from "../demo-plant/demo-plant.tsx";
import { CreateDevice } from "../devices/create-device.tsx";
import { rememberNames } from "../devices/device-names.ts";
import { devicesApi } from "../devices/devices-api.ts";
import { GatewayList } from "./gateway-list.tsx";
import { AlarmFigures, KeyFigures } from "./key-figures.tsx";
import { RecentDevices, SilentDevices } from "./site-lists.tsx";
import { SitePulse } from "./site-pulse.ts";
import { useFigures } from "./use-figures.ts";

const SHOWN = 8;

interface Site {
  readonly total: number;
  /** All devices of a small site, except that of the gateway. */
  readonly few: readonly DeviceRow[] | undefined;
  readonly lastSeen: readonly DeviceRow[];
  readonly silent: readonly DeviceRow[];
}

async function loadSite(): Promise<Site> {
  const latest = { limit: SHOWN, offset: 0, sort: "-lastActivityAt" };
  const [all, silent] = await Promise.all([
    devicesApi.list(latest),
    devicesApi.list({ ...latest, state: "INACTIVE" }),
  ]);
  rememberNames([...all.rows, ...silent.rows]);
  const few =
    all.total > SHOWN ? undefined : all.rows.filter(({ deviceType }) => deviceType !== GATEWAY_DEVICE_TYPE);
  return {
    total: all.total,
    few,
    lastSeen: all.rows.filter(({ active }) => active),
    silent: silent.rows,
  };
}

export function OverviewScreen() {
  const pulse = useRef(new SitePulse()).current;
  const site = useResource(async () => {
    const loaded = await loadSite();
    // Before rendering, so that the most recently active devices are known.
    pulse.learn(
      loaded.lastSeen.map(({ deviceId, lastActivityAt }) => ({ deviceId, ts: toMs(lastActivityAt) ?? 0 })),
    );
    return loaded;
  }, []);
  const figures = useFigures();
  const { gateway } = figures;
  useEffect(() => {
    if (gateway) pulse.leaveOut(gateway.deviceId);
  }, [gateway]);
  const [creating, setCreating] = useState(false);
  const reloadSoon = useCoalesced(site.reload);
  useLive({ topics: ["devices", "telemetry"] }, (message) => {
    if (pulse.handle(message)) reloadSoon();
  });
  const empty = site.data?.total === 0;
  return (
    <div class="mx-auto flex max-w-6xl flex-col gap-5 p-4 3xl:max-w-[100rem] lg:p-8">
      <PageHead title={t("nav.overview")}>
        {mayWrite.value && !empty && (
          <Button icon={Plus} class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
            {t("devices.create")}
          </Button>
        )}
      </PageHead>
      <Loaded of={site} />
      {site.data && may("integrations:write") && <Discovered onConnected={reloadSoon} />}
      {empty ? (
        <FirstSteps onCreate={() => setCreating(true)} />
      ) : (
        <>
          {site.data?.few && may("tenant:write") && <Checklist devices={site.data.few} />}
          <OpenAlarms detail={<AlarmFigures figures={figures} />} />
          {(site.data?.silent.length ?? 0) > 0 && <SilentDevices rows={site.data?.silent ?? []} />}
          <KeyFigures figures={figures} pulse={pulse} isSiteKnown={site.data !== undefined} />
          <GatewayList />
          <RecentDevices
            pulse={pulse}
            isSiteKnown={site.data !== undefined}
            states={new Map(site.data?.lastSeen.map(({ deviceId, state }) => [deviceId, state]))}
          />
          {site.data && <DemoPlantNote />}
        </>
      )}
      {creating && <CreateDevice onClose={() => setCreating(false)} />}
    </div>
  );
}

const Checklist = later(
  () => import("./checklist-panel.tsx"),
  (part) => part.Checklist,
);

/** Loaded after the initial content of the overview. */
const Discovered = later(
  () => import("../integrations/discovered-panel.tsx"),
  ({ DiscoveredNetworks }) => DiscoveredNetworks,
);

function FirstSteps({ onCreate }: { onCreate: () => void }) {
  return (
    <section class="grid gap-4 md:grid-cols-3">
      <div class="panel flex flex-col items-start gap-3 p-6">
        <h2 class="text-lg font-semibold">{t("setup.connect")}</h2>
        <p class="flex-1 text-soft">{t("overview.connectHint")}</p>
        <button type="button" class="btn btn-primary" onClick={onCreate} disabled={!mayWrite.value}>
          {t("devices.create")}
        </button>
      </div>
      <div class="panel flex flex-col items-start gap-3 p-6">
        <h2 class="text-lg font-semibold">{t("overview.other")}</h2>
        <p class="flex-1 text-soft">{t("overview.otherHint")}</p>
        <a class="btn" href="/integrations/new">
          {t("overview.otherOpen")}
        </a>
      </div>
      <div class="panel flex flex-col gap-3 p-6">
        <h2 class="text-lg font-semibold">{t("setup.demo")}</h2>
        <p class="flex-1 text-soft">{t("setup.demoHint")}</p>
        <StartDemoPlant />
      </div>
    </section>
  );
}
