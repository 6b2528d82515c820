import { messageIn } from "../../../lib/alarms/message-parts.ts";
import type { KeyMetadata } from "../../../lib/keys/key-metadata.ts";
import type { alarmBody, alarmEventBody, openAlarmsBody } from "../../../modules/alarms/alarms.schemas.ts";
import type {
  backTestResponse,
  explainedCondition,
  listedRuleBody,
  ruleBody,
} from "../../../modules/alarms/rules/alarm-rules.schemas.ts";
import type { alarmStatisticsBody } from "../../../modules/alarms/statistics/alarm-statistics.schemas.ts";
import type { JsonValue, Refined, Wire } from "../../lib/wire.ts";
import { get, getPage, patch, post, queryOf } from "../../platform/api-client.ts";
import { serverNow } from "../../platform/now.ts";
import { language } from "../../platform/preferences.ts";

export type Alarm = Wire<typeof alarmBody>;
export type OpenAlarms = Wire<typeof openAlarmsBody>;
/** Returns the message of an alarm in the language of the reader. */
export const alarmMessage = (alarm: Pick<Alarm, "message" | "messageParts">): string =>
  messageIn(alarm, language.value);
export type AlarmStatistics = Wire<typeof alarmStatisticsBody>;
export type ListedRule = Refined<
  Wire<typeof listedRuleBody>,
  { readonly rule: JsonValue; readonly keyMetadata: readonly KeyMetadata[] }
>;
export type AlarmEvent = Wire<typeof alarmEventBody>;
export type BackTestResult = Wire<typeof backTestResponse>;

export type ConditionPart = Wire<typeof explainedCondition>;
export type Operator = NonNullable<ConditionPart["op"]>;
export const OPERATORS: readonly Operator[] = [
  "GT",
  "GE",
  "LT",
  "LE",
  "EQ",
  "NE",
  "BETWEEN",
  "IN",
  "CONTAINS",
  "STARTS_WITH",
  "CHANGED",
];

type RuleResponse = Wire<typeof ruleBody>;
export type TriggerState = Refined<RuleResponse["triggers"][number], { condition: ConditionPart }>;
export type RuleState = Refined<RuleResponse, { triggers: readonly TriggerState[] }>;

export interface AlarmFilter {
  readonly status?: string | undefined;
  readonly severity?: string | undefined;
  readonly search?: string | undefined;
  readonly deviceId?: string | undefined;
  /** Gateway whose own alarms and those of its children are listed. */
  readonly gatewayId?: string | undefined;
  readonly tag?: string | undefined;
  readonly deviceType?: string | undefined;
  readonly profileId?: string | undefined;
  /** Alarm type of the rule. */
  readonly name?: string | undefined;
  readonly sort?: string | undefined;
  readonly offset?: number | undefined;
  /** Limits the list to alarms that were open in this time range, in epoch ms. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly limit: number;
}

/** Evaluates a rule on stored telemetry; `from` and `to` in epoch ms. */
export const backTest = (request: { rule: JsonValue; profileId: string; from: number; to: number }) =>
  post<BackTestResult>("/api/alarms/back-test", request);

/** Counts the devices of a profile that a rule with this scope would watch. */
export const countWatched = (profileId: string, appliesTo: object | undefined) =>
  post<{ deviceCount: number }>(`/api/device-profiles/${encodeURIComponent(profileId)}/watched-devices`, {
    appliesTo,
  });

/** Returns the rules of all profiles. */
export const listRules = (search: string) =>
  get<ListedRule[]>(`/api/alarm-rules?${queryOf({ search: search || undefined, limit: 10_000 })}`);

/** Returns the statistics of the last `spanMs`. */
export const alarmStatistics = (request: { spanMs: number; operators: string; tag: string | undefined }) => {
  const { spanMs, ...query } = request;
  const from = Math.floor(serverNow() - spanMs);
  return get<AlarmStatistics>(`/api/alarms/statistics?${queryOf({ ...query, from, to: from + spanMs })}`);
};

const pathOf = (id: string) => `/api/alarms/${encodeURIComponent(id)}`;

export const alarmsApi = {
  list: ({ deviceId, ...query }: AlarmFilter) =>
    getPage<Alarm>(
      deviceId === undefined ? "/api/alarms" : `/api/alarms/device/${encodeURIComponent(deviceId)}`,
      query,
    ),
  /** Returns the devices with open alarms, most severe first. */
  open: async () => (await get<{ devices: OpenAlarms[] }>("/api/alarms/open")).devices,
  get: (id: string) => get<Alarm>(pathOf(id)),
  events: (id: string) => get<AlarmEvent[]>(`${pathOf(id)}/events`),
  acknowledge: (alarmIds: readonly string[]) => patch<unknown>("/api/alarms/ack/bulk", { alarmIds }),
  clear: (alarmIds: readonly string[]) => patch<unknown>("/api/alarms/clear/bulk", { alarmIds }),
  comment: (id: string, message: string) => post<unknown>(`${pathOf(id)}/comments`, { message }),
  commentAll: (alarmIds: readonly string[], message: string) =>
    post<unknown>("/api/alarms/comments/bulk", { alarmIds, message }),
  explain: (deviceId: string) => get<RuleState[]>(`/api/devices/${encodeURIComponent(deviceId)}/alarm-rules`),
};
