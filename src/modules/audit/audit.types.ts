import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Principal, Role } from "../users/users.types.ts";
import type { AuditShare } from "./audit-shares.ts";

export const AUDIT_OUTCOMES = ["SUCCESS", "REFUSED", "FAILED"] as const;
/** REFUSED: not permitted; FAILED: unsuccessful sign-in. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export interface AuditActor {
  readonly type: "USER" | "API_KEY" | "COMMAND_LINE" | "ANONYMOUS";
  readonly id: string | null;
  /** Email address, or name of the key. */
  readonly name: string;
  /** User who acts as this user, if any. */
  readonly impersonator?: { readonly id: string; readonly name: string } | undefined;
  /** Decides to which share of the log the entries count. */
  readonly role?: Role | undefined;
  /** Creator of the API key; entries of all keys of a user count as the user's own. */
  readonly keyOwnerId?: string | undefined;
}

export interface AuditTarget {
  readonly type: string;
  readonly id: string;
  readonly name?: string | undefined;
}

export interface NewAuditEntry {
  /** Tenant of the entry; `null` for an unknown caller. */
  readonly tenantId: TenantId | null;
  readonly actor: AuditActor;
  /** Object and operation, such as `device.update`. */
  readonly action: string;
  readonly outcome: AuditOutcome;
  readonly target?: AuditTarget | undefined;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
  /** State before and after the change, without equal and secret fields. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Records actions in the audit log. Never throws; write errors of the log are logged. */
export interface AuditRecorder {
  record(entry: NewAuditEntry): void;
  /** Resolves once recorded entries are on disk. */
  durable(): Promise<void>;
}

/** Request of a route, as passed to its audit rule. */
export interface AuditContext {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly response: unknown;
}

/** Entry that a changing route adds to the audit log, or the reason why it adds none. */
export type AuditRule = AuditedRoute | { readonly none: string };

interface AuditedRoute {
  readonly action: string;
  /** Type of the target, such as `device`. The first parameter of the path is its id. */
  readonly target: string;
  /** Returns the id of the target, if neither path nor response contain it. */
  readonly id?: (context: AuditContext) => string;
  /** Returns the ids of the targets of a bulk request; each gets an entry. Called before and after the request. */
  readonly each?: (context: AuditContext) => readonly string[];
  /** Field of the response that contains the id, if the path does not. */
  readonly created?: string;
  /** Returns the current target; called before and after the request to record the difference. */
  readonly read?: (context: AuditContext, id: string) => unknown;
  /** Returns the content of the request, if there is no target to read. */
  readonly details?: (context: AuditContext) => unknown;
}

export interface AuditEntry {
  /** Order of events, independent of the clock. */
  readonly sequence: number;
  readonly auditId: string;
  readonly tenantId: TenantId | null;
  readonly at: number;
  readonly actorType: AuditActor["type"];
  readonly actorId: string | null;
  readonly actorName: string;
  readonly impersonatorId: string | null;
  readonly impersonatorName: string | null;
  readonly action: string;
  readonly outcome: AuditOutcome;
  readonly share: AuditShare;
  readonly holder: string;
  readonly targetType: string | null;
  readonly targetId: string | null;
  readonly targetName: string | null;
  readonly address: string | null;
  readonly userAgent: string | null;
  /** JSON string. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Scope of a reader: the entries of a tenant, without those about hidden devices. */
export interface AuditScope {
  readonly tenantId: TenantId;
  readonly devices: "all" | ReadonlySet<DeviceId>;
  /** Returns whether an id belongs to an existing device. */
  isDevice(id: string): boolean;
  /** True to include entries of unknown callers, for users of the gateway's own tenant. */
  readonly includesStrangers: boolean;
}

export interface AuditFilter {
  /** Epoch ms, inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Id of a user or key. */
  readonly actorId?: string | undefined;
  /** Action such as `device.update`; `device.` for all of a kind. */
  readonly action?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly targetId?: string | undefined;
  /** Part of the name of an actor, impersonator or target, or of an address. */
  readonly search?: string | undefined;
}
