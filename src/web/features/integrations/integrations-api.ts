import { call, get, post, queryOf } from "../../platform/api-client.ts";

/** Of the library; without a type for all devices that no other names. */
export interface CodecUse {
  readonly codecId: string;
  readonly deviceType?: string | undefined;
}

export type IntegrationType = "HTTP" | "MQTT" | "CHIRPSTACK" | "THE_THINGS_STACK";

/** A secret as it is told: that there is one. Sent back, it stays. */
export type Secret = string | { readonly kept: true };

export interface MqttSettings {
  readonly brokerUrl: string;
  readonly topicFilter: string | readonly string[];
  readonly topicDeviceRegex?: string;
  readonly topicTemplate?: string;
  readonly clientId?: string;
  readonly qos?: 0 | 1 | 2;
  readonly protocolVersion?: 4 | 5;
  readonly takeRetained?: boolean;
  readonly tls?: { readonly rejectUnauthorized?: boolean; readonly serverName?: string };
  readonly credentials?: {
    readonly username?: string;
    readonly password?: Secret;
    readonly ca?: string;
    readonly cert?: string;
    readonly key?: Secret;
  };
  readonly [other: string]: unknown;
}

export interface DownlinkSettings {
  readonly via?: "rest" | "mqtt";
  readonly url?: string;
  readonly apiKey?: Secret;
  readonly applicationId?: string;
  readonly webhookId?: string;
  readonly fPort?: number;
  readonly confirmed?: boolean;
  readonly [other: string]: unknown;
}

export interface IntegrationSettings {
  readonly format?: string;
  readonly autoCreateDevice?: boolean;
  readonly deviceType?: string;
  readonly radioPrefix?: string;
  readonly mqtt?: MqttSettings;
  readonly codecs?: readonly CodecUse[];
  readonly scriptTransform?: { readonly enabled: boolean; readonly source: string };
  readonly downlink?: DownlinkSettings;
  readonly [other: string]: unknown;
}

/** The connection to a broker. */
export interface Bridge {
  readonly status: "stopped" | "connecting" | "connected" | "waiting";
  /** ISO 8601, as all times here. */
  readonly since: string;
  /** What keeps it from its work now. */
  readonly problem: string | null;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
  readonly nextAttemptAt: string | null;
  /** Quality that the broker grants; null where it refuses. */
  readonly subscriptions: ReadonlyArray<{ readonly filter: string; readonly qos: number | null }>;
  readonly counts: { readonly received: number; readonly ignored: number; readonly tooLarge: number };
}

export interface Integration {
  readonly integrationId: string;
  readonly tenantId: string;
  readonly name: string;
  readonly type: IntegrationType;
  readonly status: "draft" | "active" | "paused" | "error";
  readonly isDefault: boolean;
  readonly settings_json: IntegrationSettings;
  readonly mappingSteps: readonly unknown[];
  readonly webhookUrl: string | null;
  /** What must exist before messages can arrive. */
  readonly missing: "WEBHOOK_SECRET" | null;
  readonly stats: {
    readonly received: number;
    readonly stored: number;
    readonly dropped: number;
    readonly failed: number;
    readonly sent: number;
    readonly lastMessageAt: string | null;
  };
  /** Null while it is not switched on, or has no broker. */
  readonly bridge: Bridge | null;
  readonly scriptBlocked: string | null;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
}

export type EventStatus = "PENDING" | "OK" | "ERROR" | "DROPPED";

export interface IntegrationEvent {
  readonly eventId: string;
  readonly seq: number;
  readonly direction: "IN" | "OUT";
  readonly status: EventStatus;
  readonly stage: string;
  readonly message: string;
  readonly topic: string | null;
  readonly replayable: boolean;
  readonly replayedAt: string | null;
  readonly createdAt: string;
  readonly payload: unknown;
  readonly result: unknown;
}

export type DownlinkStatus = "QUEUED" | "SENT" | "TRANSMITTED" | "ACKNOWLEDGED" | "FAILED";

export interface Downlink {
  readonly downlinkId: string;
  readonly status: DownlinkStatus;
  readonly error: string | null;
  readonly deviceId: string | null;
  readonly devEui: string | null;
  readonly fPort: number | null;
  readonly confirmed: boolean;
  readonly attempts: number;
  readonly createdAt: string;
}

export interface ListedDownlink extends Downlink {
  readonly payload: unknown;
  readonly isCommand: boolean;
}

export interface DownlinkForm {
  readonly deviceId?: string;
  readonly devEui?: string;
  readonly fPort?: number;
  readonly confirmed: boolean;
  readonly data?: string;
  readonly hex?: string;
  readonly object?: unknown;
}

/** Null takes a part of the settings away. */
export type SettingsChanges = { readonly [K in keyof IntegrationSettings]?: IntegrationSettings[K] | null };

export interface IntegrationForm {
  readonly name: string;
  readonly type: IntegrationType;
  readonly status?: "active" | "draft";
  readonly settings_json: IntegrationSettings;
}

const BASE = "/api/integrations";
const one = (id: string) => `${BASE}/${encodeURIComponent(id)}`;
const event = (id: string, eventId: string) => `${one(id)}/events/${encodeURIComponent(eventId)}`;

export interface SecretStatus {
  readonly tenantId: string;
  readonly hasSecret: boolean;
  readonly secretUpdatedAt: string | null;
}

export const integrationsApi = {
  list: () => get<Integration[]>(BASE),
  get: (id: string) => get<Integration>(one(id)),
  create: (form: IntegrationForm) => post<Integration>(BASE, form),
  update: async (id: string, changes: { name?: string; settings_json?: SettingsChanges }) =>
    (await call<Integration>("PATCH", one(id), changes)).body,
  delete: (id: string) => call<unknown>("DELETE", one(id)),
  start: (id: string) => post<Integration>(`${one(id)}/start`),
  pause: (id: string) => post<Integration>(`${one(id)}/pause`),
  setDefault: (id: string) => post<Integration>(`${one(id)}/set-default`),
  events: (id: string, query: { status?: EventStatus | undefined; search?: string; limit: number }) =>
    get<IntegrationEvent[]>(`${one(id)}/events?${queryOf(query)}`),
  replay: (id: string, eventId: string) =>
    post<{ status: EventStatus; message: string }>(`${event(id, eventId)}/replay`),
  replayAll: (id: string) => post<{ stored: number; failed: number }>(`${one(id)}/events/replay`),
  deleteEvents: (id: string) => call<unknown>("DELETE", `${one(id)}/events`),
  downlinks: (id: string, limit: number) =>
    get<ListedDownlink[]>(`${one(id)}/downlinks?${queryOf({ limit })}`),
  sendDownlink: (id: string, form: DownlinkForm) => post<Downlink>(`${one(id)}/downlink`, form),
  secret: () => get<SecretStatus>("/api/tenant/integration"),
  rotateSecret: (keepOld: boolean) =>
    post<{ secret: string }>("/api/tenant/integration/rotate-secret", { keepOld }),
};
