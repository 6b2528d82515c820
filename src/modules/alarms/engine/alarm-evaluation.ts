import type { ConditionScope } from "../../../lib/alarms/condition.ts";
import type { AlarmRule, AlarmTrigger, CreateTrigger } from "../rules/alarm-rule.ts";

/** Time since which a condition holds, or the times at which it did; without a window, the number of consecutive times. */
export interface TriggerState {
  since?: number | undefined;
  times?: number[];
  inRow?: number;
}

export interface RuleState {
  readonly fingerprint: string;
  /** States of the create rules, most severe first, followed by the clear rule. */
  readonly triggers: TriggerState[];
  /** True if the rule was met but suppressed. */
  isHeld?: boolean;
}

/** Returns whether the state is that of a rule that was never evaluated: nothing began, was counted or suppressed. */
export const isBlank = ({ triggers, isHeld }: RuleState): boolean =>
  isHeld !== true &&
  triggers.every(
    ({ since, times, inRow = 0 }) =>
      since === undefined && (times === undefined || times.length === 0) && inRow === 0,
  );

export interface Moment {
  /** Monotonic epoch ms. */
  readonly now: number;
  readonly scope: ConditionScope;
  /** Keys of the current message; undefined for elapsed time or a changed attribute. */
  readonly named: ReadonlySet<string> | undefined;
  /** Returns the time at which a key was last received; `undefined` if never. */
  readonly cameAt: (key: string) => number | undefined;
}

export interface Outcome {
  /** Most severe trigger that holds. */
  readonly raised: CreateTrigger | undefined;
  readonly isOver: boolean;
  /** Time of the next evaluation if no message arrives. */
  readonly dueAt: number | undefined;
  /** True if another message with the same values would count. */
  readonly counts: boolean;
  /** True if the stored state of the rule changed. */
  readonly hasChanged: boolean;
  /** Whether each rule is met: the create rules, most severe first, followed by the clear rule. */
  readonly met: readonly boolean[];
}

interface Evaluated {
  readonly isMet: boolean;
  readonly dueAt?: number | undefined;
  readonly counts?: boolean;
  readonly hasChanged?: boolean;
}

export const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

type Repeating = Extract<AlarmTrigger["kind"], { readonly type: "REPEATING" }>;

function repeats(trigger: AlarmTrigger, kind: Repeating, state: TriggerState, moment: Moment): Evaluated {
  const { scope, named } = moment;
  const isNamed = named !== undefined && anyOf(named, trigger.keys);
  const holds = trigger.test(scope);
  const { count, withinMs } = kind;
  if (withinMs !== undefined)
    return repeatsWithin(state, { count, withinMs, now: moment.now, holds, isCounted: isNamed && holds });
  const before = state.inRow ?? 0;
  if (isNamed) state.inRow = holds ? Math.min(before + 1, count) : 0;
  const inRow = state.inRow ?? 0;
  return { isMet: inRow >= count, counts: holds || inRow > 0, hasChanged: inRow !== before };
}

function repeatsWithin(
  state: TriggerState,
  input: { count: number; withinMs: number; now: number; holds: boolean; isCounted: boolean },
): Evaluated {
  const { count, withinMs, now, holds, isCounted } = input;
  const times = (state.times ?? []).filter((timeMs) => timeMs > now - withinMs);
  if (isCounted) times.push(now);
  state.times = times.slice(-count);
  const evaluated = { counts: holds, hasChanged: isCounted };
  const [first] = state.times;
  // The oldest of them leaves the window at some time, and then they are too few.
  return times.length < count || first === undefined
    ? { ...evaluated, isMet: false }
    : { ...evaluated, isMet: true, dueAt: first + withinMs };
}

function anyOf(named: ReadonlySet<string>, keys: ReadonlySet<string>): boolean {
  for (const key of named) if (keys.has(key)) return true;
  return false;
}

function evaluateTrigger(trigger: AlarmTrigger, state: TriggerState, moment: Moment): Evaluated {
  const { kind } = trigger;
  if (kind.type === "REPEATING") return repeats(trigger, kind, state, moment);
  const holds = trigger.test(moment.scope);
  if (kind.type === "SIMPLE") return { isMet: holds };
  const before = state.since;
  if (!holds) {
    state.since = undefined;
    return { isMet: false, hasChanged: before !== undefined };
  }
  state.since ??= moment.now;
  const dueAt = state.since + kind.forMs;
  const hasChanged = before === undefined;
  return moment.now >= dueAt ? { isMet: true, hasChanged } : { isMet: false, dueAt, hasChanged };
}

/** Returns the time at which a received key will have been silent for long enough. */
function silentAt({ silences }: AlarmTrigger, { now, cameAt, scope }: Moment): number | undefined {
  let next: number | undefined;
  for (const silence of silences) {
    const timeMs = cameAt(silence.key);
    const forMs = silence.forMs ?? scope.silentAfterMs?.(silence.key);
    if (timeMs === undefined || forMs === undefined) continue;
    if (timeMs + forMs > now) next = earliest(next, timeMs + forMs);
  }
  return next;
}

/** Of all triggers that remember nothing. */
const nothing: TriggerState = Object.freeze({});

/** Returns the initial state of a trigger: small, because thousands of devices have hundreds of rules each. */
const blankOf = ({ kind }: AlarmTrigger): TriggerState =>
  kind.type === "SIMPLE" ? nothing : kind.type === "DURATION" ? { since: undefined } : {};

/** Evaluates every trigger, even after a match, because each one updates its own state. Modifies `state`. */
export function evaluateRule(rule: AlarmRule, state: RuleState, moment: Moment): Outcome {
  let raised: CreateTrigger | undefined;
  let dueAt: number | undefined;
  let counts = false;
  let hasChanged = false;
  const met: boolean[] = [];
  const { creates } = rule;
  // Without closures and iterators: a message may evaluate hundreds of rules.
  for (let index = 0; index <= creates.length; index++) {
    const create = creates[index];
    const trigger = create ?? rule.clear;
    if (trigger === undefined) break;
    const own = state.triggers[index] ?? blankOf(trigger);
    state.triggers[index] = own;
    const result = evaluateTrigger(trigger, own, moment);
    counts ||= result.counts ?? false;
    hasChanged ||= result.hasChanged ?? false;
    dueAt = earliest(dueAt, earliest(result.dueAt, silentAt(trigger, moment)));
    met.push(result.isMet);
    if (result.isMet) raised ??= create;
  }
  const isCleared = rule.clear === undefined || met[creates.length] === true;
  return { raised, isOver: raised === undefined && isCleared, dueAt, counts, hasChanged, met };
}
