import type { JsonValue } from "../../lib/api-types.ts";
import { call, get, post, queryOf } from "../../platform/api-client.ts";

export const SEVERITY_ORDER = ["CRITICAL", "MAJOR", "MINOR", "WARNING", "INDETERMINATE"] as const;
export type Severity = (typeof SEVERITY_ORDER)[number];
export type AlarmStatus = "ACTIVE_UNACK" | "ACTIVE_ACK" | "CLEARED_UNACK" | "CLEARED_ACK";

export interface Alarm {
  readonly alarmId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly deviceType: string;
  /** Of which type it is. */
  readonly name: string;
  readonly severity: Severity;
  readonly status: AlarmStatus;
  readonly message: string;
  readonly escalationLevel: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly acknowledgedAt?: string;
  readonly acknowledgedBy?: string;
  readonly clearedAt?: string;
  /** Absent where the rule did it. */
  readonly clearedBy?: string;
}

export type AlarmEventType =
  | "CREATED"
  | "SEVERITY_CHANGED"
  | "ESCALATED"
  | "ACK"
  | "CLEARED"
  | "REOPENED"
  | "COMMENT"
  | "NOTIFIED";

export const OPERATORS = [
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
] as const;
export type Operator = (typeof OPERATORS)[number];

export interface AlarmEvent {
  readonly eventId: string;
  readonly eventType: AlarmEventType;
  readonly message: string;
  /** Absent for the gateway itself. */
  readonly by?: string;
  readonly createdAt: string;
}

export interface ConditionPart {
  readonly all?: readonly ConditionPart[];
  readonly any?: readonly ConditionPart[];
  readonly not?: ConditionPart;
  readonly key?: string;
  readonly source?: string;
  readonly op?: Operator;
  readonly against?: unknown;
  readonly actual?: unknown;
  readonly forMs?: number;
  readonly holds: boolean;
}

export interface TriggerState {
  readonly severity: Severity | null;
  readonly kind: "SIMPLE" | "DURATION" | "REPEATING";
  readonly forMs?: number;
  readonly count?: number;
  readonly counted?: number;
  readonly since?: string;
  readonly metAt?: string;
  readonly condition: ConditionPart;
  readonly isMet: boolean;
}

export interface RuleState {
  readonly alarmType: string;
  readonly openAlarmId?: string;
  readonly heldUntil?: string;
  readonly triggers: readonly TriggerState[];
}

export interface AlarmFilter {
  readonly status?: string | undefined;
  readonly severity?: string | undefined;
  readonly search?: string | undefined;
  readonly deviceId?: string | undefined;
  readonly limit: number;
}

export interface BackTestResult {
  readonly deviceCount: number;
  readonly rowCount: number;
  readonly alarmCount: number;
  readonly alarms: ReadonlyArray<{
    readonly deviceId: string;
    readonly deviceName: string;
    readonly severity: Severity;
    readonly raisedAt: string;
    readonly clearedAt: string | null;
  }>;
  readonly isCut: boolean;
  readonly usesAttributes: boolean;
}

/** Holds stored telemetry against a rule; `from` and `to` in epoch ms. */
export const backTest = (request: { rule: JsonValue; profileId: string; from: number; to: number }) =>
  post<BackTestResult>("/api/alarms/back-test", request);

const one = (id: string) => `/api/alarms/${encodeURIComponent(id)}`;

export const alarmsApi = {
  async list({ deviceId, ...query }: AlarmFilter): Promise<{ rows: readonly Alarm[]; total: number }> {
    const path =
      deviceId === undefined ? "/api/alarms" : `/api/alarms/device/${encodeURIComponent(deviceId)}`;
    const answer = await call<Alarm[]>("GET", `${path}?${queryOf(query)}`);
    return { rows: answer.body, total: answer.total ?? answer.body.length };
  },
  get: (id: string) => get<Alarm>(one(id)),
  events: (id: string) => get<AlarmEvent[]>(`${one(id)}/events`),
  acknowledge: (alarmIds: readonly string[]) => call<unknown>("PATCH", "/api/alarms/ack/bulk", { alarmIds }),
  clear: (alarmIds: readonly string[]) => call<unknown>("PATCH", "/api/alarms/clear/bulk", { alarmIds }),
  comment: (id: string, message: string) => post<unknown>(`${one(id)}/comments`, { message }),
  explain: (deviceId: string) => get<RuleState[]>(`/api/devices/${encodeURIComponent(deviceId)}/alarm-rules`),
};
