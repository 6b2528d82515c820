import { type AlarmSeverity, severitiesDescending } from "../../../../lib/alarms/severity.ts";
import type { JsonValue } from "../../../lib/wire.ts";
import { OPERATORS, type Operator } from "../alarms-api.ts";

/** Comparison in a row of a condition. `NO_DATA`: the key has not arrived for some time. */
export type RowOperator = Operator | "NO_DATA";
export const ROW_OPERATORS: readonly RowOperator[] = [...OPERATORS, "NO_DATA"];

export interface ConditionRow {
  readonly key: string;
  readonly op: RowOperator;
  /** Value as typed; several values are separated by commas. */
  readonly value: string;
  /** Compared attribute instead of a value; "" for none. */
  readonly attribute: string;
  readonly scope: string;
  /** `NO_DATA`: null for three times the usual interval of the key. */
  readonly forMs: number | null;
}

/** Rows for a simple condition, otherwise its JSON text. */
export type ConditionForm =
  | { readonly join: "all" | "any"; readonly rows: readonly ConditionRow[] }
  | { readonly json: string };

export interface TriggerForm {
  readonly severity: AlarmSeverity;
  readonly condition: ConditionForm;
  readonly kind: "SIMPLE" | "DURATION" | "REPEATING";
  readonly forMs: number;
  readonly count: number;
  /** Null for consecutive messages. */
  readonly withinMs: number | null;
  readonly message: string;
}

export interface ScheduleForm {
  readonly timezone: string;
  readonly days: readonly string[];
  readonly from: string;
  readonly to: string;
}

/** Devices of the profile that a rule watches: those with one of the ids, types or tags. */
export interface RuleScopeForm {
  readonly deviceIds: readonly string[];
  readonly deviceTypes: readonly string[];
  readonly tags: readonly string[];
}

/** Returns whether a scope is empty, which the gateway refuses. */
export const isEmptyScope = (scope: RuleScopeForm): boolean =>
  Object.values(scope).every((list: readonly string[]) => list.length === 0);

export interface RuleForm {
  readonly alarmType: string;
  readonly enabled: boolean;
  /** Null for all devices of the profile. */
  readonly appliesTo: RuleScopeForm | null;
  readonly creates: readonly TriggerForm[];
  readonly clear: TriggerForm | null;
  readonly downgrade: boolean;
  readonly propagateToGateway: boolean;
  readonly schedule: ScheduleForm | null;
  /** Ids of the only users who are notified; null for all users. */
  readonly recipientIds: readonly string[] | null;
  /** Fields of the rule that the form keeps without showing them. */
  readonly others: Readonly<Record<string, JsonValue>>;
}

export const DAYS = ["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"] as const;

export const newRow = (): ConditionRow => ({
  key: "",
  op: "GT",
  value: "",
  attribute: "",
  scope: "SERVER",
  forMs: null,
});

export const newTrigger = (severity: AlarmSeverity): TriggerForm => ({
  severity,
  condition: { join: "all", rows: [newRow()] },
  kind: "SIMPLE",
  forMs: 60_000,
  count: 3,
  withinMs: null,
  message: "",
});

export const newRule = (): RuleForm => ({
  alarmType: "",
  enabled: true,
  appliesTo: null,
  creates: [newTrigger("MAJOR")],
  clear: null,
  downgrade: false,
  propagateToGateway: false,
  schedule: null,
  recipientIds: null,
  others: {},
});

/** Returns the most severe unused severity of the rule. */
export const freeSeverity = ({ creates }: RuleForm): AlarmSeverity | undefined =>
  severitiesDescending.find((severity) => creates.every((create) => create.severity !== severity));

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text);

/** Parses a value: `12` is a number, `true` is true, `"12"` and all other input is text. */
export function readValue(text: string): JsonValue {
  const trimmed = text.trim();
  if (isNumber(trimmed)) return Number(trimmed);
  if (trimmed === "true" || trimmed === "false") return trimmed === "true";
  return /^".*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed;
}

function writeValue(value: unknown): string {
  if (Array.isArray(value)) return value.map(writeValue).join(", ");
  if (typeof value !== "string") return JSON.stringify(value) ?? "";
  return isNumber(value) || value === "true" || value === "false" || value.includes(",")
    ? `"${value}"`
    : value;
}

/** Parses a list. Commas within quotes belong to the text. */
const readList = (text: string): JsonValue[] =>
  (text.match(/"[^"]*"|[^,]+/g) ?? [])
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map(readValue);

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const hasOnly = (node: Json, names: readonly string[]): boolean =>
  Object.keys(node).every((name) => names.includes(name));
const text = (value: unknown, otherwise = ""): string => (typeof value === "string" ? value : otherwise);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map((item) => text(item)) : []);
const number = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);
const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

const silenceOf = (forMs: unknown): number | null => (typeof forMs === "number" ? forMs : null);

