import { ALARM_SEVERITIES, type AlarmSeverity, severitiesDescending } from "../../../lib/alarms/severity.ts";
import { invalid } from "../../../lib/core/domain-error.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../lib/core/units.ts";
import { workShare } from "../../../platform/load/fair-share.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { Principal } from "../../users/users.types.ts";
import type { AlarmsService } from "../alarms.service.ts";
import { type ListedAlarm, OPEN_STATUSES } from "../alarms.types.ts";
import type {
  AlarmStatisticsRepository,
  CountedEvent,
  CountedFilter,
} from "./alarm-statistics.repository.ts";

/*
 * Metrics of alarm systems by EEMUA 191 and IEC 62682 (ISA-18.2): alarms per operator and hour, floods of more than 10 alarms in 10 minutes,
 * chattering alarms (three times within a minute), and standing alarms (open for 24 hours).
 */

const WEEK_MS = 7 * DAY_MS;
const SPAN_MS_MAX = 31 * DAY_MS;
const PERIOD_MS = 10 * MINUTE_MS;
/** Number of alarms in one period above which one operator cannot handle them. */
const FLOOD_ALARMS = 10;
const CHATTERING_TIMES = 3;
const STANDING_MS = DAY_MS;
const LISTED_MAX = 10;
/** Events per slice, about 10 ms of work. */
const EVENTS_PER_STEP = 1_000;
/** Max. events examined and counted for one response: some seconds of work, and about 20 MB. */
const EVENTS_READ_MAX = 1_000_000;
const EVENTS_COUNTED_MAX = 100_000;
const BARS_MAX = 144;

/** Alarm that has been open for a day or longer. */
interface StandingAlarm {
  readonly alarmId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly name: string;
  readonly severity: AlarmSeverity;
  /** Epoch ms. */
  readonly raisedAt: number;
}

const toStanding = ({
  alarmId,
  deviceId,
  deviceName,
  alarmType,
  severity,
  raisedAt,
}: ListedAlarm): StandingAlarm => ({ alarmId, deviceId, deviceName, name: alarmType, severity, raisedAt });

interface RaisedAlarm {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly name: string;
  /** Highest severity. */
  severity: AlarmSeverity;
  raised: number;
  /** Number of times that the alarm was raised for the third time within a minute. */
  chatters: number;
}

export interface AlarmStatistics {
  /** Epoch ms; later than requested if there were more alarms than one response counts. */
  readonly from: number;
  readonly to: number;
  readonly isComplete: boolean;
  readonly operators: number;
  readonly raised: number;
  readonly perOperatorHour: number;
  /** Period of 10 minutes with the most alarms; null without alarms. */
  readonly busiest: { readonly from: number; readonly raised: number } | null;
  /** Periods of 10 minutes with more than 10 alarms per operator. */
  readonly floods: number;
  readonly periods: number;
  readonly severities: ReadonlyArray<{ readonly severity: AlarmSeverity; readonly raised: number }>;
  readonly bars: { readonly stepMs: number; readonly raised: readonly number[] };
  readonly frequent: readonly RaisedAlarm[];
  readonly chattering: readonly RaisedAlarm[];
  readonly chatteringCount: number;
  readonly standing: { readonly total: number; readonly alarms: readonly StandingAlarm[] };
  /** Times from the first raise to the acknowledgement, in ms; null if there are none. */
  readonly acknowledged: {
    readonly count: number;
    readonly medianMs: number | null;
    readonly p90Ms: number | null;
  };
}

/** Returns the value below which the share of sorted values lies (nearest rank). */
const percentile = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;

const beginOfPeriod = (ms: number): number => Math.floor(ms / PERIOD_MS) * PERIOD_MS;

/** Returns the smallest multiple of a period for which a range has at most `BARS_MAX` bars. */
const barStep = (spanMs: number): number => Math.ceil(spanMs / BARS_MAX / PERIOD_MS) * PERIOD_MS || PERIOD_MS;

/** Counts events in order of time, newest first. */
export class AlarmCounts {
  readonly #alarms = new Map<string, RaisedAlarm & { readonly recent: number[] }>();
  readonly #periods = new Map<number, number>();
  readonly #severities = new Map<AlarmSeverity, number>();
  readonly #waits: number[] = [];
  #raised = 0;

  /** Number of events. */
  get size(): number {
    return this.#raised + this.#waits.length;
  }

