import type { escalationBody } from "../../../modules/alarms/alarms.schemas.ts";
import type { settingsBody, testResult } from "../../../modules/notifications/notifications.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, patch, post } from "../../platform/api-client.ts";

export type EscalationSettings = Wire<typeof escalationBody>;
export type NotificationSettings = Wire<typeof settingsBody>;
export type Messaging = NonNullable<NotificationSettings["messaging"]>;
export type TestResult = Wire<typeof testResult>;

const SETTINGS = "/api/notifications/settings";
const ESCALATION = "/api/alarms/escalation-settings";

export const notificationsApi = {
  settings: () => get<NotificationSettings>(SETTINGS),
  saveSettings: (changes: Partial<Omit<NotificationSettings, "mailDelivering">>) =>
    patch<NotificationSettings>(SETTINGS, changes),
  escalation: () => get<EscalationSettings>(ESCALATION),
  saveEscalation: (changes: EscalationSettings) => patch<EscalationSettings>(ESCALATION, changes),
  test: (channel: "email" | "messaging") => post<TestResult>("/api/notifications/test", { channel }),
};
