import { compareSeverities } from "../../../src/lib/alarms/severity.ts";
import type { AlarmRule, AlarmTrigger } from "../../../src/modules/alarms/rules/alarm-rule.ts";
import type { TelemetryValue } from "../../../src/modules/telemetry/telemetry.types.ts";
import type { SeenAlarm } from "./engine-harness.ts";

interface Message {
  readonly at: number;
  readonly values: Readonly<Record<string, TelemetryValue>>;
}

interface ModelAlarm {
  readonly alarmType: string;
  severity: string;
  isAcknowledged: boolean;
  isCleared: boolean;
  readonly events: string[];
}

/** Of one condition: every moment at which it was asked. */
interface Asked {
  readonly at: number;
  readonly holds: boolean;
  /** A message named one of its keys. */
  readonly isCounted: boolean;
}

/** Alarms as the rules say, the slow way: all that came is kept, each second everything is reckoned anew. */
export class AlarmModel {
  #messages: Message[] = [];
  #tags: readonly string[] = [];
  /** When the gateway did not run. */
  readonly #stops: Array<{ from: number; to: number }> = [];
  readonly #newest = new Map<string, number>();
  readonly #asked = new Map<AlarmTrigger, Asked[]>();
  readonly #alarms: ModelAlarm[] = [];
  /** Cleared by hand: they wait for a message. */
  readonly #waiting = new Set<AlarmRule>();
  /** Those that no message has named yet are not looked at. */
  readonly #begun = new Set<AlarmRule>();
  /** The one attribute there is. */
  #limit: number | undefined;

  /** Nothing is raised until then. */
  #mutedUntil = 0;

  #now: number;

  constructor(
    readonly rules: readonly AlarmRule[],
    now: number,
    /** Of each rule, as it was given. */
    readonly schedules: ReadonlyArray<GivenSchedule | undefined> = [],
  ) {
    this.#now = now;
  }

