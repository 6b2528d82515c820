import { WifiOff } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { type AlarmSeverity, compareSeverities } from "../../../../lib/alarms/severity.ts";
import type { DeviceState } from "../../../../lib/devices/device-state.ts";
import { formatAge, formatDate, zoneName } from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { now } from "../../../platform/now.ts";
import { redrawOn } from "../../../platform/redraw-on.ts";
import { useIsDisconnected } from "../../../ui/page/connection-banner.tsx";
import { useTitle } from "../../../ui/page/use-title.ts";
import { severityVariable } from "../../../ui/state/severity-colors.ts";
import { SeverityMark } from "../../../ui/state/severity-mark.tsx";
import { stateCountsText } from "../../../ui/state/state-counts.ts";
import type { BoardFeed } from "../board/board-feed.ts";
import type { ResolvedDevice } from "../dashboards-api.ts";

/** Combined state of everything on a dashboard. */
interface WallState {
  /** Severity of the most severe open alarm. */
  readonly severity: AlarmSeverity | undefined;
  readonly openAlarms: number;
  readonly devices: number;
  readonly states: Readonly<Partial<Record<DeviceState, number>>>;
}

export function wallStateOf(devices: readonly ResolvedDevice[]): WallState {
  const severities = devices.flatMap(({ alarmSeverity }) => alarmSeverity ?? []);
  return {
    severity: severities.sort((a, b) => compareSeverities(b, a))[0],
    openAlarms: devices.reduce((sum, { openAlarms = 0 }) => sum + openAlarms, 0),
    devices: devices.length,
    states: Object.fromEntries(
      Map.groupBy(devices, ({ state }) => state)
        .entries()
        .map(([state, those]) => [state, those.length]),
    ),
  };
}

interface Props {
  readonly title: string;
  readonly detail?: string | undefined;
  readonly feed: BoardFeed;
  readonly isLoaded: boolean;
  readonly children?: ComponentChildren;
}

/** Head of a wall: name of the dashboard, combined state, and time. */
export function WallHead({ title, detail, feed, isLoaded, children }: Props) {
  useTitle(title);
  return (
    <header class="flex flex-none flex-wrap items-center justify-between gap-x-8 gap-y-2">
      <div class="flex min-w-0 flex-wrap items-center gap-x-6 gap-y-2">
        <h1 class="line-clamp-1 text-2xl font-semibold tracking-tight break-words" title={title}>
          {title}
        </h1>
        {detail !== undefined && <p class="text-lg text-soft">{detail}</p>}
        {isLoaded && <StateOfAll feed={feed} />}
      </div>
      <div class="ml-auto flex flex-wrap items-center justify-end gap-x-6 gap-y-2 max-sm:ml-0 [&>:empty]:hidden">
        {children}
        {isLoaded && <NewestData feed={feed} />}
        <Clock />
      </div>
    </header>
  );
}

function StateOfAll({ feed }: { feed: BoardFeed }) {
  // Alarms and activity change without a signal of their own; the clock draws them at least once a second.
  redrawOn(now);
  const isDisconnected = useIsDisconnected();
  const state = wallStateOf(feed.devices());
  if (state.devices === 0) return null;
  const frame = isDisconnected ? "border-base-content" : "border-base-300";
  const alarmed = isDisconnected ? undefined : state.severity;
  return (
    <p
      class={`flex items-center gap-3 rounded-field border-2 px-4 py-1.5 text-xl font-semibold ${frame}`}
      style={alarmed && { borderColor: `var(${severityVariable(alarmed)})` }}
      data-testid="wall-state"
    >
      {isDisconnected ? (
        <>
          <WifiOff size="1em" class="flex-none" aria-hidden="true" />
          {t("wall.noConnection")}
        </>
      ) : (
        <StateText {...state} />
      )}
    </p>
  );
}

function StateText({ severity, openAlarms, devices, states }: WallState) {
  const isWell = states.ACTIVE === devices;
  return (
    <>
      {severity === undefined ? (
        <span class={`lamp scale-125 ${isWell ? "lamp-on" : ""}`} aria-hidden="true" />
      ) : (
        <SeverityMark severity={severity} />
      )}
      <span>
        {severity !== undefined && `${t(`severity.${severity}`)} · `}
        {openAlarms > 0
          ? plural("wall.alarms", openAlarms)
          : severity === undefined && t("common.noOpenAlarms")}
      </span>
      <span class="text-base font-normal text-soft">{stateCountsText(states)}</span>
    </>
  );
}

/** Time without a new value after which the age of the newest one is emphasized. */
const STALE_MS = 120_000;

function NewestData({ feed }: { feed: BoardFeed }) {
  const ts = feed.newestTs();
  if (ts === undefined) return null;
  const isStale = now.value - ts > STALE_MS;
  return (
    <p class={isStale ? "text-lg font-semibold text-warning" : "text-soft"}>
      {t("wall.newest", { age: formatAge(ts, now.value) })}
    </p>
  );
}

/** Local time of the display. */
function Clock() {
  const timeMs = now.value;
  return (
    <time
      class="flex items-baseline gap-3"
      dateTime={new Date(timeMs).toISOString()}
      data-testid="wall-clock"
    >
      <span class="text-sm text-soft">{`${formatDate(timeMs, "weekday")} · ${zoneName(timeMs)}`}</span>
      <span class="reading text-3xl leading-none font-semibold">{formatDate(timeMs, "minutes")}</span>
    </time>
  );
}
