import { call, get, load, queryOf } from "../../platform/api-client.ts";

export const OUTCOMES = ["SUCCESS", "REFUSED", "FAILED"] as const;

export interface AuditEntry {
  readonly auditId: string;
  readonly at: string;
  readonly actorType: "USER" | "API_KEY" | "COMMAND_LINE" | "ANONYMOUS";
  readonly actorId?: string;
  readonly actorName: string;
  readonly impersonatorName?: string;
  readonly action: string;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly targetType?: string;
  readonly targetId?: string;
  readonly targetName?: string;
  readonly address?: string;
  readonly userAgent?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface AuditQuery {
  readonly search?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly targetId?: string;
  readonly from?: string;
}

export const auditApi = {
  /** A page of entries, and where the next one begins. */
  async list(query: AuditQuery & { limit: number; cursor?: string | undefined }) {
    const { body, total, next } = await call<AuditEntry[]>("GET", `/api/audit?${queryOf(query)}`);
    const cursor = next && new URLSearchParams(next.split("?")[1]).get("cursor");
    return { rows: body, total: total ?? body.length, cursor: cursor || undefined };
  },
  actions: () => get<string[]>("/api/audit/actions"),
  export: (query: AuditQuery & { format: "csv" | "ndjson" }) => load(`/api/audit/export?${queryOf(query)}`),
};
