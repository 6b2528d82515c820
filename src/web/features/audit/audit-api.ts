import type { auditBody } from "../../../modules/audit/audit.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { call, get, load, queryOf } from "../../platform/api-client.ts";

export type AuditEntry = Wire<typeof auditBody>;

export const OUTCOMES = ["SUCCESS", "REFUSED", "FAILED"] as const;

export interface AuditQuery {
  readonly search?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly targetId?: string;
  readonly from?: string;
}

export const auditApi = {
  /** Returns a page of entries, and the start of the next page. */
  async list(query: AuditQuery & { limit: number; cursor?: string | undefined }) {
    const { body, total, next } = await call<AuditEntry[]>("GET", `/api/audit?${queryOf(query)}`);
    const cursor = next && new URLSearchParams(next.split("?")[1]).get("cursor");
    return { rows: body, total: total ?? body.length, cursor: cursor || undefined };
  },
  actions: () => get<string[]>("/api/audit/actions"),
  export: (query: AuditQuery & { format: "csv" | "ndjson" }) => load(`/api/audit/export?${queryOf(query)}`),
};
