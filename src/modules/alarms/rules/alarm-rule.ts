import {
  type CompiledCondition,
  type ConditionBound,
  type ConditionParts,
  compileAlarmCondition,
  DURATION_MS_MAX,
} from "../../../lib/alarms/condition.ts";
import {
  ALARM_SEVERITIES,
  type AlarmSeverity,
  compareSeverities,
  severitiesDescending,
} from "../../../lib/alarms/severity.ts";
import { DomainError, detail } from "../../../lib/core/domain-error.ts";
import { readStored } from "../../../lib/json/known-fields.ts";
import { excerpt } from "../../../lib/strings/excerpt.ts";
import { isTimeZone } from "../../../lib/time/time-zone.ts";
import {
  createWeeklyWindow,
  WEEKDAYS,
  type Weekday,
  type WeeklyWindow,
} from "../../../lib/time/weekly-window.ts";
import { type AlarmAction, compileActions, ensureUrls, type RefusalOf } from "../actions/alarm-actions.ts";
import { flag, only, text, whole, wrong } from "./rule-fields.ts";
import { compileScope, type RuleScope } from "./rule-scope.ts";

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)$/;
const DAY_MINUTES = 1_440;

function minutesOf(input: unknown, where: string, canEndDay = false): number {
  if (canEndDay && input === "24:00") return DAY_MINUTES;
  const [, hours, minutes] = (typeof input === "string" && TIME_OF_DAY.exec(input)) || [];
  if (hours === undefined || minutes === undefined)
    throw wrong(where, detail("rule.time_of_day", { last: canEndDay ? "24:00" : "23:59" }));
  return Number(hours) * 60 + Number(minutes);
}

function daysOf(input: unknown, where: string): ReadonlySet<Weekday> {
  if (input === undefined) return new Set(WEEKDAYS);
  const mistake = wrong(where, detail("rule.weekdays", { weekdays: WEEKDAYS.join(", ") }));
  if (!Array.isArray(input) || input.length === 0) throw mistake;
  return new Set(
    input.map((day) => {
      const existing = WEEKDAYS.find((weekday) => weekday === day);
      if (existing === undefined) throw mistake;
      return existing;
    }),
  );
}

/** Compiles the times at which a rule can raise: `{timezone, days?, from, to}`, past midnight if `to` is not later than `from`. */
function compileSchedule(input: unknown, where: string): WeeklyWindow {
  const node = only(input, where, ["timezone", "days", "from", "to"]);
  const { timezone } = node;
  if (!isTimeZone(timezone)) throw wrong(`${where}.timezone`, detail("rule.timezone"));
  return createWeeklyWindow({
    timezone,
    days: daysOf(node.days, `${where}.days`),
    from: minutesOf(node.from, `${where}.from`),
    to: minutesOf(node.to, `${where}.to`, true),
  });
}

/*
 * Alarm rules of a profile: `{id?, enabled?, alarmType, appliesTo?: {deviceIds?, deviceTypes?, tags?}, createRules: [{severity, condition,
 * kind?, message?}], clearRule?: {condition, kind?}, downgrade?, schedule?, propagateToGateway?, recipientIds?, actions?}`, where kind is
 * SIMPLE, DURATION with `forMs`, or REPEATING with `count` and `withinMs?`.
 */

const RULES_MAX = 500;
const TEXT_MAX = 256;
const MESSAGE_MAX = 1_000;
const COUNT_MAX = 1_000;
/** Max. times that the rules of a profile keep of each device: all are rewritten for each message that counts. */
const TIMES_MAX = 5_000;
const RECIPIENTS_MAX = 100;

export interface AlarmTrigger {
  readonly test: CompiledCondition;
  readonly keys: ReadonlySet<string>;
  readonly silences: ConditionParts["silences"];
  readonly bounds: ReadonlyMap<string, readonly ConditionBound[]>;
  readonly changing: ReadonlySet<string>;
  readonly comparisons: ConditionParts["comparisons"];
  readonly kind:
    | { readonly type: "SIMPLE" }
    | { readonly type: "DURATION"; readonly forMs: number }
    | { readonly type: "REPEATING"; readonly count: number; readonly withinMs: number | undefined };
}

export interface CreateTrigger extends AlarmTrigger {
  readonly severity: AlarmSeverity;
  readonly message: string;
}

export interface AlarmRule {
  readonly alarmType: string;
  /** False for a rule that raises nothing, and whose open alarms are cleared. */
  readonly isEnabled: boolean;
  /** Watched devices of the profile; `undefined` for all. */
  readonly appliesTo: RuleScope | undefined;
  /** Create rules, most severe first. */
  readonly creates: readonly CreateTrigger[];
  readonly clear: AlarmTrigger | undefined;
  readonly downgrade: boolean;
  /** Window in which the rule raises; `undefined` for always. */
  readonly schedule: WeeklyWindow | undefined;
  /** True if its alarms also apply to the device's gateway. */
  readonly propagates: boolean;
  /** Ids of the only notified users and messengers; `undefined` for all, by their own settings. */
  readonly recipientIds: readonly string[] | undefined;
  readonly actions: readonly AlarmAction[];
  readonly keys: ReadonlySet<string>;
  /** Names as `SCOPE/name`. */
  readonly attributes: ReadonlySet<string>;
  /** Changes with the rule, so that counts of an earlier version are discarded. */
  readonly fingerprint: string;
}