function rowOf(node: unknown): ConditionRow | undefined {
  if (!isObject(node)) return undefined;
  const { noData, attribute, value } = node;
  if (isObject(noData) && hasOnly(node, ["noData"]))
    return { ...newRow(), key: text(noData.key), op: "NO_DATA", forMs: silenceOf(noData.forMs) };
  const op = OPERATORS.find((candidate) => candidate === node.op);
  if (op === undefined || typeof node.key !== "string") return undefined;
  if ((node.source ?? "telemetry") !== "telemetry") return undefined;
  const row = { ...newRow(), key: node.key, op };
  if (isObject(attribute))
    return { ...row, attribute: text(attribute.key), scope: text(attribute.scope, "SERVER") };
  if (op === "CHANGED") return row;
  const isList = op === "IN" || op === "BETWEEN";
  const isPlain = isList ? Array.isArray(value) && value.every(isScalar) : isScalar(value);
  return isPlain ? { ...row, value: writeValue(value) } : undefined;
}

function conditionOf(condition: unknown): ConditionForm {
  const join = isObject(condition) && "any" in condition ? "any" : "all";
  const list = isObject(condition) ? (condition.all ?? condition.any) : undefined;
  const rows = (Array.isArray(list) ? list : [condition]).map(rowOf);
  const conditionRows = rows.filter((row) => row !== undefined);
  if (conditionRows.length < rows.length || rows.length === 0)
    return { json: JSON.stringify(condition, null, 2) };
  return { join, rows: conditionRows };
}

function writeRow({ key, op, value, attribute, scope, forMs }: ConditionRow): Record<string, JsonValue> {
  if (op === "NO_DATA") return { noData: { key, ...(forMs !== null && { forMs }) } };
  if (op === "CHANGED") return { key, op };
  if (attribute !== "") return { key, op, attribute: { key: attribute, scope } };
  return { key, op, value: op === "IN" || op === "BETWEEN" ? readList(value) : readValue(value) };
}

/** @throws SyntaxError for invalid JSON */
function writeCondition(form: ConditionForm): JsonValue {
  if ("json" in form) return JSON.parse(form.json) as JsonValue;
  const rows = form.rows.map(writeRow);
  const [first] = rows;
  return rows.length === 1 && first !== undefined ? first : { [form.join]: rows };
}

function triggerOf(node: unknown): TriggerForm {
  const input = isObject(node) ? node : {};
  const severity = severitiesDescending.find((candidate) => candidate === input.severity) ?? "MAJOR";
  const fresh = newTrigger(severity);
  return {
    severity,
    condition: conditionOf(input.condition),
    kind: input.kind === "DURATION" || input.kind === "REPEATING" ? input.kind : "SIMPLE",
    forMs: number(input.forMs, fresh.forMs),
    count: number(input.count, fresh.count),
    withinMs: typeof input.withinMs === "number" ? input.withinMs : null,
    message: text(input.message),
  };
}

function writeTrigger({ condition, kind, forMs, count, withinMs }: TriggerForm): Record<string, JsonValue> {
  return {
    condition: writeCondition(condition),
    ...(kind !== "SIMPLE" && { kind }),
    ...(kind === "DURATION" && { forMs }),
    ...(kind === "REPEATING" && { count, ...(withinMs !== null && { withinMs }) }),
  };
}

export function toRuleForm(rule: unknown): RuleForm {
  const input = isObject(rule) ? rule : {};
  const {
    alarmType,
    enabled,
    appliesTo,
    createRules,
    clearRule,
    downgrade,
    propagateToGateway,
    schedule,
    recipientIds,
    ...others
  } = input;
  return {
    alarmType: text(alarmType),
    enabled: enabled !== false,
    appliesTo: isObject(appliesTo)
      ? {
          deviceIds: texts(appliesTo.deviceIds),
          deviceTypes: texts(appliesTo.deviceTypes),
          tags: texts(appliesTo.tags),
        }
      : null,
    creates: (Array.isArray(createRules) ? createRules : []).map(triggerOf),
    clear: clearRule === undefined ? null : triggerOf(clearRule),
    downgrade: downgrade === true,
    propagateToGateway: propagateToGateway === true,
    schedule: isObject(schedule)
      ? {
          timezone: text(schedule.timezone),
          days: Array.isArray(schedule.days) ? texts(schedule.days) : [...DAYS],
          from: text(schedule.from),
          to: text(schedule.to),
        }
      : null,
    recipientIds: Array.isArray(recipientIds) ? texts(recipientIds) : null,
    others: others as Record<string, JsonValue>,
  };
}

/** Converts the form for the gateway. @throws SyntaxError for invalid JSON of a condition */
export function fromRuleForm(form: RuleForm): Record<string, JsonValue> {
  const { schedule, appliesTo } = form;
  return {
    ...form.others,
    ...(!form.enabled && { enabled: false }),
    alarmType: form.alarmType.trim(),
    ...(appliesTo !== null && {
      appliesTo: Object.fromEntries(
        Object.entries(appliesTo).flatMap(([name, list]) => (list.length > 0 ? [[name, [...list]]] : [])),
      ),
    }),
    createRules: form.creates.map((create) => ({
      severity: create.severity,
      ...writeTrigger(create),
      ...(create.message.trim() !== "" && { message: create.message.trim() }),
    })),
    ...(form.clear !== null && { clearRule: writeTrigger(form.clear) }),
    ...(form.downgrade && { downgrade: true }),
    ...(form.propagateToGateway && { propagateToGateway: true }),
    ...(form.recipientIds !== null && { recipientIds: [...form.recipientIds] }),
    ...(schedule !== null && {
      schedule: {
        timezone: schedule.timezone,
        ...(schedule.days.length < DAYS.length && { days: [...schedule.days] }),
        from: schedule.from,
        to: schedule.to,
      },
    }),
  };
}
