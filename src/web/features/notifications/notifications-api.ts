import { call, get, post } from "../../platform/api-client.ts";

export interface EscalationSettings {
  readonly level1To2Minutes: number;
  readonly level2To3Minutes: number;
  readonly stopOnAck: boolean;
  readonly stopOnClear: boolean;
}

export const METHODS = ["POST", "PUT", "PATCH"] as const;

export interface Messaging {
  readonly url: string;
  readonly method: (typeof METHODS)[number];
  /** Null: kept, and shown to nobody. */
  readonly headers: Readonly<Record<string, string | null>>;
  readonly contentType: string;
  readonly body: string;
}

export interface TellingSettings {
  readonly language: "en" | "de";
  readonly timezone: string;
  readonly digestAfter: number;
  readonly digestMinutes: number;
  readonly messaging: Messaging | null;
  readonly mailDelivering: boolean;
}

export interface TestResult {
  readonly success: boolean;
  readonly message: string;
  readonly status?: number;
  readonly answer?: string;
}

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
