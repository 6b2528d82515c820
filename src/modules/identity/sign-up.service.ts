import { timingSafeEqual } from "node:crypto";
import { forbidden, invalid, limited } from "../../lib/core/domain-error.ts";
import { HOUR_MS } from "../../lib/core/units.ts";
import { addressGroup } from "../../lib/network/network-address.ts";
import { normalizeEmail } from "../../lib/strings/normalize-email.ts";
import type { MailLanguage, MailSender } from "../mail/mail.types.ts";
import type { PlansService } from "../tenants/plans.service.ts";
import type { UsersService } from "../users/users.service.ts";
import type { IdentityProvider } from "./provider/identity-provider.ts";
import { ensurePasswordStrong } from "./provider/password.ts";
import type { Allowance, Quota, Throttle } from "./provider/throttle.ts";
import type { SignUp, SignUpRepository } from "./sign-up.repository.ts";

const CODE_LIFETIME_MINUTES = 10;
const CODE_LIFETIME_MS = CODE_LIFETIME_MINUTES * 60_000;
/** Max. attempts per code. With at most 10 codes per hour and 20 per day for an address, these are 100 guesses per day at six digits. */
const TRIES = 5;
/** Time for which an expired code can be resent. */
const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** Language and link origin of the mails, and the address of the request. */
export interface SignUpContext {
  readonly address: string;
  readonly language: MailLanguage;
  /** Scheme, host and port of links in mails. */
  readonly origin: string;
}

export interface NewSignUp {
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  readonly planId: string;
}

const closed = () => forbidden("sign_up.closed");
const wrongCode = () => invalid("sign_up.code_wrong");
/** Returns an error that is only used together with the right code: otherwise it would reveal whether an address has signed up. */
const passwordDiffers = () => invalid("sign_up.password_differs");
const tooMany = (waitMs: number) => limited("sign_up.limited", Math.max(Math.ceil(waitMs / 1000), 1));
const fromAddress = (kind: string, address: string): Allowance => ({
  kind,
  who: addressGroup(address),
  burst: 30,
  perHour: 60,
});

const mailQuotas = (kind: string, email: string): readonly Quota[] => [
  { kind: "sign_up_mail", who: email, max: 1, windowMs: 60_000 },
  { kind: "sign_up_mail", who: email, max: 20, windowMs: 24 * HOUR_MS },
  { kind, who: email, max: 5, windowMs: HOUR_MS },
];

/**
 * Creates the sign-up with a one-time code by mail. Responses, limits and timing do not reveal whether an address is known. The password is passed
 * only to the identity provider; an account is created once the code is confirmed.
 */
