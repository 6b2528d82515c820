import { isJsonObject } from "../json/json.ts";
import { readStored } from "../json/known-fields.ts";
import { type ConditionOperator, type ConditionScope, compileAlarmCondition } from "./condition.ts";

/** Condition in its original form, with the result of each part. */
export interface ExplainedCondition {
  readonly all?: ExplainedCondition[];
  readonly any?: ExplainedCondition[];
  readonly not?: ExplainedCondition;
  /** Key of a comparison or of a check for silence. */
  readonly key?: string;
  readonly source?: string;
  readonly scope?: string;
  readonly op?: ConditionOperator | "CHANGED";
  /** Compared value; null if there is none. */
  readonly against?: unknown;
  /** Current value; null if there is none. */
  readonly actual?: unknown;
  /** `noData`: required silence in ms. */
  readonly forMs?: number;
  /** `noData`: true if `forMs` is derived from the usual interval of the key. */
  readonly isObserved?: true;
  readonly holds: boolean;
}

const text = (value: unknown, otherwise: string): string => (typeof value === "string" ? value : otherwise);

function compared(node: Record<string, unknown>, scope: ConditionScope): Omit<ExplainedCondition, "holds"> {
  const key = text(node.key, "");
  const source = text(node.source, "telemetry");
  const of = text(node.scope, "SERVER");
  const actual = (source === "attribute" ? scope.attribute(of, key) : scope.key(key)) ?? null;
  const { attribute } = node;
  const against = isJsonObject(attribute)
    ? (scope.attribute(text(attribute.scope, "SERVER"), text(attribute.key, "")) ?? null)
    : node.value;
  return {
    key,
    source,
    ...(source === "attribute" && { scope: of }),
    op: node.op as ConditionOperator | "CHANGED", // the condition compiled
    ...(against !== undefined && { against }),
    actual,
  };
}

/** Explains a condition that has been compiled before, so that it is known to be well-formed. */
export function explainCondition(condition: unknown, scope: ConditionScope): ExplainedCondition {
  const node = isJsonObject(condition) ? condition : {};
  const { test } = readStored(() => compileAlarmCondition(condition, "condition"));
  const holds = test(scope);
  const inner = (part: unknown) => explainCondition(part, scope);
  if (Array.isArray(node.all)) return { all: node.all.map(inner), holds };
  if (Array.isArray(node.any)) return { any: node.any.map(inner), holds };
  if (node.not !== undefined) return { not: inner(node.not), holds };
  if (isJsonObject(node.noData)) {
    const key = text(node.noData.key, "");
    const { forMs } = node.noData;
    return {
      key,
      forMs: typeof forMs === "number" ? forMs : (scope.silentAfterMs?.(key) ?? 0),
      ...(forMs === undefined && { isObserved: true }),
      actual: scope.key(key) ?? null,
      holds,
    };
  }
  return { ...compared(node, scope), holds };
}