const TRIGGER_FIELDS = ["condition", "kind", "forMs", "count", "withinMs"];

function compileKind(node: Readonly<Record<string, unknown>>, where: string): AlarmTrigger["kind"] {
  const kind = node.kind ?? "SIMPLE";
  const spans: readonly [number, number] = [1, DURATION_MS_MAX];
  const belongs = { SIMPLE: [], DURATION: ["forMs"], REPEATING: ["count", "withinMs"] } as const;
  if (kind !== "SIMPLE" && kind !== "DURATION" && kind !== "REPEATING")
    throw wrong(`${where}.kind`, detail("rule.alarm_rule_kind"));
  for (const name of ["forMs", "count", "withinMs"])
    if (node[name] !== undefined && !belongs[kind].some((own) => own === name))
      throw wrong(`${where}.${name}`, detail("rule.does_not_belong", { kind }));
  if (kind === "SIMPLE") return { type: kind };
  if (kind === "DURATION") return { type: kind, forMs: whole(node.forMs, `${where}.forMs`, spans) };
  return {
    type: kind,
    count: whole(node.count, `${where}.count`, [1, COUNT_MAX]),
    withinMs: node.withinMs === undefined ? undefined : whole(node.withinMs, `${where}.withinMs`, spans),
  };
}

type Attributes = Set<string>;

function compileTrigger(
  node: Readonly<Record<string, unknown>>,
  where: string,
  attributes: Attributes,
): AlarmTrigger {
  const condition = compileAlarmCondition(node.condition, `${where}.condition`);
  for (const attribute of condition.attributes) attributes.add(attribute);
  return { ...condition, kind: compileKind(node, where) };
}

function compileCreate(input: unknown, where: string, attributes: Attributes): CreateTrigger {
  const node = only(input, where, ["severity", "message", ...TRIGGER_FIELDS]);
  const severity = ALARM_SEVERITIES.find((alarmSeverity) => alarmSeverity === node.severity);
  if (severity === undefined)
    throw wrong(`${where}.severity`, detail("rule.one_of", { values: severitiesDescending.join(", ") }));
  const message = node.message === undefined ? "" : text(node.message, `${where}.message`, MESSAGE_MAX);
  return { ...compileTrigger(node, where, attributes), severity, message };
}

const RULE_FIELDS = [
  "id",
  "enabled",
  "alarmType",
  "appliesTo",
  "createRules",
  "clearRule",
  "downgrade",
  "schedule",
  "propagateToGateway",
  "recipientIds",
  "actions",
];

function compileRecipients(input: unknown, where: string): readonly string[] | undefined {
  if (input === undefined) return undefined;
  if (!Array.isArray(input) || input.length > RECIPIENTS_MAX)
    throw wrong(where, detail("rule.at_most", { max: RECIPIENTS_MAX }));
  return input.map((id, index) => text(id, `${where}[${index}]`, TEXT_MAX));
}

function compileRule(input: unknown, where: string): AlarmRule {
  const node = only(input, where, RULE_FIELDS);
  if (node.id !== undefined) text(node.id, `${where}.id`, TEXT_MAX);
  const alarmType = text(node.alarmType, `${where}.alarmType`, TEXT_MAX);
  const downgrade = flag(node.downgrade, `${where}.downgrade`);
  const { createRules } = node;
  if (!Array.isArray(createRules) || createRules.length === 0 || createRules.length > ALARM_SEVERITIES.length)
    throw wrong(`${where}.createRules`, detail("rule.severities_list", { max: ALARM_SEVERITIES.length }));
  const attributes: Attributes = new Set();
  const creates = createRules
    .map((create, index) => compileCreate(create, `${where}.createRules[${index}]`, attributes))
    .sort((a, b) => compareSeverities(b.severity, a.severity));
  if (new Set(creates.map(({ severity }) => severity)).size < creates.length)
    throw wrong(`${where}.createRules`, detail("rule.severity_twice"));
  const clear =
    node.clearRule === undefined
      ? undefined
      : compileTrigger(
          only(node.clearRule, `${where}.clearRule`, TRIGGER_FIELDS),
          `${where}.clearRule`,
          attributes,
        );
  const keys = new Set([...creates, ...(clear ? [clear] : [])].flatMap((trigger) => [...trigger.keys]));
  if (keys.size === 0 && attributes.size === 0) throw wrong(where, detail("rule.never_raised"));
  return {
    alarmType,
    isEnabled: flag(node.enabled, `${where}.enabled`, true),
    appliesTo: compileScope(node.appliesTo, `${where}.appliesTo`),
    creates,
    clear,
    downgrade,
    schedule: node.schedule === undefined ? undefined : compileSchedule(node.schedule, `${where}.schedule`),
    propagates: flag(node.propagateToGateway, `${where}.propagateToGateway`),
    recipientIds: compileRecipients(node.recipientIds, `${where}.recipientIds`),
    actions: compileActions(node.actions, `${where}.actions`),
    keys,
    attributes,
    fingerprint: Bun.hash(JSON.stringify(input)).toString(36),
  };
}

