import type { escalationBody } from "../../../modules/alarms/alarms.schemas.ts";
import type { settingsBody, testResult } from "../../../modules/notifications/notifications.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { call, get, post } from "../../platform/api-client.ts";

export type EscalationSettings = Wire<typeof escalationBody>;
export type TellingSettings = Wire<typeof settingsBody>;
export type Messaging = NonNullable<TellingSettings["messaging"]>;
export type TestResult = Wire<typeof testResult>;

export const METHODS = ["POST", "PUT", "PATCH"] as const satisfies readonly Messaging["method"][];

const settings = "/api/notifications/settings";
const escalation = "/api/alarms/escalation-settings";

export const notificationsApi = {
  settings: () => get<TellingSettings>(settings),
  saveSettings: async (changes: Partial<Omit<TellingSettings, "mailDelivering">>) =>
    (await call<TellingSettings>("PATCH", settings, changes)).body,
  escalation: () => get<EscalationSettings>(escalation),
  saveEscalation: async (changes: EscalationSettings) =>
    (await call<EscalationSettings>("PATCH", escalation, changes)).body,
  test: (channel: "email" | "messaging") => post<TestResult>("/api/notifications/test", { channel }),
};