export function createSignUpService(deps: {
  repository: SignUpRepository;
  users: Pick<UsersService, "findByEmail" | "create">;
  passwords: IdentityProvider["signUpPasswords"];
  plans: Pick<PlansService, "offered">;
  throttle: Throttle;
  mail: MailSender;
  transact: (work: () => void) => void;
  isOpen: () => boolean;
  /** Key of the codes' hashes: a plain hash of six digits could be reversed quickly. */
  codeKey: Uint8Array;
  /** Returns monotonic epoch ms, so that setting the clock neither ends nor prolongs a code. */
  now: () => number;
}) {
  const { repository, users, passwords, throttle, mail, now } = deps;

  const hashOf = (email: string, code: string) =>
    new Bun.CryptoHasher("sha256", deps.codeKey).update(`sign-up ${email} ${code}`).digest("hex");

  function createCode(): string {
    const limit = 4_294_000_000; // the largest multiple of a million: above it, some codes would be likelier
    let [random = limit] = crypto.getRandomValues(new Uint32Array(1));
    while (random >= limit) [random = limit] = crypto.getRandomValues(new Uint32Array(1));
    return String(random % 1_000_000).padStart(6, "0");
  }

  function ensureOpen(): void {
    if (!deps.isOpen()) throw closed();
  }

  function ensureRoom(kind: string, email: string, address: string): void {
    const refused =
      throttle.take([fromAddress("sign_up_address", address)]) ?? throttle.takeOf(mailQuotas(kind, email));
    if (refused !== undefined) throw tooMany(refused.waitMs);
  }

  function sendCode(person: Pick<SignUp, "email" | "fullName" | "planId">, language: MailLanguage): void {
    const { email, fullName } = person;
    const code = createCode();
    repository.save({
      ...person,
      codeHash: hashOf(email, code),
      codeExpiresAt: now() + CODE_LIFETIME_MS,
      triesLeft: TRIES,
      confirmedAt: null,
    });
    const values = { fullName, code, minutes: CODE_LIFETIME_MINUTES };
    mail.enqueue({ tenantId: null, to: email, language, template: "sign_up_code", values });
  }

  /** Returns the sign-up with this code; uses up an attempt. */
  function takeTry(email: string, otp: string): SignUp {
    const signUp = repository.find(email);
    const isPending = signUp !== undefined && signUp.confirmedAt === null && signUp.codeExpiresAt > now();
    if (!isPending || users.findByEmail(email) !== undefined || !repository.takeTry(email)) throw wrongCode();
    const [input, expected] = [hashOf(email, otp), signUp.codeHash].map((hash) => Buffer.from(hash));
    if (input === undefined || expected === undefined || !timingSafeEqual(input, expected)) throw wrongCode();
    return signUp;
  }

  return {
    isOpen: deps.isOpen,
    ensureOpen,
    async signUp(
      { email: text, password, fullName, planId }: NewSignUp,
      { address, language, origin }: SignUpContext,
    ): Promise<{ expiresInSeconds: number }> {
      ensureOpen();
      const email = normalizeEmail(text);
      if (!deps.plans.offered().some(({ id }) => id === planId)) throw invalid("sign_up.plan_unknown");
      ensurePasswordStrong(password, email);
      ensureRoom("sign_up", email, address);
      const keepPassword = await passwords.prepare(email, password); // also for a known address, so that it takes as long
      deps.transact(() => {
        repository.deleteAbandoned(now() - ABANDONED_AFTER_MS);
        if (users.findByEmail(email) === undefined) {
          keepPassword();
          sendCode({ email, fullName: fullName.trim(), planId }, language);
        } else
          mail.enqueue({
            tenantId: null,
            to: email,
            language,
            template: "sign_up_known",
            values: { signInUrl: `${origin}/` },
          });
      });
      return { expiresInSeconds: CODE_LIFETIME_MS / 1000 };
    },
    resend(text: string, { address, language }: SignUpContext): void {
      ensureOpen();
      const email = normalizeEmail(text);
      ensureRoom("sign_up_resend", email, address);
      const signUp = repository.find(email);
      const isPending = signUp !== undefined && signUp.confirmedAt === null;
      if (!isPending || users.findByEmail(email) !== undefined) return;
      passwords.keep(email);
      deps.transact(() => sendCode(signUp, language));
    },
    /** @throws DomainError `sign_up.code_wrong` for an invalid or expired code; `sign_up.password_differs` */
    async verify(
      { email: text, otp, password }: { email: string; otp: string; password: string },
      { address }: Pick<SignUpContext, "address">,
    ): Promise<{ planId: string; fullName: string }> {
      ensureOpen();
      const email = normalizeEmail(text);
      ensurePasswordStrong(password, email); // a weak password was never stored, so it does not count as an attempt
      const refused = throttle.take([fromAddress("sign_up_verify", address)]);
      if (refused !== undefined) throw tooMany(refused.waitMs);
      const { fullName, planId, codeHash } = takeTry(email, otp);
      const saveAccount = await passwords.confirm(email, password);
      if (saveAccount === undefined) throw passwordDiffers();
      deps.transact(() => {
        const signUp = repository.find(email); // read again, because a simultaneous request may have completed it
        const isGood = signUp?.confirmedAt === null && signUp.codeHash === codeHash;
        if (!isGood || users.findByEmail(email) !== undefined) throw wrongCode();
        repository.confirm(email, now());
        users.create({ tenantId: null, email, fullName, role: "TENANT_OWNER" });
        saveAccount();
      });
      passwords.forget(email);
      return { planId, fullName };
    },
  };
}

export type SignUpService = ReturnType<typeof createSignUpService>;
