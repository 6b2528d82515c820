import { detail, forbidden, limited, notFound } from "../../lib/core/domain-error.ts";
import type { UserId } from "../../lib/core/ids.ts";
import { HOUR_MS } from "../../lib/core/units.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { MailLanguage, MailSender } from "../mail/mail.types.ts";
import { emailTaken, notOneself } from "../users/users.errors.ts";
import type { UsersService } from "../users/users.service.ts";
import type { Principal, User } from "../users/users.types.ts";
import { isAllowed } from "./permissions.ts";
import { EMAIL_LIFETIME_MINUTES } from "./provider/account-security.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import type { Throttle } from "./provider/throttle.ts";

const linkInvalid = () => notFound("email_change.invalid");

export interface NewAddress {
  readonly email: string;
  readonly password: string;
  /** Code of the second factor; empty if it is off. */
  readonly code: string;
}

/**
 * Changes a user's own email address: requires the password and, if it is on, the second factor. The new address takes effect when the user
 * confirms the link sent to it; until then, nobody can sign in with it.
 */
export function createEmailChangeService(deps: {
  provider: Pick<IdentityProvider, "createEmailSecret" | "readEmailSecret">;
  users: Pick<UsersService, "findByEmail">;
  throttle: Pick<Throttle, "takeOf">;
  mail: Pick<MailSender, "enqueue">;
  /** Seals the new address in the link. */
  box: SealedBox;
  /** Changes the address of a user and notifies both addresses. */
  changeAddress: (userId: UserId, email: string, language: MailLanguage) => void;
}) {
  const { provider, users, throttle, mail, box } = deps;

  function ensureMayChange(principal: Principal): void {
    if (principal.impersonator !== undefined) throw forbidden("account.not_own");
    if (!isAllowed(principal, "users:write"))
      throw notOneself(detail("action.change_fields", { field: "email" }));
  }

  function ensureFewMails(userId: UserId, email: string): void {
    const refused = throttle.takeOf([
      { kind: "email_change", who: userId, max: 10, windowMs: HOUR_MS },
      { kind: "email_change_to", who: email, max: 3, windowMs: HOUR_MS },
    ]);
    if (refused !== undefined) throw limited("reset.too_many", Math.max(Math.ceil(refused.waitMs / 1000), 1));
  }

  /** Returns the user and the new address of a link. @throws DomainError `email_change.invalid` */
  function readLink(token: string): { user: User; email: string } {
    const [secret = "", sealed = ""] = token.split(".");
    const user = users.findByEmail(provider.readEmailSecret(secret));
    const [sealedSecret, email] = box.open(sealed)?.split("\n") ?? [];
    if (user === undefined || email === undefined || sealedSecret !== secret) throw linkInvalid();
    return { user, email };
  }

  return {
    /** @throws DomainError `password.wrong`, `second_factor.code_wrong`, `user.email_taken`, `user.not_oneself` or `limited` */
    async request(
      principal: Principal,
      { password, code, ...input }: NewAddress,
      { language, origin }: { readonly language: MailLanguage; readonly origin: string },
    ): Promise<void> {
      ensureMayChange(principal);
      const { userId, tenantId } = principal;
      const email = normalizeEmail(input.email);
      const secret = await provider.createEmailSecret(principal.email, { password, code });
      if (users.findByEmail(email) !== undefined) throw emailTaken();
      ensureFewMails(userId, email);
      const token = `${secret}.${box.seal(`${secret}\n${email}`)}`;
      const query = new URLSearchParams({ token, ui_locales: language });
      const values = { confirmUrl: `${origin}/idp/email?${query}`, minutes: EMAIL_LIFETIME_MINUTES };
      mail.enqueue({ tenantId, to: email, language, template: "email_confirm", values });
    },
    /** Returns the address that a link proves. @throws DomainError `email_change.invalid` */
    addressOf: (token: string): string => readLink(token).email,
    /** @throws DomainError `email_change.invalid`, `user.email_taken` */
    confirm(token: string, language: MailLanguage): void {
      const { user, email } = readLink(token);
      deps.changeAddress(user.userId, email, language); // also invalidates all links for both addresses
    },
  };
}

export type EmailChangeService = ReturnType<typeof createEmailChangeService>;