/** Returns the number of times that a rule keeps of each device. */
const timesOf = ({ creates, clear }: AlarmRule): number =>
  [...creates, ...(clear ? [clear] : [])].reduce(
    (sum, { kind }) => (kind.type === "REPEATING" && kind.withinMs !== undefined ? sum + kind.count : sum),
    0,
  );

/** @throws DomainError `invalid` that names the part and its error */
export function compileAlarmRules(input: readonly unknown[]): AlarmRule[] {
  if (input.length > RULES_MAX) throw wrong("alarmRules", detail("rule.at_most", { max: RULES_MAX }));
  const types = new Set<string>();
  const rules = input.map((candidate, index) => {
    const where = `alarmRules[${index}]`;
    const rule = compileRule(candidate, where);
    if (types.has(rule.alarmType))
      throw wrong(
        `${where}.alarmType`,
        detail("rule.alarm_type_taken", { alarmType: excerpt(rule.alarmType) }),
      );
    types.add(rule.alarmType);
    return rule;
  });
  if (rules.reduce((sum, rule) => sum + timesOf(rule), 0) > TIMES_MAX)
    throw wrong("alarmRules", detail("rule.counts_max", { max: TIMES_MAX }));
  return rules;
}

/** Checks of rules beyond their form. */
export interface RuleChecks {
  readonly refusalOf: RefusalOf;
  /** Returns whether a user or messenger of the tenant has the id. */
  readonly isRecipient: (id: string) => boolean;
  /** Returns whether a device of the tenant has the id. */
  readonly isDevice: (id: string) => boolean;
  /**
   * Replaced rules. Their recipients, devices and URLs stay valid, so that a deleted recipient or device, or an old URL, does not block other
   * changes.
   */
  readonly before: readonly unknown[];
}

const webhooksIn = (actions: AlarmRule["actions"]): string[] =>
  actions.flatMap((action) => (action.type === "webhook" ? action.target.url : []));

/** Returns the webhook URLs of rules. Unreadable rules have none. */
export const webhookUrlsOf = (rules: readonly unknown[]): string[] =>
  compileKnownRules(rules, () => undefined).flatMap(({ actions }) => webhooksIn(actions));

/** Returns the ids of recipients and devices, and the URLs, in rules. */
const namedIn = (rules: readonly unknown[]): Set<string> =>
  new Set(
    compileKnownRules(rules, () => undefined).flatMap(({ recipientIds = [], appliesTo, actions }) => [
      ...recipientIds,
      ...(appliesTo?.deviceIds ?? []),
      ...webhooksIn(actions),
    ]),
  );

/** Checks rules before they are stored. @throws DomainError `invalid` that names the invalid part */
export function checkAlarmRules(input: readonly unknown[], checks: RuleChecks): void {
  let named: ReadonlySet<string> | undefined;
  const wasNamed = (idOrUrl: string) => {
    named ??= namedIn(checks.before);
    return named.has(idOrUrl);
  };
  /** Ids already found valid; the rules of a profile often share them. */
  const good = new Set<string>();
  const ensureGood = (
    ids: readonly string[],
    exists: (id: string) => boolean,
    fail: (position: number) => Error,
  ) => {
    for (const [position, id] of ids.entries()) {
      if (good.has(id)) continue;
      if (!exists(id) && !wasNamed(id)) throw fail(position);
      good.add(id);
    }
  };
  for (const [index, { actions, recipientIds = [], appliesTo }] of compileAlarmRules(input).entries()) {
    const where = `alarmRules[${index}]`;
    const { deviceIds = [] } = appliesTo ?? {};
    ensureUrls(actions, `${where}.actions`, { refusalOf: checks.refusalOf, wasNamed });
    ensureGood(recipientIds, checks.isRecipient, (position) => {
      const reason = detail("rule.recipient_unknown", { id: excerpt(recipientIds[position] ?? "") });
      return wrong(`${where}.recipientIds[${position}]`, reason);
    });
    ensureGood(deviceIds, checks.isDevice, (position) => {
      const reason = detail("rule.device_unknown", { deviceId: excerpt(deviceIds[position] ?? "") });
      return wrong(`${where}.appliesTo.deviceIds[${position}]`, reason);
    });
  }
}

/** Returns the stored rules that this version can run; unreadable rules of another version are skipped. */
export function compileKnownRules(
  input: readonly unknown[],
  onUnknown: (error: DomainError) => void,
): AlarmRule[] {
  const types = new Set<string>();
  return input.flatMap((candidate, index) => {
    try {
      const rule = readStored(() => compileRule(candidate, `alarmRules[${index}]`));
      if (types.has(rule.alarmType)) return [];
      types.add(rule.alarmType);
      return [rule];
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      onUnknown(error);
      return [];
    }
  });
}
