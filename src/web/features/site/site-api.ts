import { call, get } from "../../platform/api-client.ts";
import type { Appearance } from "../../platform/appearance.ts";

export interface TenantProfile {
  readonly tenantId: string;
  readonly tenantName?: string;
  readonly planName: string;
  readonly whitelabelEnabled: boolean;
}

/** Null: no limit. */
export interface PlanLimits {
  readonly devices: number | null;
  readonly users: number | null;
  readonly retentionDays: number | null;
  readonly messagesPerSecond: number | null;
  readonly bytesPerSecond: number | null;
  readonly storedBytes: number | null;
  readonly keysPerDevice: number | null;
  readonly keys: number | null;
  readonly mqttConnections: number | null;
  readonly mqttSessions: number | null;
  readonly queuedBytes: number | null;
  readonly auditEntries: number | null;
}

export interface TenantUsage {
  /** The tenant of the gateway's own people, which cannot be deleted. */
  readonly isHost: boolean;
  readonly plan: { readonly id: string; readonly name: string; readonly limits: PlanLimits };
  readonly usage: {
    readonly devices: number;
    readonly users: number;
    readonly messagesPerSecond: number;
    readonly messagesRefusedPerMinute: number;
    readonly bytesPerSecond: number;
    readonly storedBytes: number;
    readonly keys: number;
    readonly mqttConnections: number;
    readonly mqttConnectionsRefused: number;
    readonly mqttSessions: number;
    readonly queuedBytes: number;
    readonly queuedMessagesDropped: number;
    readonly auditEntries: number;
  };
  /** Limits in force: of the plan, or of the gateway's settings. */
  readonly quotas: {
    readonly bytesPerSecond: number | null;
    readonly storedBytes: number | null;
    readonly keysPerDevice: number | null;
    readonly keys: number | null;
    readonly mqttConnections: number | null;
    readonly mqttSessions: number | null;
    readonly queuedBytes: number | null;
    readonly auditEntries: number;
  };
}

export interface Branding {
  readonly name?: string;
  readonly logo?: string;
  readonly primaryColor?: string;
}

export interface TenantBranding {
  readonly whitelabelEnabled: boolean;
  readonly branding: Branding;
  readonly appearance: Appearance;
}

export const siteApi = {
  tenant: () => get<TenantProfile>("/api/tenant/profile"),
  renameTenant: async (tenantName: string) =>
    (await call<TenantProfile>("PATCH", "/api/tenant/profile", { tenantName })).body,
  deleteTenant: (tenantName: string) => call<unknown>("DELETE", "/api/tenant", { tenantName }),
  usage: () => get<TenantUsage>("/api/tenant/usage"),
  branding: () => get<TenantBranding>("/api/tenant/branding"),
  setBranding: async (branding: Branding) =>
    (await call<TenantBranding>("PUT", "/api/tenant/branding", branding)).body,
  clearBranding: () => call<unknown>("DELETE", "/api/tenant-attributes/branding"),
};
