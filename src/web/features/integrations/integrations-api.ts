import type { downlinkAnswer, downlinkBody } from "../../../modules/downlinks/downlinks.schemas.ts";
import type {
  eventBody,
  integrationBody,
  takenBody,
} from "../../../modules/integrations/integrations.schemas.ts";
import type { Refined, Wire } from "../../lib/wire.ts";
import { get, patch, post, queryOf, remove } from "../../platform/api-client.ts";

export type Integration = Refined<
  Wire<typeof integrationBody>,
  { settings_json: IntegrationSettings; mappingSteps: readonly unknown[] }
>;
export type IntegrationType = Integration["type"];
/** The connection to a broker. */
export type Bridge = NonNullable<Integration["bridge"]>;
export type IntegrationEvent = Wire<typeof eventBody>;
export type EventStatus = IntegrationEvent["status"];
export type Downlink = Wire<typeof downlinkAnswer>;
export type ListedDownlink = Wire<typeof downlinkBody>;
export type DownlinkStatus = Downlink["status"];

/** Codec of the library; without a type it is for all devices that no other entry names. */
export interface CodecUse {
  readonly codecId: string;
  readonly deviceType?: string | undefined;
}

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

export interface DownlinkForm {
  readonly deviceId?: string;
  readonly devEui?: string;
  readonly fPort?: number;
  readonly confirmed: boolean;
  readonly data?: string;
  readonly hex?: string;
  readonly object?: unknown;
}

/** Changed settings; null removes a setting. */
export type SettingsChanges = { readonly [K in keyof IntegrationSettings]?: IntegrationSettings[K] | null };

export interface IntegrationForm {
  readonly name: string;
  readonly type: IntegrationType;
  readonly status?: "active" | "draft";
  readonly settings_json: IntegrationSettings;
}

const BASE = "/api/integrations";
const pathOf = (id: string) => `${BASE}/${encodeURIComponent(id)}`;
const event = (id: string, eventId: string) => `${pathOf(id)}/events/${encodeURIComponent(eventId)}`;

export interface SecretStatus {
  readonly tenantId: string;
  readonly hasSecret: boolean;
  readonly secretUpdatedAt: string | null;
}

export const integrationsApi = {
  list: () => get<Integration[]>(BASE),
  get: (id: string) => get<Integration>(pathOf(id)),
  create: (form: IntegrationForm) => post<Integration>(BASE, form),
  update: (id: string, changes: { name?: string; settings_json?: SettingsChanges }) =>
    patch<Integration>(pathOf(id), changes),
  delete: (id: string) => remove(pathOf(id)),
  start: (id: string) => post<Integration>(`${pathOf(id)}/start`),
  pause: (id: string) => post<Integration>(`${pathOf(id)}/pause`),
  setDefault: (id: string) => post<Integration>(`${pathOf(id)}/set-default`),
  events: (id: string, query: { status?: EventStatus | undefined; search?: string; limit: number }) =>
    get<IntegrationEvent[]>(`${pathOf(id)}/events?${queryOf(query)}`),
  replay: (id: string, eventId: string) => post<Wire<typeof takenBody>>(`${event(id, eventId)}/replay`),
  replayAll: (id: string) => post<{ stored: number; failed: number }>(`${pathOf(id)}/events/replay`),
  deleteEvents: (id: string) => remove(`${pathOf(id)}/events`),
  downlinks: (id: string, limit: number) =>
    get<ListedDownlink[]>(`${pathOf(id)}/downlinks?${queryOf({ limit })}`),
  sendDownlink: (id: string, form: DownlinkForm) => post<Downlink>(`${pathOf(id)}/downlink`, form),
  secret: () => get<SecretStatus>("/api/tenant/integration"),
  rotateSecret: (keepOld: boolean) =>
    post<{ secret: string }>("/api/tenant/integration/rotate-secret", { keepOld }),
};
