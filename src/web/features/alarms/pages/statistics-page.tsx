import type { ComponentChildren } from "preact";
import { DAY_MS } from "../../../../lib/core/units.ts";
import { durationText, roughDurationText } from "../../../platform/i18n/duration-text.ts";
import {
  formatCount,
  formatDate,
  formatDateRange,
  formatNumber,
  formatShare,
  toMs,
} from "../../../platform/i18n/format.ts";
import { plural, t } from "../../../platform/i18n/i18n.ts";
import { useKept } from "../../../platform/resource.ts";
import { useUrlFilter } from "../../../platform/use-url-filter.ts";
import { FilterSelect } from "../../../ui/form/filter-select.tsx";
import { Segments } from "../../../ui/form/segments.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageHead } from "../../../ui/page/page-head.tsx";
import { Section } from "../../../ui/page/section.tsx";
import { Age } from "../../../ui/state/age.tsx";
import { TagFilter } from "../../devices/tag-filter.tsx";
import { type AlarmStatistics, alarmStatistics } from "../alarms-api.ts";
import { SeverityWord } from "../severity.tsx";
import { AlarmTabs } from "./alarm-tabs.tsx";

const SPANS = { day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS } as const;
type Span = keyof typeof SPANS;
const isSpan = (text: string): text is Span => Object.hasOwn(SPANS, text);
const OPERATORS = ["1", "2", "3", "5", "10"];
/** EEMUA 191: acceptable alarms per operator and hour, and the max. number that can be handled. */
const ACCEPTABLE = 6;
const MANAGEABLE = 12;

/** Figures for assessing the alarms of a site. */
export function StatisticsPage() {
  const { filter, set } = useUrlFilter(["span", "operators", "tag"]);
  const span = isSpan(filter.span) ? filter.span : "week";
  const operators = OPERATORS.find((count) => count === filter.operators) ?? "1";
  const figures = useKept(
    () => alarmStatistics({ spanMs: SPANS[span], operators, tag: filter.tag || undefined }),
    [span, operators, filter.tag],
  );
  return (
    <>
      <PageHead title={t("nav.alarms")} />
      <AlarmTabs current="statistics" />
      <p class="max-w-2xl text-soft">{t("alarmStatistics.intro")}</p>
      <div class="flex flex-wrap items-center gap-3">
        <Segments
          label={t("common.time")}
          items={(Object.keys(SPANS) as Span[]).map((id) => ({ id, text: t(`alarms.since.${id}`) }))}
          current={span}
          onSelect={(next) => set({ span: next === "week" ? "" : next })}
        />
        <FilterSelect
          label={t("alarmStatistics.operators")}
          all={plural("alarmStatistics.operatorCount", 1)}
          class="w-44"
          value={operators === "1" ? "" : operators}
          options={OPERATORS.slice(1).map((id) => ({
            id,
            text: plural("alarmStatistics.operatorCount", Number(id)),
          }))}
          onSelect={(next) => set({ operators: next })}
        />
        <TagFilter tag={filter.tag} onSelect={(tag) => set({ tag })} />
      </div>
      <Loaded of={figures}>{(loaded) => <Figures figures={loaded} />}</Loaded>
    </>
  );
}

function Figures({ figures }: { figures: AlarmStatistics }) {
  const { frequent, chattering, standing, raised } = figures;
  return (
    <>
      {!figures.isComplete && (
        <p class="text-warning" role="status">
          {t("alarmStatistics.incomplete", { time: formatDate(toMs(figures.from) ?? 0, "zoned") })}
        </p>
      )}
      <KeyFigures figures={figures} />
      <Section id="alarm-bars" title={t("alarmStatistics.bars")}>
        <Bars figures={figures} />
      </Section>
      <div class="grid items-start gap-5 xl:grid-cols-2">
        <Section id="alarm-frequent" title={t("alarmStatistics.frequent")}>
          <Ranking alarms={frequent} value={(alarm) => countAndShare(alarm.raised, raised)} />
        </Section>
        <Section
          id="alarm-severities"
          title={t("alarmStatistics.severities")}
          hint={t("alarmStatistics.severitiesHint")}
        >
          <Severities figures={figures} />
        </Section>
        <Section
          id="alarm-chattering"
          title={plural("alarmStatistics.chattering", figures.chatteringCount)}
          hint={t("alarmStatistics.chatteringHint")}
        >
          <Ranking alarms={chattering} value={(alarm) => `${formatCount(alarm.chatters)}×`} />
        </Section>
        <Section
          id="alarm-standing"
          title={plural("alarmStatistics.standing", standing.total)}
          hint={t("alarmStatistics.standingHint")}
        >
          <Ranking
            alarms={standing.alarms}
            hrefOf={({ alarmId }) => `/alarms/${alarmId}`}
            value={({ raisedAt }) => <Age ts={toMs(raisedAt)} />}
          />
        </Section>
      </div>
    </>
  );
}

