import { jwt } from "@elysiajs/jwt";
import { type DocumentDecoration, Elysia, t } from "elysia";
import { forbidden, unauthenticated } from "../../lib/core/domain-error.ts";
import { LARGE_BODY_BYTES, readExactJson, receiveJson } from "../../lib/network/request-bytes.ts";
import type { BodySpace } from "../../platform/load/body-space.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { type PeerServer, peerOf } from "../api/request-peer.ts";
import type { AuditRule } from "../audit/audit.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { AccessTokens, Authenticator } from "./identity.types.ts";
import { isAllowedFor, isBeforeTenant, needsPerson, type Permission } from "./permissions.ts";
import type { AuditedRequest, RequestAudit } from "./request-audit.ts";

const TOKEN_LIFETIME_SECONDS = 12 * 3600;
const ISSUER = "lineside";
/** Max. cached verified tokens. */
const VERIFIED_MAX = 1_000;
/** Audience of tokens for this API; tokens signed by the same key for other purposes are refused. */
const AUDIENCE = "lineside-api";

/** Creates access tokens by @elysiajs/jwt: HS256 with the gateway's own key, valid for 12 h of monotonic time (`now`, epoch ms). */
export function createAccessTokens(secret: Uint8Array, now: () => number): AccessTokens {
  const { decorator } = new Elysia().use(
    jwt({
      name: "jwt",
      secret,
      alg: "HS256",
      iss: ISSUER,
      aud: AUDIENCE,
      schema: t.Object({
        sub: t.String(),
        sid: t.String(),
        gen: t.Integer({ minimum: 0 }),
        email: t.String(),
        tenantId: t.Optional(t.String()),
        role: t.Optional(t.String()),
      }),
    }),
  );
  async function read(token: string, currentDate: Date) {
    if (!isCanonical(token)) return undefined;
    const claims = await decorator.jwt.verify(token, {
      currentDate,
      algorithms: ["HS256"],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ["exp"],
    });
    return claims === false ? undefined : claims;
  }
  /** Claims of verified tokens, because a program repeats its token with every request. */
  const verified = new Map<string, { readonly sid: string; readonly gen: number; readonly exp: number }>();
  return {
    sign: (claims) =>
      decorator.jwt.sign({ ...claims, exp: Math.floor(now() / 1000) + TOKEN_LIFETIME_SECONDS }),
    async verify(token) {
      const cached = verified.get(token);
      if (cached !== undefined && Math.floor(now() / 1000) < cached.exp)
        return { sid: cached.sid, gen: cached.gen };
      verified.delete(token);
      const claims = await read(token, new Date(now()));
      if (claims === undefined) return undefined;
      const { sid, gen, exp = 0 } = claims;
      if (verified.size >= VERIFIED_MAX) verified.clear();
      verified.set(token, { sid, gen, exp });
      return { sid, gen };
    },
    async readExpired(token) {
      const claims = await read(token, new Date(0));
      return claims && { sub: claims.sub };
    },
  };
}

/** Returns whether each part is canonical base64url, without characters that a lenient decoder skips, so that each token has one spelling. */
const isCanonical = (token: string): boolean =>
  token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);

const BEARER = /^Bearer ([^\s]+)$/i;

/** Permissions of small requests that must work on a full disk: sign-in, freeing space, and urgent operations. */
const KEPT_POSSIBLE: ReadonlySet<Permission> = new Set([
  "session:use",
  "gateway:manage",
  "commands:write",
  "alarms:handle",
  "users:change",
]);

/** Returns whether a request adds data to the databases. */
const addsData = ({ method, url }: Request, permission: Permission): boolean =>
  /^(?:POST|PUT|PATCH)$/.test(method) &&
  !permission.endsWith(":read") &&
  !KEPT_POSSIBLE.has(permission) &&
  !/\/delete\/?$/.test(new URL(url).pathname);

interface RouteContext {
  readonly request: Request;
  readonly server: PeerServer | null;
  readonly params?: Readonly<Record<string, string | undefined>> | undefined;
}