  #watches({ isEnabled, appliesTo }: AlarmRule): boolean {
    if (!isEnabled) return false;
    if (appliesTo === undefined || appliesTo.deviceTypes.includes("pump")) return true;
    return this.#tags.some((tag) => appliesTo.tags.includes(tag));
  }

  /** A rule that no longer watches the device remembers nothing of it, and keys that no rule watches are forgotten. */
  setTags(tags: readonly string[]): void {
    this.#tags = tags;
    const watching = this.rules.filter((rule) => this.#watches(rule));
    for (const rule of this.rules)
      if (!watching.includes(rule)) {
        this.#end(rule.alarmType);
        for (const trigger of triggersOf(rule)) this.#asked.delete(trigger);
        this.#waiting.delete(rule);
        this.#begun.delete(rule);
      }
    const isKept = (key: string) => watching.some((rule) => rule.keys.has(key));
    for (const key of this.#newest.keys()) if (!isKept(key)) this.#newest.delete(key);
    this.#messages = this.#messages.map(({ at, values }) => ({
      at,
      values: Object.fromEntries(Object.entries(values).filter(([key]) => isKept(key))),
    }));
  }

  mute(until: number): void {
    this.#mutedUntil = until;
    this.#reckonAll();
  }

  #mayRaise(rule: AlarmRule): boolean {
    if (this.#now < this.#mutedUntil) return false;
    const schedule = this.schedules[this.rules.indexOf(rule)];
    return schedule === undefined || isWithin(schedule, this.#now);
  }

  send(ts: number, input: Record<string, TelemetryValue>): void {
    const kept = Object.entries(input).filter(
      ([key]) =>
        this.rules.some((rule) => this.#watches(rule) && rule.keys.has(key)) &&
        (this.#newest.get(key) ?? 0) <= ts,
    );
    if (kept.length === 0) return;
    for (const [key] of kept) this.#newest.set(key, ts);
    const values = Object.fromEntries(kept);
    this.#messages.push({ at: this.#now, values });
    for (const rule of this.rules)
      if (this.#watches(rule) && Object.keys(values).some((key) => rule.keys.has(key))) {
        this.#waiting.delete(rule);
        this.#begun.add(rule);
        this.#reckon(rule, new Set(Object.keys(values)));
      }
  }

  setAttribute(value: number): void {
    this.#limit = value;
    for (const rule of this.rules)
      if (this.#watches(rule) && rule.attributes.size > 0) {
        this.#waiting.delete(rule);
        this.#begun.add(rule);
        this.#reckon(rule, undefined);
      }
  }

  tick(): void {
    this.#now += 1000;
    this.#reckonAll();
  }

  restart(stoppedMs: number): void {
    this.#stops.push({ from: this.#now, to: this.#now + stoppedMs });
    this.#now += stoppedMs;
    this.#reckonAll();
  }

  acknowledge(alarmType: string): void {
    const alarm = this.#open(alarmType);
    if (alarm === undefined || alarm.isAcknowledged) return;
    alarm.isAcknowledged = true;
    alarm.events.push("ACK");
  }

  clear(alarmType: string): void {
    this.#end(alarmType);
    for (const rule of this.rules)
      if (rule.alarmType === alarmType) {
        for (const trigger of triggersOf(rule)) this.#asked.delete(trigger);
        this.#waiting.add(rule);
      }
  }

  openTypes(): string[] {
    return this.#alarms.filter(({ isCleared }) => !isCleared).map(({ alarmType }) => alarmType);
  }

  alarms(): SeenAlarm[] {
    return this.#alarms
      .map(({ alarmType, severity, isAcknowledged, isCleared, events }) => ({
        alarmType,
        severity,
        status: `${isCleared ? "CLEARED" : "ACTIVE"}_${isAcknowledged ? "ACK" : "UNACK"}`,
        events,
      }))
      .sort((a, b) => (a.alarmType < b.alarmType ? -1 : a.alarmType > b.alarmType ? 1 : 0));
  }

  #open(alarmType: string): ModelAlarm | undefined {
    return this.#alarms.find((alarm) => alarm.alarmType === alarmType && !alarm.isCleared);
  }

  #end(alarmType: string): void {
    const alarm = this.#open(alarmType);
    if (alarm === undefined) return;
    alarm.isCleared = true;
    alarm.events.push("CLEARED");
  }

  #reckonAll(): void {
    for (const rule of this.rules)
      if (this.#begun.has(rule) && !this.#waiting.has(rule)) this.#reckon(rule, undefined);
  }

  #valuesOf(key: string): TelemetryValue[] {
    return this.#messages.flatMap(({ values }) => {
      const value = values[key];
      return value === undefined ? [] : [value];
    });
  }

  #silenceOf(key: string): number {
    const index = this.#messages.findLast(({ values }) => values[key] !== undefined)?.at ?? this.#now;
    const stopped = this.#stops.filter(({ from }) => from >= index).map(({ from, to }) => to - from);
    return this.#now - index - stopped.reduce((sum, ms) => sum + ms, 0);
  }

  #isMet(trigger: AlarmTrigger, named: ReadonlySet<string> | undefined): boolean {
    const holds = trigger.test({
      key: (name) => this.#valuesOf(name).at(-1),
      attribute: () => this.#limit,
      changed: (name) => {
        const [before, last] = this.#valuesOf(name).slice(-2);
        return last !== undefined && before !== last;
      },
      isSilent: (name, forMs = Number.POSITIVE_INFINITY) => this.#silenceOf(name) >= forMs,
    });
    const asked = this.#asked.get(trigger) ?? [];
    this.#asked.set(trigger, asked);
    asked.push({ at: this.#now, holds, isCounted: [...(named ?? [])].some((key) => trigger.keys.has(key)) });
    const { kind } = trigger;
    if (kind.type === "SIMPLE") return holds;
    if (kind.type === "DURATION") {
      const since = asked[asked.findLastIndex((item) => !item.holds) + 1];
      return since !== undefined && this.#now - since.at >= kind.forMs;
    }
    const counted = asked.filter(({ isCounted }) => isCounted);
    const { count, withinMs } = kind;
    if (withinMs !== undefined)
      return (
        counted.filter((candidate) => candidate.holds && candidate.at > this.#now - withinMs).length >= count
      );
    return counted.length >= count && counted.slice(-count).every((candidate) => candidate.holds);
  }

  #reckon(rule: AlarmRule, named: ReadonlySet<string> | undefined): void {
    const met = new Set(triggersOf(rule).filter((trigger) => this.#isMet(trigger, named)));
    const [raised] = rule.creates.filter((create) => met.has(create));
    const open = this.#open(rule.alarmType);
    if (open === undefined) {
      if (raised !== undefined && this.#mayRaise(rule)) this.#raise(rule.alarmType, raised.severity);
    } else if (raised === undefined) {
      if (rule.clear === undefined || met.has(rule.clear)) this.#end(rule.alarmType);
    } else {
      const rise = compareSeverities(raised.severity, open.severity as typeof raised.severity);
      if ((rise > 0 && this.#mayRaise(rule)) || (rise < 0 && rule.downgrade)) {
        open.severity = raised.severity;
        open.events.push("SEVERITY_CHANGED");
      }
    }
  }

  #raise(alarmType: string, severity: string): void {
    const last = this.#alarms.findLast((alarm) => alarm.alarmType === alarmType);
    if (last?.isCleared && !last.isAcknowledged) {
      last.isCleared = false;
      last.severity = severity;
      last.events.push("REOPENED");
      return;
    }
    const fields = { alarmType, severity, isAcknowledged: false, isCleared: false };
    this.#alarms.push({ ...fields, events: ["CREATED"] });
  }
}

export interface GivenSchedule {
  readonly timezone: string;
  readonly days: readonly string[];
  readonly from: string;
  readonly to: string;
}

/** By what a clock at the place shows; there is no change of the clocks on the days of the model. */
function isWithin({ timezone, days, from, to }: GivenSchedule, timeMs: number): boolean {
  const shows = (moment: number) => {
    const format = new Intl.DateTimeFormat("en-GB", {
      timeZone: timezone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
    });
    const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
    const isDay = days.includes(parts.get("weekday")?.toUpperCase() ?? "");
    return { isDay, time: `${parts.get("hour")}:${parts.get("minute")}` };
  };
  const now = shows(timeMs);
  if (from < to) return now.isDay && now.time >= from && now.time < to;
  return (now.isDay && now.time >= from) || (shows(timeMs - 86_400_000).isDay && now.time < to);
}

const triggersOf = ({ creates, clear }: AlarmRule): AlarmTrigger[] =>
  clear === undefined ? [...creates] : [...creates, clear];