  take(event: CountedEvent): void {
    const { at, severity } = event;
    if (event.isAcknowledged) {
      this.#waits.push(Math.max(0, at - event.firstRaisedAt));
      return;
    }
    this.#raised++;
    this.#severities.set(severity, (this.#severities.get(severity) ?? 0) + 1);
    const period = Math.floor(at / PERIOD_MS);
    this.#periods.set(period, (this.#periods.get(period) ?? 0) + 1);
    const { deviceId, deviceName, name } = event;
    const id = `${deviceId}\n${name}`;
    const alarm = this.#alarms.get(id) ?? {
      deviceId,
      deviceName,
      name,
      severity,
      raised: 0,
      chatters: 0,
      recent: [],
    };
    alarm.raised++;
    if (ALARM_SEVERITIES.indexOf(severity) > ALARM_SEVERITIES.indexOf(alarm.severity))
      alarm.severity = severity;
    alarm.recent.push(at);
    if (alarm.recent.length >= CHATTERING_TIMES && (alarm.recent.shift() ?? 0) - at <= MINUTE_MS)
      alarm.chatters++;
    this.#alarms.set(id, alarm);
  }

  statistics(range: {
    from: number;
    to: number;
    operators: number;
  }): Omit<AlarmStatistics, "isComplete" | "standing"> {
    const { from, to, operators } = range;
    const alarms = [...this.#alarms.values()].map(({ recent: _, ...alarm }) => alarm);
    const most = [...this.#periods].reduce<[number, number] | undefined>(
      (best, entry) => (best === undefined || entry[1] > best[1] ? entry : best),
      undefined,
    );
    const stepMs = barStep(to - from);
    const bars = new Array<number>(Math.max(1, Math.ceil((to - from) / stepMs))).fill(0);
    for (const [period, raised] of this.#periods) {
      const bar = Math.floor((Math.max(from, period * PERIOD_MS) - from) / stepMs);
      bars[Math.min(bar, bars.length - 1)]! += raised; // within its bounds
    }
    const chattering = alarms.filter(({ chatters }) => chatters > 0);
    const waits = this.#waits.toSorted((a, b) => a - b);
    return {
      ...range,
      raised: this.#raised,
      perOperatorHour: this.#raised / operators / (Math.max(to - from, MINUTE_MS) / HOUR_MS),
      busiest: most === undefined ? null : { from: most[0] * PERIOD_MS, raised: most[1] },
      floods: [...this.#periods.values()].filter((raised) => raised > FLOOD_ALARMS * operators).length,
      periods: Math.max(1, Math.ceil((to - from) / PERIOD_MS)),
      severities: severitiesDescending.map((severity) => ({
        severity,
        raised: this.#severities.get(severity) ?? 0,
      })),
      bars: { stepMs, raised: bars },
      frequent: alarms.toSorted((a, b) => b.raised - a.raised).slice(0, LISTED_MAX),
      chattering: chattering.toSorted((a, b) => b.chatters - a.chatters).slice(0, LISTED_MAX),
      chatteringCount: chattering.length,
      acknowledged: {
        count: waits.length,
        medianMs: percentile(waits, 0.5),
        p90Ms: percentile(waits, 0.9),
      },
    };
  }
}

/** Returns a time range of the given length that ends now, unless requested otherwise. @throws DomainError `invalid` */
export function ensureRange(
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  { now, spanMs }: { readonly now: number; readonly spanMs: number },
): { from: number; to: number } {
  const end = Math.min(to ?? now, now);
  const start = from ?? end - spanMs;
  if (start > end || end - start > SPAN_MS_MAX) throw invalid("alarm.range");
  return { from: start, to: end };
}

export interface StatisticsRequest extends CountedFilter {
  /** Epoch ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly operators?: number | undefined;
}

/** Creates the function that counts the alarms that the caller may see. @throws DomainError `invalid` for a range of more than 31 days */
export function createAlarmStatistics(deps: {
  repository: AlarmStatisticsRepository;
  alarms: Pick<AlarmsService, "page">;
  clock: Clock;
}) {
  const { repository, alarms, clock } = deps;
  return async (
    principal: Principal,
    request: StatisticsRequest,
    signal?: AbortSignal,
  ): Promise<AlarmStatistics> => {
    const { from: _, to: __, operators = 1, ...filter } = request;
    const asked = ensureRange(request, { now: clock.now(), spanMs: WEEK_MS });
    const range = { ...asked, from: beginOfPeriod(asked.from) };
    const counts = new AlarmCounts();
    let last: CountedEvent | undefined;
    let read = 0;
    let isComplete = false;
    while (!isComplete && read < EVENTS_READ_MAX && counts.size < EVENTS_COUNTED_MAX) {
      // No owner: otherwise the user's other requests would queue behind this one.
      await workShare.next();
      signal?.throwIfAborted();
      const events = repository.listEvents(principal, filter, {
        ...range,
        before: last,
        limit: EVENTS_PER_STEP,
      });
      for (const event of events) if (event.isCounted) counts.take(event);
      read += events.length;
      last = events.at(-1);
      isComplete = events.length < EVENTS_PER_STEP;
    }
    const from = isComplete ? range.from : Math.max(range.from, beginOfPeriod(last?.at ?? range.from));
    const raisedUntil = clock.now() - STANDING_MS;
    const oldest = {
      ...filter,
      statuses: OPEN_STATUSES,
      raisedUntil,
      sort: "raisedAt",
      limit: LISTED_MAX,
      offset: 0,
    };
    const { total, slices } = await alarms.page(principal, oldest, signal);
    const standing = { total, alarms: [...slices].flatMap((slice) => slice.map(toStanding)) };
    const figures = counts.statistics({ from, to: range.to, operators });
    const hasAll = isComplete && !repository.hasDeletedSince(principal, filter, from);
    return { ...figures, isComplete: hasAll, standing };
  };
}

export type ReadAlarmStatistics = ReturnType<typeof createAlarmStatistics>;