function KeyFigures({ figures }: { figures: AlarmStatistics }) {
  const { perOperatorHour, busiest, floods, periods, acknowledged } = figures;
  const verdict = perOperatorHour <= ACCEPTABLE ? "good" : perOperatorHour <= MANAGEABLE ? "much" : "tooMuch";
  const time = (ms: number | null) => (ms === null ? "–" : roughDurationText(ms));
  return (
    <dl class="panel grid grid-cols-2 gap-px overflow-hidden bg-base-300 lg:grid-cols-5">
      <Figure
        label={t("alarmStatistics.rate")}
        value={formatNumber(perOperatorHour, 1)}
        detail={t(`alarmStatistics.rate.${verdict}`)}
      />
      <Figure label={t("alarmStatistics.raised")} value={formatCount(figures.raised)} />
      <Figure
        label={t("alarmStatistics.busiest")}
        value={formatCount(busiest?.raised ?? 0)}
        detail={busiest ? formatDate(toMs(busiest.from) ?? 0, "zoned") : undefined}
      />
      <Figure
        label={t("alarmStatistics.floods")}
        value={formatCount(floods)}
        detail={t("alarmStatistics.floodShare", { share: formatShare(floods / periods) })}
      />
      <Figure
        label={t("alarmStatistics.acknowledged")}
        value={time(acknowledged.medianMs)}
        detail={
          acknowledged.count > 0 ? t("alarmStatistics.p90", { time: time(acknowledged.p90Ms) }) : undefined
        }
      />
    </dl>
  );
}

const Figure = (props: { label: string; value: string; detail?: string | undefined }) => (
  <div class="flex min-w-0 flex-col bg-base-100 p-4 last:odd:col-span-2 lg:last:odd:col-span-1">
    <dt class="panel-label">{props.label}</dt>
    <dd class="reading mt-1 text-2xl font-medium">{props.value}</dd>
    {props.detail !== undefined && <dd class="mt-1 text-sm text-soft">{props.detail}</dd>}
  </div>
);

/** Alarms over time. The label gives the total and the maximum to screen readers. */
function Bars({ figures: { bars, from, raised } }: { figures: AlarmStatistics }) {
  const most = Math.max(0, ...bars.raised);
  const start = toMs(from) ?? 0;
  const width = 100 / bars.raised.length;
  return (
    <div>
      <svg
        viewBox="0 0 100 100"
        preserveAspectRatio="none"
        class="h-32 w-full border-b border-base-300"
        role="img"
        aria-label={t("alarmStatistics.barsLabel", { count: formatCount(raised), most: formatCount(most) })}
      >
        {bars.raised.map(
          (count, index) =>
            count > 0 && (
              <rect
                key={index}
                x={index * width}
                y={100 - (count / most) * 100}
                width={Math.max(width * 0.8, 0.2)}
                height={(count / most) * 100}
                class="fill-primary"
              >
                <title>
                  {`${formatDateRange(start + index * bars.stepMs, start + (index + 1) * bars.stepMs)}: ${formatCount(count)}`}
                </title>
              </rect>
            ),
        )}
      </svg>
      <p class="mt-1 flex justify-between text-sm text-soft">
        <span>{formatDate(start, "zoned")}</span>
        <span>
          {t("alarmStatistics.most", { count: formatCount(most), time: durationText(bars.stepMs) })}
        </span>
      </p>
    </div>
  );
}

const countAndShare = (count: number, total: number): string =>
  `${formatCount(count)} · ${formatShare(count / Math.max(1, total))}`;

function Severities({ figures: { severities, raised } }: { figures: AlarmStatistics }) {
  return (
    <ul class="flex flex-col gap-2">
      {severities.map(({ severity, raised: count }) => (
        <li key={severity} class="flex items-center gap-3 text-sm">
          <span class="w-32 flex-none">
            <SeverityWord severity={severity} />
          </span>
          <span class="h-2 min-w-0 flex-1 bg-base-200" aria-hidden="true">
            <span class="block h-2 bg-primary" style={{ width: `${(100 * count) / Math.max(1, raised)}%` }} />
          </span>
          <span class="reading w-28 flex-none text-right">{countAndShare(count, raised)}</span>
        </li>
      ))}
    </ul>
  );
}

type Ranked = Pick<AlarmStatistics["frequent"][number], "deviceId" | "deviceName" | "name" | "severity">;

function Ranking<Item extends Ranked>(props: {
  alarms: readonly Item[];
  hrefOf?: (alarm: Item) => string;
  value: (alarm: Item) => ComponentChildren;
}) {
  if (props.alarms.length === 0) return <p class="text-sm text-soft">{t("alarmStatistics.none")}</p>;
  const listHref = ({ deviceId, name }: Ranked) =>
    `/alarms?${new URLSearchParams({ state: "all", device: deviceId, rule: name })}`;
  return (
    <ol class="divide-y divide-base-300/60">
      {props.alarms.map((alarm) => (
        <li key={`${alarm.deviceId} ${alarm.name}`} class="flex items-baseline gap-4 py-1.5 text-sm">
          <span class="w-28 flex-none">
            <SeverityWord severity={alarm.severity} />
          </span>
          <span class="min-w-0 flex-1 wrap-anywhere">
            <a class="link link-hover font-medium" href={(props.hrefOf ?? listHref)(alarm)}>
              {alarm.name}
            </a>
            {" · "}
            <a class="link link-hover" href={`/devices/${alarm.deviceId}`}>
              {alarm.deviceName}
            </a>
          </span>
          <span class="reading flex-none">{props.value(alarm)}</span>
        </li>
      ))}
    </ol>
  );
}
