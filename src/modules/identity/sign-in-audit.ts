import { DomainError } from "../../lib/core/domain-error.ts";
import type { UserId } from "../../lib/core/ids.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import type { AuditRecorder } from "../audit/audit.types.ts";
import type { MailLanguage } from "../mail/mail.types.ts";
import type { UsersService } from "../users/users.service.ts";
import type { User } from "../users/users.types.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { SignIn } from "./provider/sign-in.ts";
import type { SessionsService } from "./sessions.service.ts";
import type { Owner, SetupService } from "./setup.service.ts";
import { watchedSignIns } from "./watched-sign-ins.ts";

type ChangeAddress = (userId: UserId, email: string, language: MailLanguage) => User;

/** Wraps the address change so that confirmed addresses are recorded. */
export const recordingAddresses =
  (recorder: AuditRecorder, users: Pick<UsersService, "findById">) =>
  (changeAddress: ChangeAddress): ChangeAddress =>
  (userId, email, language) => {
    const before = users.findById(userId)?.email;
    const after = changeAddress(userId, email, language);
    const { tenantId, fullName, role } = after;
    recorder.record({
      tenantId,
      actor: { type: "USER", id: userId, name: email, role },
      action: "user.update",
      outcome: "SUCCESS",
      target: { type: "user", id: userId, name: fullName },
      before: { email: before },
      after: { email },
    });
    return after;
  };

/**
 * Wraps the provider so that events around the sign-in, for which no route knows the user yet, are recorded in the audit log: sign-ins, wrong
 * passwords (except attempts refused by the throttle), replaced passwords, and the setup of the gateway.
 */
export function createSignInAudit(
  recorder: AuditRecorder,
  users: Pick<UsersService, "findById" | "findByEmail">,
) {
  function failed({ email, address }: Pick<SignIn, "email" | "address">): void {
    const user = users.findByEmail(email);
    recorder.record({
      tenantId: user?.tenantId ?? null,
      actor: { type: "ANONYMOUS", id: null, name: normalizeEmail(email) },
      action: "session.start",
      outcome: "FAILED",
      target: user && { type: "user", id: user.userId, name: user.fullName },
      address,
    });
  }

  const watched =
    <Request extends SignIn, Result>(work: (request: Request) => Promise<Result>) =>
    async (request: Request): Promise<Result> => {
      try {
        return await work(request);
      } catch (error) {
        if (error instanceof DomainError && error.kind === "unauthenticated") failed(request);
        throw error;
      }
    };

  function setUp({ email }: Owner, by: "USER" | "COMMAND_LINE"): void {
    const user = users.findByEmail(email);
    if (user === undefined) return;
    const { tenantId, userId, fullName } = user;
    recorder.record({
      tenantId,
      actor:
        by === "USER"
          ? { type: by, id: userId, name: user.email, role: user.role }
          : { type: by, id: null, name: "" },
      action: "user.create",
      outcome: "SUCCESS",
      target: { type: "user", id: userId, name: fullName },
      after: { email: user.email, fullName, role: user.role },
    });
  }

  return {
    ofSetup: (setup: SetupService): SetupService => ({
      ...setup,
      async complete(secret, owner) {
        await setup.complete(secret, owner);
        setUp(owner, "USER");
      },
      async createOwner(owner) {
        await setup.createOwner(owner);
        setUp(owner, "COMMAND_LINE");
      },
    }),
    // The password was correct at a second step, so a wrong code is more serious than a wrong password.
    ofProvider: (provider: IdentityProvider) => watchedSignIns(provider, watched),
    /** Records a password change without a session: by a mailed link, or at the first sign-in. */
    passwordChanged({ userId, tenantId, email, fullName, role }: User): void {
      recorder.record({
        tenantId,
        actor: { type: "USER", id: userId, name: email, role },
        action: "password.change",
        outcome: "SUCCESS",
        target: { type: "user", id: userId, name: fullName },
      });
    },
    ofSessions: (sessions: SessionsService): SessionsService => ({
      ...sessions,
      start(userId, client, impersonator) {
        const session = sessions.start(userId, client, impersonator);
        const user = users.findById(userId);
        // Impersonation is recorded by its route.
        if (impersonator === undefined && user !== undefined)
          recorder.record({
            tenantId: user.tenantId,
            actor: { type: "USER", id: userId, name: user.email, role: user.role },
            action: "session.start",
            outcome: "SUCCESS",
            target: { type: "session", id: session.sessionId },
            ...client,
          });
        return session;
      },
    }),
  };
}
