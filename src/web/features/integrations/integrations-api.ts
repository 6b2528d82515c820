import type { newSecretBody, webhookAddresses } from "../../../modules/connectivity/connectivity.schemas.ts";
import type {
  downlinkBody,
  downlinkRequestBody,
  downlinkResponse,
} from "../../../modules/downlinks/downlinks.schemas.ts";
import type { settingsSchema } from "../../../modules/integrations/integration-settings.schemas.ts";
import type {
  createIntegrationBody,
  discoveredBody,
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
export type Downlink = Wire<typeof downlinkResponse>;
export type ListedDownlink = Wire<typeof downlinkBody>;
export type DownlinkStatus = Downlink["status"];

export type IntegrationSettings = Wire<typeof settingsSchema>;
/** Codec of the library. Without a type, it applies to all devices without another entry. */
export type CodecUse = NonNullable<IntegrationSettings["codecs"]>[number];
/** A secret, or its placeholder, which keeps it. */
export type DownlinkForm = Wire<typeof downlinkRequestBody>;

/** Changed settings; null removes a setting. */
export type SettingsChanges = { readonly [K in keyof IntegrationSettings]?: IntegrationSettings[K] | null };

export type IntegrationForm = Refined<
  Pick<Wire<typeof createIntegrationBody>, "name" | "type" | "status">,
  { settings_json: IntegrationSettings }
>;
export type DiscoveredNetwork = Wire<typeof discoveredBody>["networks"][number];
export type SecretStatus = Wire<typeof webhookAddresses>;

const BASE = "/api/integrations";
const pathOf = (id: string) => `${BASE}/${encodeURIComponent(id)}`;
const event = (id: string, eventId: string) => `${pathOf(id)}/events/${encodeURIComponent(eventId)}`;

export const integrationsApi = {
  list: () => get<Integration[]>(BASE),
  get: (id: string) => get<Integration>(pathOf(id)),
  discovered: () => get<Wire<typeof discoveredBody>>(`${BASE}/discovered`),
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
    post<Wire<typeof newSecretBody>>("/api/tenant/integration/rotate-secret", { keepOld }),
};
