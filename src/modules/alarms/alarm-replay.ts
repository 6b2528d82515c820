import { type AlarmSeverity, compareSeverities } from "../../lib/severity.ts";
import type { TelemetryValue } from "../telemetry/telemetry.types.ts";
import { evaluateRule, type Moment, type Outcome, type RuleState } from "./alarm-evaluation.ts";
import { renderMessage } from "./alarm-message.ts";
import type { AlarmRule, CreateTrigger } from "./alarm-rule.ts";
import { type KnownValue, observeArrival, silentAfterMs } from "./device-state.ts";

/** An alarm that a rule would have raised. Times in epoch ms. */
export interface ReplayedAlarm {
  readonly raisedAt: number;
  /** Time at which the alarm was cleared; `null` if it would still be open. */
  clearedAt: number | null;
  /** The highest that it would have had. */
  severity: AlarmSeverity;
  readonly message: string;
}

/**
 * Holds stored telemetry of one device against a rule, as if it came in now: its time stamps count as times of arrival, and the times at
 * which the rule would look by itself are gone through one by one.
 */
export class AlarmReplay {
  readonly alarms: ReplayedAlarm[] = [];
  readonly #values = new Map<string, KnownValue>();
  readonly #state: RuleState;
  #open: ReplayedAlarm | undefined;
  #severity: AlarmSeverity | undefined;
  #dueAt: number | undefined;

  constructor(
    readonly rule: AlarmRule,
    readonly device: {
      readonly name: string;
      attribute(scope: string, key: string): unknown;
    },
  ) {
    this.#state = { fingerprint: rule.fingerprint, triggers: [] };
  }

  /** A message; each is later than the one before. */
  take(ts: number, values: ReadonlyArray<readonly [string, TelemetryValue]>): void {
    this.advance(ts);
    const named = new Set<string>();
    for (const [key, value] of values) {
      const knownValue = this.#values.get(key);
      if (knownValue !== undefined) observeArrival(knownValue, ts);
      const hasChanged = knownValue !== undefined && !Bun.deepEquals(knownValue.value, value);
      this.#values.set(key, { ...knownValue, ts, at: ts, value, hasChanged });
      named.add(key);
    }
    this.#evaluate(ts, named);
  }

  /** Moves the time on to `to`, before which no value comes. */
  advance(to: number): void {
    while (this.#dueAt !== undefined && this.#dueAt <= to) this.#evaluate(this.#dueAt, undefined);
  }

  #evaluate(now: number, named: Moment["named"]): void {
    const values = this.#values;
    const outcome = evaluateRule(this.rule, this.#state, {
      now,
      named,
      cameAt: (key) => values.get(key)?.at,
      scope: {
        key: (name) => values.get(name)?.value,
        attribute: (scope, name) => this.device.attribute(scope, name),
        changed: (name) => values.get(name)?.hasChanged ?? false,
        isSilent: (name, forMs = silentAfterMs(values.get(name))) =>
          now - (values.get(name)?.at ?? now) >= forMs,
        silentAfterMs: (name) => silentAfterMs(values.get(name)),
      },
    });
    const heldMs = this.#act(outcome, now);
    const dueAt =
      heldMs > 0
        ? Math.min(outcome.dueAt ?? Number.POSITIVE_INFINITY, now + heldMs)
        : (outcome.dueAt ?? undefined);
    // What is due now has just been looked at.
    this.#dueAt = dueAt !== undefined && dueAt > now ? dueAt : undefined;
  }

  /** Returns the time for which the schedule suppresses the alarm, in ms. */
  #act({ raised, isOver }: Outcome, now: number): number {
    const open = this.#open;
    if (open !== undefined && isOver) {
      open.clearedAt = now;
      this.#open = undefined;
      return 0;
    }
    if (raised === undefined) return 0;
    const rise = this.#severity === undefined || open === undefined ? 1 : this.#riseTo(raised);
    if (rise <= 0) {
      if (rise < 0 && this.rule.downgrade) this.#severity = raised.severity;
      return 0;
    }
    const { schedule } = this.rule;
    if (schedule !== undefined && !schedule.isOpen(now)) return schedule.staysMs(now);
    this.#severity = raised.severity;
    if (open === undefined) this.#raise(raised, now);
    else if (compareSeverities(raised.severity, open.severity) > 0) open.severity = raised.severity;
    return 0;
  }

  #riseTo({ severity }: CreateTrigger): number {
    return compareSeverities(severity, this.#severity ?? severity);
  }

  #raise({ severity, message }: CreateTrigger, now: number): void {
    const { alarmType } = this.rule;
    const names = { deviceName: this.device.name, alarmType, severity };
    this.#open = {
      raisedAt: now,
      clearedAt: null,
      severity,
      message: renderMessage(message, names, { values: this.#values }).message,
    };
    this.alarms.push(this.#open);
  }
}
