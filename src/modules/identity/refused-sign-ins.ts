import { DomainError } from "../../lib/domain-error.ts";
import { secretHint, shownName } from "../../lib/secret-hint.ts";
import type { RefusalReason, ReportRefusal } from "../refusals/refusals.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { NextStep, SignIn } from "./provider/sign-in.ts";

/** Codes of errors that end a sign-in, and the reasons that they are listed under. */
const reasons: ReadonlyMap<string, RefusalReason> = new Map([
  ["sign_in.wrong", "password_wrong"],
  ["second_factor.wrong", "second_factor_wrong"],
  ["sign_in.throttled", "too_many_tries"],
  ["sign_in.temporary_expired", "password_expired"],
]);

/** Returns the provider, which reports the sign-ins that it refuses and those of disabled users. */
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
      // Some people type their password where the address belongs.
      identity: {
        kind: "user",
        name: email.includes("@") ? shownName(email.trim().toLowerCase()) : secretHint(email),
      },
      tenantId: user?.tenantId ?? undefined,
      userId: user?.userId,
    });
  }

  const watched =
    <Request extends Attempt, Result>(work: (request: Request) => Promise<Result>) =>
    async (request: Request): Promise<Result> => {
      try {
        const result = await work(request);
        // The code is refused later, by another request that names nobody.
        if (users.findByEmail(request.email)?.status === "DISABLED") refused(request, "user_disabled");
        return result;
      } catch (error) {
        const reason = error instanceof DomainError ? reasons.get(error.code) : undefined;
        if (reason !== undefined) refused(request, reason);
        throw error;
      }
    };

  return {
    ...provider,
    begin: watched(provider.begin),
    signIn: watched(provider.signIn),
    enterSecondFactor(request: NextStep & { readonly code: string }) {
      const email = provider.emailOf(request.ticket);
      const enter = () => provider.enterSecondFactor(request);
      return email === undefined ? enter() : watched(enter)({ ...request, email });
    },
  };
}
