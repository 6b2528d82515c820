import { useRef, useState } from "preact/hooks";
import { CreateDevice } from "../components/create-device.tsx";
import { DemoPlant } from "../components/demo-plant.tsx";
import { ErrorNote } from "../components/error-note.tsx";
import { Age, PageHead } from "../components/parts.tsx";
import { RateBars } from "../components/rate-bars.tsx";
import { RecentDevices } from "../components/recent-devices.tsx";
import { formatCount, formatNumber } from "../i18n/format.ts";
import { t } from "../i18n/i18n.ts";
import { api } from "../state/api.ts";
import type { DeviceRow } from "../state/api-types.ts";
import { useLive } from "../state/live.ts";
import { now } from "../state/now.ts";
import { useResource } from "../state/resource.ts";
import { mayWrite } from "../state/session.ts";
import { SitePulse } from "../state/site-pulse.ts";

const PAGE = 1000;
/** 20 pages: above 20,000 devices the counts come from what has been loaded and from the live state. */
const PAGES_MAX = 20;

async function allDevices(): Promise<{ rows: DeviceRow[]; total: number }> {
  const first = await api.devices({ limit: PAGE, offset: 0 });
  const rows = first.rows;
  for (let page = 1; page < PAGES_MAX && rows.length < first.total; page++) {
    const next = await api.devices({ limit: PAGE, offset: page * PAGE });
    if (next.rows.length === 0) break;
    rows.push(...next.rows);
  }
  return { rows, total: first.total };
}

export function OverviewScreen() {
  const pulse = useRef(new SitePulse()).current;
  const devices = useResource(allDevices, []);
  const [creating, setCreating] = useState(false);
  useLive({ topics: ["devices", "telemetry"] }, (message) => {
    if (pulse.handle(message)) devices.reload();
  });
  const rows = devices.data?.rows ?? [];
  const total = devices.data?.total ?? 0;
  return (
    <div class="mx-auto flex max-w-6xl flex-col gap-5 p-4 lg:p-8">
      <PageHead title={t("nav.overview")}>
        {mayWrite.value && total > 0 && (
          <button type="button" class="btn btn-primary btn-sm" onClick={() => setCreating(true)}>
            {t("devices.create")}
          </button>
        )}
      </PageHead>
      {devices.error !== undefined && <ErrorNote error={devices.error} onRetry={devices.reload} />}
      <Figures rows={rows} total={total} pulse={pulse} loaded={devices.data !== undefined} />
      {devices.data && total === 0 ? (
        <FirstSteps onCreate={() => setCreating(true)} />
      ) : (
        <RecentDevices rows={rows} pulse={pulse} />
      )}
      {creating && <CreateDevice onClose={() => setCreating(false)} />}
    </div>
  );
}

function Figure(props: { label: string; value: string; detail: string; lamp?: string; href?: string }) {
  const body = (
    <>
      <p class="panel-label flex items-center gap-2">
        {props.lamp !== undefined && <span class={`lamp ${props.lamp}`} aria-hidden="true" />}
        {props.label}
      </p>
      <p class="reading mt-2 text-3xl font-medium">{props.value}</p>
      <p class="mt-1 text-sm text-soft">{props.detail}</p>
    </>
  );
  if (!props.href) return <div class="panel p-4">{body}</div>;
  return (
    <a class="panel p-4 hover:border-primary" href={props.href}>
      {body}
    </a>
  );
}

function Figures(props: { rows: readonly DeviceRow[]; total: number; pulse: SitePulse; loaded: boolean }) {
  const at = now.value;
  const { rows, pulse } = props;
  const active = rows.filter((row) => pulse.active.get(row.deviceId) ?? row.active).length;
  const newest = pulse.recent(1)[0];
  const show = (n: number) => (props.loaded ? formatCount(n) : "–");
  return (
    <>
      <div class="grid grid-cols-2 gap-3 lg:grid-cols-4 lg:gap-4">
        <Figure
          label={t("overview.devices")}
          value={show(props.total)}
          detail={t("overview.devicesDetail")}
          href="/devices"
        />
        <Figure
          label={t("state.active")}
          value={show(active)}
          detail={t("overview.activeDetail")}
          lamp="lamp-on"
        />
        <Figure
          label={t("state.inactive")}
          value={show(rows.length - active)}
          detail={t("overview.inactiveDetail")}
          lamp=""
        />
        <div class="panel p-4">
          <p class="panel-label">{t("overview.newest")}</p>
          <p class="reading mt-2 text-3xl font-medium" data-testid="newest">
            <Age ts={newest?.ts} never="–" />
          </p>
          <p class="mt-1 truncate text-sm text-soft">
            {rows.find((row) => row.deviceId === newest?.deviceId)?.name ?? t("overview.newestNone")}
          </p>
        </div>
      </div>
      <section class="panel p-4" aria-label={t("overview.rate")}>
        <div class="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1">
          <p class="panel-label">{t("overview.rate")}</p>
          <p class="reading text-sm">
            {t("overview.rateValues", {
              messages: formatNumber(pulse.messages.perSecond(at), 3),
              points: formatNumber(pulse.points.perSecond(at), 3),
            })}
          </p>
        </div>
        <RateBars rates={pulse.messages.rates(at).slice(0, 59)} />
      </section>
    </>
  );
}

function FirstSteps({ onCreate }: { onCreate: () => void }) {
  return (
    <section class="grid gap-4 md:grid-cols-2">
      <div class="panel flex flex-col items-start gap-3 p-6">
        <h2 class="text-lg font-semibold">{t("setup.connect")}</h2>
        <p class="flex-1 text-soft">{t("overview.connectHint")}</p>
        <button type="button" class="btn btn-primary" onClick={onCreate} disabled={!mayWrite.value}>
          {t("devices.create")}
        </button>
      </div>
      <div class="panel flex flex-col gap-3 p-6">
        <h2 class="text-lg font-semibold">{t("setup.demo")}</h2>
        <p class="text-soft">{t("setup.demoHint")}</p>
        <DemoPlant />
      </div>
    </section>
  );
}