/** `audit` option of routes, with the principals found by `auth`. */
const auditMacro = (requestAudit: RequestAudit, principals: WeakMap<Request, Principal>) => ({
  audit: (rule: AuditRule) => ({
    detail: {
      "x-audit": "none" in rule ? { none: rule.none } : { action: rule.action, target: rule.target },
    } as DocumentDecoration,
    // Both run right before the handler, without other requests in between. Elysia parses their source to find what they need.
    beforeHandle({ request, server, params, query, body }: AuditedRequest) {
      const principal = principals.get(request);
      if (principal !== undefined)
        requestAudit.before(rule, { request, server, params, query, body }, principal);
    },
    afterHandle({ request, server, params, query, body, response }: AuditedRequest) {
      const principal = principals.get(request);
      if (principal !== undefined)
        requestAudit.done(rule, { request, server, params, query, body, response }, principal);
    },
  }),
});

/**
 * `auth: "<permission>"` on a route: the caller must be signed in (otherwise 401 without a body, before the request is parsed or validated) and
 * permitted (otherwise 403); the handler gets `principal`, the only source of user and tenant. After the body has been read, the request waits for
 * its turn, so that simultaneous long requests run in separate rounds of the event loop. `exactJson: true`, after `auth`, on a route with free-form
 * JSON, such as parameters of a command: long integers keep their digits. `audit: {action, target, …}` on a changing route: its entry in the audit
 * log, or the reason for none.
 */
export function createAuthPlugin(
  authenticator: Authenticator,
  requestAudit: RequestAudit,
  {
    responses,
    bodySpace,
    ensureRoom,
  }: {
    readonly responses: Pick<ResponseSpace, "note">;
    readonly bodySpace: Pick<BodySpace, "take">;
    /** @throws DomainError `unavailable` if the disk has no room for a change of `bytes` */
    readonly ensureRoom: (bytes: number) => void;
  },
) {
  /** Principal of each request, resolved once by the first hook that needs it. */
  const principals = new WeakMap<Request, Principal>();

  async function authenticate(
    token: string,
    { request, server }: RouteContext,
  ): Promise<Principal | undefined> {
    const principal = await authenticator.authenticate(token);
    // The response does not wait for this entry.
    if (principal === undefined)
      authenticator.refused(token, peerOf(request, server), "api").catch(() => undefined);
    return principal;
  }

  function ensurePermission(
    principal: Principal,
    permission: Permission,
    params: RouteContext["params"],
  ): void {
    if (principal.apiKey !== undefined && needsPerson(permission)) throw forbidden("auth.person_needed");
    if (!isBeforeTenant(permission) && principal.tenantId === "") throw forbidden("auth.no_tenant");
    if (!isAllowedFor(principal, permission, params?.userId))
      throw forbidden("auth.forbidden", { permission });
  }

  async function ensureAllowed(context: RouteContext, permission: Permission): Promise<void> {
    const { request, params } = context;
    if (principals.has(request)) return;
    const token = BEARER.exec(request.headers.get("authorization") ?? "")?.[1];
    const principal = token === undefined ? undefined : await authenticate(token, context);
    if (principal === undefined) throw unauthenticated("auth.required");
    requestAudit.caller(request, principal);
    ensurePermission(principal, permission, params);
    if (addsData(request, permission)) ensureRoom(Number(request.headers.get("content-length") ?? 0));
    responses.note(request, principal);
    principals.set(request, principal);
  }

  return new Elysia({ name: "auth" }).macro({
    auth: (permission: Permission) => ({
      // `x-permission` is for the documentation and the tests of permissions.
      detail: { security: [{ bearerAuth: [] }], "x-permission": permission } as DocumentDecoration,
      async parse({ request, server, params }: RouteContext, contentType: string) {
        await ensureAllowed({ request, server, params }, permission);
        // A body without a length may be large, too.
        const isLarge = !(Number(request.headers.get("content-length") ?? Number.NaN) < LARGE_BODY_BYTES);
        const principal = principals.get(request);
        if (!isLarge || principal === undefined) return;
        bodySpace.take(request, principal);
        if (contentType === "application/json") await receiveJson(request);
        await workShare.enter(principal);
      },
      async transform({ request, server, params }: RouteContext) {
        await ensureAllowed({ request, server, params }, permission);
        const turn = workShare.enter(principals.get(request));
        if (turn !== undefined) await turn;
      },
      resolve({ request }: { request: Request }) {
        const principal = principals.get(request);
        if (principal === undefined) throw unauthenticated("auth.required");
        return { principal };
      },
    }),
    exactJson: (_: true) => ({ parse: readExactJson }),
    ...auditMacro(requestAudit, principals),
  });
}

export type AuthPlugin = ReturnType<typeof createAuthPlugin>;
