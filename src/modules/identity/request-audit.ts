import { DomainError } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { isJsonObject } from "../../lib/json/json.ts";
import { type PeerReader, requestClientOf } from "../../platform/network/request-arrival.ts";
import type {
  AuditActor,
  AuditContext,
  AuditOutcome,
  AuditRecorder,
  AuditRule,
  AuditTarget,
} from "../audit/audit.types.ts";
import type { Principal } from "../users/users.types.ts";

/** Arguments of a route's hooks that the audit log reads. */
export interface AuditedRequest {
  readonly request: Request;
  readonly server: PeerReader;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly response?: unknown;
}

/** Reads the object of a rule; undefined if it does not exist. */
function readQuietly(read: () => unknown): unknown {
  try {
    // A copy, because the request may change what the service returned.
    return structuredClone(read());
  } catch {
    return undefined;
  }
}

export function actorOf({ userId, email, role, apiKey, impersonator }: Principal): AuditActor {
  return {
    type: apiKey === undefined ? "USER" : "API_KEY",
    id: apiKey?.apiKeyId ?? userId,
    name: apiKey?.name ?? email,
    role,
    ...(apiKey?.createdBy && { keyOwnerId: apiKey.createdBy }),
    ...(impersonator && { impersonator: { id: impersonator.userId, name: impersonator.email } }),
  };
}

const nameOf = (thing: unknown): string | undefined => {
  if (!isJsonObject(thing)) return undefined;
  const name = [thing.name, thing.fullName, thing.email].find(
    (text) => typeof text === "string" && text !== "",
  );
  return name as string | undefined; // chosen for being a text
};

/** Audit rule in a route's description, because error handlers see the description but not the rule. */
export type RouteAudit = Pick<Exclude<AuditRule, { none: string }>, "action" | "target">;

function isRefusal(error: unknown): boolean {
  const cause = error instanceof Error && error.cause instanceof DomainError ? error.cause : error; // errors of parse hooks arrive wrapped
  return cause instanceof DomainError && cause.kind === "forbidden";
}

/** Returns the tenant that a request created for a user without one. */
function createdTenant({ response }: AuditedRequest): TenantId | null {
  const id = isJsonObject(response) ? response.tenantId : undefined;
  return typeof id === "string" ? (id as TenantId) : null; // of our own response
}

function contextOf(auditedRequest: AuditedRequest, principal: Principal): AuditContext {
  const params = isJsonObject(auditedRequest.params) ? (auditedRequest.params as Record<string, string>) : {}; // path parameters are texts
  return {
    principal,
    params,
    query: auditedRequest.query,
    body: auditedRequest.body,
    response: auditedRequest.response,
  };
}

function idOf(rule: Exclude<AuditRule, { none: string }>, context: AuditContext): string | undefined {
  if (rule.id !== undefined) return rule.id(context);
  if (rule.created === undefined) return Object.values(context.params)[0];
  const id = isJsonObject(context.response) ? context.response[rule.created] : undefined;
  return typeof id === "string" ? id : undefined;
}

const idsOf = (rule: Exclude<AuditRule, { none: string }>, context: AuditContext): readonly string[] =>
  rule.each?.(context) ?? [idOf(rule, context) ?? ""];

/** Creates the recording of a route's audit rule: the target before and after the request, or its refusal. */
export function createRequestAudit(recorder: AuditRecorder) {
  /** State of the targets of each request before the request, by id. */
  const before = new WeakMap<Request, ReadonlyMap<string, unknown>>();
  const callers = new WeakMap<Request, Principal>();

  function write(
    auditedRequest: AuditedRequest,
    principal: Principal,
    entry: {
      action: string;
      outcome: AuditOutcome;
      target: AuditTarget | undefined;
      before?: unknown;
      after?: unknown;
    },
  ): void {
    recorder.record({
      ...entry,
      tenantId: principal.tenantId === "" ? createdTenant(auditedRequest) : principal.tenantId,
      actor: actorOf(principal),
      address: requestClientOf(auditedRequest.request, auditedRequest.server)?.address,
      userAgent: auditedRequest.request.headers.get("user-agent") ?? undefined,
    });
  }

  return {
    before(rule: AuditRule, auditedRequest: AuditedRequest, principal: Principal): void {
      if ("none" in rule || rule.read === undefined || rule.created !== undefined) return;
      const { read } = rule;
      const context = contextOf(auditedRequest, principal);
      const states = idsOf(rule, context).map((id) => [id, readQuietly(() => read(context, id))] as const);
      before.set(auditedRequest.request, new Map(states));
    },
    /** Records the changes of the request immediately, because another request may follow. */
    done(rule: AuditRule, auditedRequest: AuditedRequest, principal: Principal): void {
      if ("none" in rule) return;
      const { read, details, action } = rule;
      const context = contextOf(auditedRequest, principal);
      for (const id of idsOf(rule, context)) {
        const was = before.get(auditedRequest.request)?.get(id);
        const is = readQuietly(() => (read === undefined ? details?.(context) : read(context, id)));
        const target = { type: rule.target, id, name: nameOf(is) ?? nameOf(was) };
        write(auditedRequest, principal, { action, outcome: "SUCCESS", target, before: was, after: is });
      }
    },
    /** Stores the user behind a request, permitted or not. */
    caller(request: Request, principal: Principal): void {
      callers.set(request, principal);
    },
    /** Records a request that ended in an error; the error says whether it was a refusal. */
    refused(rule: RouteAudit | undefined, auditedRequest: AuditedRequest, error: unknown): void {
      const principal = callers.get(auditedRequest.request);
      if (rule === undefined || principal === undefined || !isRefusal(error)) return;
      const id = Object.values(contextOf(auditedRequest, principal).params)[0] ?? "";
      const target = { type: rule.target, id };
      write(auditedRequest, principal, { action: rule.action, outcome: "REFUSED", target });
    },
  };
}

export type RequestAudit = ReturnType<typeof createRequestAudit>;
