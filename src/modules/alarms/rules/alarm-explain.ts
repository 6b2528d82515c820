import { type ExplainedCondition, explainCondition } from "../../../lib/alarms/condition-explain.ts";
import type { AlarmSeverity } from "../../../lib/alarms/severity.ts";
import { isJsonObject } from "../../../lib/json/json.ts";
import type { Alarm } from "../alarms.types.ts";
import { evaluateRule, type Moment, type RuleState, type TriggerState } from "../engine/alarm-evaluation.ts";
import type { AlarmRule, AlarmTrigger } from "./alarm-rule.ts";

/** Current state of a part of a rule. Times in epoch ms. */
export interface ExplainedTrigger {
  /** Severity of a create rule; `null` for the clear rule. */
  readonly severity: AlarmSeverity | null;
  readonly kind: "SIMPLE" | "DURATION" | "REPEATING";
  readonly forMs?: number;
  readonly count?: number;
  readonly withinMs?: number;
  readonly condition: ExplainedCondition;
  /** True if the rule is met, including its duration or count. */
  readonly isMet: boolean;
  /** DURATION: start of the time for which the condition has held. */
  readonly since?: number;
  /** DURATION: time at which the rule will be met if nothing changes. */
  readonly metAt?: number;
  /** REPEATING: current count. */
  readonly counted?: number;
}

export interface ExplainedRule {
  readonly alarmType: string;
  readonly triggers: ExplainedTrigger[];
  readonly openAlarmId: string | null;
  readonly openSeverity: AlarmSeverity | null;
  /** End of the suppression by maintenance or the rule's schedule; `null` if the rule can raise. */
  readonly heldUntil: number | null;
  /** Time of the next evaluation if no message arrives. */
  readonly dueAt: number | null;
}

function explainTrigger(
  trigger: AlarmTrigger,
  input: {
    node: unknown;
    severity: AlarmSeverity | null;
    state: TriggerState;
    moment: Moment;
    isMet: boolean;
  },
): ExplainedTrigger {
  const { node, state, moment, isMet } = input;
  const { kind } = trigger;
  const condition = explainCondition(isJsonObject(node) ? node.condition : undefined, moment.scope);
  const common = { severity: input.severity, kind: kind.type, condition, isMet };
  if (kind.type === "DURATION") {
    const { since } = state;
    const { forMs } = kind;
    if (since === undefined) return { ...common, forMs };
    return { ...common, forMs, since, ...(!isMet && { metAt: since + forMs }) };
  }
  if (kind.type === "REPEATING") {
    const { count, withinMs } = kind;
    const counted =
      withinMs === undefined
        ? (state.inRow ?? 0)
        : (state.times ?? []).filter((timeMs) => timeMs > moment.now - withinMs).length;
    return { ...common, count, counted, ...(withinMs !== undefined && { withinMs }) };
  }
  return common;
}

/** Returns why a rule currently raises an alarm for a device, or why not. Changes nothing. */
export function explainRule(
  rule: AlarmRule,
  input: {
    /** Stored rule. */
    node: unknown;
    state: RuleState | undefined;
    moment: Moment;
    open: Alarm | undefined;
    heldMs: number;
    dueAt: number | undefined;
  },
): ExplainedRule {
  const { moment, open, heldMs } = input;
  const node = isJsonObject(input.node) ? input.node : {};
  const written = Array.isArray(node.createRules) ? node.createRules : [];
  const writtenOf = (severity: AlarmSeverity) =>
    written.find((create) => isJsonObject(create) && create.severity === severity);
  const state: RuleState =
    input.state?.fingerprint === rule.fingerprint
      ? structuredClone(input.state)
      : { fingerprint: rule.fingerprint, triggers: [] };
  const { met } = evaluateRule(rule, state, moment);
  const stateOf = (index: number) => state.triggers[index] ?? {};
  const triggers = rule.creates.map((create, index) =>
    explainTrigger(create, {
      node: writtenOf(create.severity),
      severity: create.severity,
      state: stateOf(index),
      moment,
      isMet: met[index] === true,
    }),
  );
  if (rule.clear !== undefined)
    triggers.push(
      explainTrigger(rule.clear, {
        node: node.clearRule,
        severity: null,
        state: stateOf(rule.creates.length),
        moment,
        isMet: met[rule.creates.length] === true,
      }),
    );
  return {
    alarmType: rule.alarmType,
    triggers,
    openAlarmId: open?.alarmId ?? null,
    openSeverity: open?.severity ?? null,
    heldUntil: heldMs > 0 ? moment.now + heldMs : null,
    dueAt: input.dueAt ?? null,
  };
}
