import { call, get, load, post, queryOf } from "../../platform/api.ts";
import type {
  Appearance,
  AuditEntry,
  AuditQuery,
  Branding,
  ListedMail,
  Mail,
  TenantBranding,
  TenantProfile,
  TenantUsage,
} from "./site-types.ts";

const mail = (id: string): string => `/api/outbox/${encodeURIComponent(id)}`;

export const siteApi = {
  tenant: () => get<TenantProfile>("/api/tenant/profile"),
  renameTenant: async (tenantName: string) =>
    (await call<TenantProfile>("PATCH", "/api/tenant/profile", { tenantName })).body,
  deleteTenant: (tenantName: string) => call<unknown>("DELETE", "/api/tenant", { tenantName }),
  usage: () => get<TenantUsage>("/api/tenant/usage"),

  /** Before anybody has signed in. */
  appearance: () => get<Appearance>("/api/branding"),
  branding: () => get<TenantBranding>("/api/tenant/branding"),
  setBranding: async (branding: Branding) =>
    (await call<TenantBranding>("PUT", "/api/tenant/branding", branding)).body,
  clearBranding: () => call<unknown>("DELETE", "/api/tenant-attributes/branding"),

  /** A page of entries, and where the next one begins. */
  async audit(query: AuditQuery & { limit: number; cursor?: string | undefined }) {
    const { body, total, next } = await call<AuditEntry[]>("GET", `/api/audit?${queryOf(query)}`);
    const cursor = next && new URLSearchParams(next.split("?")[1]).get("cursor");
    return { rows: body, total: total ?? body.length, cursor: cursor || undefined };
  },
  auditActions: () => get<string[]>("/api/audit/actions"),
  exportAudit: (query: AuditQuery & { format: "csv" | "ndjson" }) =>
    load(`/api/audit/export?${queryOf(query)}`),

  async mails(query: { search: string; state: string; limit: number }) {
    const { body, total } = await call<ListedMail[]>("GET", `/api/outbox?${queryOf(query)}`);
    return { rows: body, total: total ?? body.length };
  },
  mail: (id: string) => get<Mail>(mail(id)),
  sendMail: (id: string) => post<Mail>(`${mail(id)}/retry`),
};
