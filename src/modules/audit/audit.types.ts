import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Principal, Role } from "../users/users.types.ts";
import type { AuditShare } from "./audit-shares.ts";

export const AUDIT_OUTCOMES = ["SUCCESS", "REFUSED", "FAILED"] as const;
/** REFUSED: the caller may not; FAILED: a sign-in that was none. */
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

export interface AuditActor {
  readonly type: "USER" | "API_KEY" | "COMMAND_LINE" | "ANONYMOUS";
  readonly id: string | null;
  /** Email address, or the key's name. */
  readonly name: string;
  /** The user who acts, if somebody acts as this user. */
  readonly impersonator?: { readonly id: string; readonly name: string } | undefined;
  /** Decides which part of the log the entries take. */
  readonly role?: Role | undefined;
  /** The user who created the API key: the entries of all keys of a user count as the user's own. */
  readonly keyOwnerId?: string | undefined;
}

export interface AuditTarget {
  readonly type: string;
  readonly id: string;
  readonly name?: string | undefined;
}

export interface NewAuditEntry {
  /** Tenant of the entry; `null` for a stranger. */
  readonly tenantId: TenantId | null;
  readonly actor: AuditActor;
  /** `device.update`: what it is about, and what was done. */
  readonly action: string;
  readonly outcome: AuditOutcome;
  readonly target?: AuditTarget | undefined;
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
  /** State before and after the change, without equal and secret fields. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Takes what somebody did into the audit log. Never throws: a log that cannot be written is itself logged. */
export interface AuditRecorder {
  record(entry: NewAuditEntry): void;
  /** Resolves once what was recorded is on the disk. */
  durable(): Promise<void>;
}

/** Request of a route, as its audit rule sees it. */
export interface AuditContext {
  readonly principal: Principal;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  readonly response: unknown;
}

/** Record that a changing route adds to the audit log, or the reason why it adds none. */
export type AuditRule = AuditedRoute | { readonly none: string };

interface AuditedRoute {
  readonly action: string;
  /** Type of the target, such as `device`. The first parameter of the path is its id. */
  readonly target: string;
  /** Returns the id of the target, if neither path nor response have it. */
  readonly id?: (context: AuditContext) => string;
  /** Returns the ids of the targets of a request for many things; each gets an entry. Called before the request and after it. */
  readonly each?: (context: AuditContext) => readonly string[];
  /** Field of the answer that has the id, where the path has none. */
  readonly created?: string;
  /** The thing as it is now; read before and after, and what differs is recorded. */
  readonly read?: (context: AuditContext, id: string) => unknown;
  /** Returns the content of the request, if there is nothing to read. */
  readonly details?: (context: AuditContext) => unknown;
}

export interface AuditEntry {
  /** Position in the order in which entries happened, whatever the clock said. */
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
  /** JSON text. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Scope of a reader: the entries of a tenant, without those about devices that the reader may not see. */
export interface AuditScope {
  readonly tenantId: TenantId;
  readonly devices: "all" | ReadonlySet<DeviceId>;
  /** Returns whether an id is that of a device that exists. */
  isDevice(id: string): boolean;
  /** True if entries of strangers are included, for the users of the gateway's own site. */
  readonly includesStrangers: boolean;
}

export interface AuditFilter {
  /** Epoch ms, both included. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Id of a user or key. */
  readonly actorId?: string | undefined;
  /** `device.update`, or `device.` for all of them. */
  readonly action?: string | undefined;
  readonly outcome?: AuditOutcome | undefined;
  readonly targetId?: string | undefined;
  /** Part of an actor's, impersonator's or target's name, or an address. */
  readonly search?: string | undefined;
}
