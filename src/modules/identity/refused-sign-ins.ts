import { DomainError } from "../../lib/core/domain-error.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import { secretHint, shownName } from "../../lib/strings/secret-hint.ts";
import { type Peer, type PeerServer, peerOf } from "../api/request-peer.ts";
import type { PresentedIdentity, RefusalReason, ReportRefusal } from "../faults/refusals.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { ExternalSignIn } from "./provider/external-sign-in.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { SignIn } from "./provider/sign-in.ts";
import { watchedSignIns } from "./watched-sign-ins.ts";

/** Error codes that end a sign-in, and the reasons under which they are listed. */
const REASONS: ReadonlyMap<string, RefusalReason> = new Map([
  ["sign_in.wrong", "password_wrong"],
  ["second_factor.wrong", "second_factor_wrong"],
  ["sign_in.throttled", "too_many_tries"],
  ["sign_in.temporary_expired", "password_expired"],
]);

/** Error codes and reasons of sign-ins at an external provider. */
const EXTERNAL_REASONS: ReadonlyMap<string, RefusalReason> = new Map([
  ["sign_in.expired", "sign_in_expired"],
  ["external.refused", "external_refused"],
  ["external.no_email", "external_unverified"],
  ["external.unverified", "external_unverified"],
  ["external.unknown", "user_unknown"],
  ["external.disabled", "user_disabled"],
]);

/** Returns the identity of a refused sign-in, hidden unless it is an address: some users type their password into the address field. */
const identityOf = (email: string): PresentedIdentity => ({
  kind: "user",
  name: email.includes("@") ? shownName(normalizeEmail(email)) : secretHint(email),
});

/** Wraps the provider so that it reports refused sign-ins, including those of disabled users. */
export function reportingRefusals(
  provider: IdentityProvider,
  { users, report }: { users: Pick<UsersService, "findByEmail">; report: ReportRefusal },
): IdentityProvider {
  type Attempt = Pick<SignIn, "email" | "address" | "protocol" | "client">;

  function refused({ email, address, protocol = "http", client }: Attempt, reason: RefusalReason): void {
    const user = users.findByEmail(email);
    const isUnknown = user === undefined && reason === "password_wrong";
    report({
      edge: "sign_in",
      reason: isUnknown ? "user_unknown" : reason,
      address,
      protocol,
      client,
      identity: identityOf(email),
      tenantId: user?.tenantId ?? undefined,
      userId: user?.userId,
    });
  }

  const watched =
    <Request extends Attempt, Result>(work: (request: Request) => Promise<Result>) =>
    async (request: Request): Promise<Result> => {
      try {
        const result = await work(request);
        // The code is refused later, by a request without a user name.
        if (users.findByEmail(request.email)?.status === "DISABLED") refused(request, "user_disabled");
        return result;
      } catch (error) {
        const reason = error instanceof DomainError ? REASONS.get(error.code) : undefined;
        if (reason !== undefined) refused(request, reason);
        throw error;
      }
    };

  return watchedSignIns(provider, watched);
}

/** Wraps the sign-in at an external provider so that it reports users who return and are refused. */
export function reportingExternal(
  external: ExternalSignIn,
  { users, report }: { users: Pick<UsersService, "findByEmail">; report: ReportRefusal },
) {
  function refused({ code, params }: DomainError, peer: Peer): void {
    const reason = EXTERNAL_REASONS.get(code);
    if (reason === undefined) return;
    const email = String(params.email ?? "");
    const user = users.findByEmail(email);
    report({
      edge: "sign_in",
      reason,
      ...peer,
      identity: email === "" ? { kind: "none", name: "" } : identityOf(email),
      tenantId: user?.tenantId ?? undefined,
      userId: user?.userId,
    });
  }

  return {
    ...external,
    async finish(request: Request, server: PeerServer | null): Promise<Response> {
      try {
        return await external.finish(request);
      } catch (error) {
        if (error instanceof DomainError) refused(error, peerOf(request, server));
        throw error;
      }
    },
  };
}

export type ReportingExternalSignIn = ReturnType<typeof reportingExternal>;
