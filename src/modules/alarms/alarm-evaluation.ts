import type { ConditionScope } from "../../lib/condition.ts";
import type { AlarmRule, AlarmTrigger, CreateTrigger } from "./alarm-rule.ts";

/** Since when a condition has held, or when (without a window: how often in a row) it did. */
export interface TriggerState {
  since?: number;
  times?: number[];
  inRow?: number;
}

export interface RuleState {
  readonly fingerprint: string;
  /** Of the create rules, the most severe first, then of the clear rule. */
  readonly triggers: TriggerState[];
  /** It would have raised, and might not. */
  isHeld?: boolean;
}

export interface Moment {
  /** Steady epoch ms. */
  readonly now: number;
  readonly scope: ConditionScope;
  /** Keys that a message brought now; undefined when time passed or an attribute changed. */
  readonly named: ReadonlySet<string> | undefined;
  /** When a key last came; undefined for one that never did. */
  readonly cameAt: (key: string) => number | undefined;
}

export interface Outcome {
  /** The most severe that holds. */
  readonly raised: CreateTrigger | undefined;
  readonly isOver: boolean;
  /** When it is to be looked at again if nothing comes. */
  readonly dueAt: number | undefined;
}

export const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);

function repeats(
  { kind, keys, test }: AlarmTrigger,
  state: TriggerState,
  { now, named, scope }: Moment,
): { isMet: boolean; dueAt?: number | undefined } {
  if (kind.type !== "REPEATING") return { isMet: false };
  const { count, withinMs } = kind;
  const counts = [...(named ?? [])].some((key) => keys.has(key));
  if (withinMs === undefined) {
    if (counts) state.inRow = test(scope) ? Math.min((state.inRow ?? 0) + 1, count) : 0;
    return { isMet: (state.inRow ?? 0) >= count };
  }
  const times = (state.times ?? []).filter((at) => at > now - withinMs);
  if (counts && test(scope)) times.push(now);
  state.times = times.slice(-count);
  const [first] = state.times;
  // The oldest of them leaves the window at some time, and then they are too few.
  return times.length < count || first === undefined
    ? { isMet: false }
    : { isMet: true, dueAt: first + withinMs };
}

function evaluateTrigger(
  trigger: AlarmTrigger,
  state: TriggerState,
  moment: Moment,
): { isMet: boolean; dueAt?: number | undefined } {
  const { kind } = trigger;
  if (kind.type === "REPEATING") return repeats(trigger, state, moment);
  const holds = trigger.test(moment.scope);
  if (kind.type === "SIMPLE") return { isMet: holds };
  if (!holds) {
    delete state.since;
    return { isMet: false };
  }
  state.since ??= moment.now;
  const dueAt = state.since + kind.forMs;
  return moment.now >= dueAt ? { isMet: true } : { isMet: false, dueAt };
}

/** When a key that has come so far will have been silent for long enough. */
function silentAt({ silences }: AlarmTrigger, { now, cameAt }: Moment): number | undefined {
  let next: number | undefined;
  for (const { key, forMs } of silences) {
    const at = cameAt(key);
    if (at !== undefined && at + forMs > now) next = earliest(next, at + forMs);
  }
  return next;
}

/** Looks at every trigger, since each has to count; changes `state`. */
export function evaluateRule(rule: AlarmRule, state: RuleState, moment: Moment): Outcome {
  let raised: CreateTrigger | undefined;
  let dueAt: number | undefined;
  const look = (trigger: AlarmTrigger, index: number): boolean => {
    const own = state.triggers[index] ?? {};
    state.triggers[index] = own;
    const result = evaluateTrigger(trigger, own, moment);
    dueAt = earliest(dueAt, earliest(result.dueAt, silentAt(trigger, moment)));
    return result.isMet;
  };
  for (const [index, create] of rule.creates.entries()) if (look(create, index)) raised ??= create;
  const isCleared = rule.clear === undefined || look(rule.clear, rule.creates.length);
  return { raised, isOver: raised === undefined && isCleared, dueAt };
}
