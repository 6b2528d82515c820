import { and, asc, desc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import type { MainDatabase } from "../../../platform/database/database.ts";
import { lazyStatement } from "../../../platform/database/lazy-statement.ts";
import {
  accounts,
  knownClients,
  recoveryCodes,
  signInCodes,
  signUpPasswords,
  tickets,
} from "./provider.tables.ts";

type AccountRow = typeof accounts.$inferSelect;
export type Account = Omit<AccountRow, "createdAt" | "totpSealed" | "totpPendingSealed"> & {
  /** Secret shared with the authenticator app (base32); null without a second factor. */
  readonly totpSecret: string | null;
  /** Secret of a second factor that is not yet confirmed. */
  readonly totpPendingSecret: string | null;
};
type Password = Pick<Account, "email" | "passwordHash" | "mustChangePassword">;
export type TicketPurpose = (typeof tickets.$inferSelect)["purpose"];

export interface SignInCode {
  readonly codeHash: string;
  readonly email: string;
  readonly redirectUri: string | null;
  readonly codeChallenge: string | null;
  readonly expiresAt: number;
}

export interface Ticket {
  readonly secretHash: string;
  readonly accountId: string;
  readonly purpose: TicketPurpose;
  readonly expiresAt: number;
}

const prepareReads = (orm: MainDatabase["orm"]) => ({
  byEmail: lazyStatement(() =>
    orm
      .select()
      .from(accounts)
      .where(eq(accounts.email, sql.placeholder("email"))),
  ),
  byId: lazyStatement(() =>
    orm
      .select()
      .from(accounts)
      .where(eq(accounts.accountId, sql.placeholder("accountId"))),
  ),
  validTicket: lazyStatement(() =>
    orm
      .select()
      .from(tickets)
      .where(
        and(
          eq(tickets.secretHash, sql.placeholder("secretHash")),
          eq(tickets.purpose, sql.placeholder("purpose")),
          gt(tickets.expiresAt, sql.placeholder("now")),
        ),
      ),
  ),
  ofClient: lazyStatement(() =>
    orm
      .select({ lastUsedAt: knownClients.lastUsedAt })
      .from(knownClients)
      .where(
        and(
          eq(knownClients.accountId, sql.placeholder("accountId")),
          eq(knownClients.client, sql.placeholder("client")),
        ),
      ),
  ),
});

export function createProviderRepository(database: MainDatabase) {
  const { orm, transact } = database;
  const secrets = database.secrets("second factor");
  /** Opens a secret. An unreadable secret accepts no code, but still counts as a second factor. */
  const opened = (sealed: string | null) => sealed && (secrets.open(sealed) ?? "");
  const sealed = (secret: string | null) => secret && secrets.seal(secret);
  const toAccount = ({ totpSealed, totpPendingSealed, ...row }: AccountRow): Account => ({
    ...row,
    totpSecret: opened(totpSealed),
    totpPendingSecret: opened(totpPendingSealed),
  });
  const { byEmail, byId, validTicket, ofClient } = prepareReads(orm);
  return {
    findAccount(email: string): Account | undefined {
      const row = byEmail.get({ email });
      return row && toAccount(row);
    },
    findAccountById(accountId: string): Account | undefined {
      const row = byId.get({ accountId });
      return row && toAccount(row);
    },
    /** Creates the account, or replaces the existing account's password. */
    savePassword: (accountId: string, password: Password, now: number): void =>
      void orm
        .insert(accounts)
        .values({ ...password, accountId, createdAt: now, updatedAt: now })
        .onConflictDoUpdate({
          target: accounts.email,
          set: {
            passwordHash: password.passwordHash,
            mustChangePassword: password.mustChangePassword,
            updatedAt: now,
          },
        })
        .run(),
    updateAccount(
      accountId: string,
      { totpSecret, totpPendingSecret, ...changes }: Partial<Omit<Account, "accountId" | "updatedAt">>,
      updatedAt: number,
    ): void {
      const totp = {
        ...(totpSecret !== undefined && { totpSealed: sealed(totpSecret) }),
        ...(totpPendingSecret !== undefined && { totpPendingSealed: sealed(totpPendingSecret) }),
      };
      orm
        .update(accounts)
        .set({ ...changes, ...totp, updatedAt })
        .where(eq(accounts.accountId, accountId))
        .run();
    },
    /** @throws Error if `newEmail` has an account */
    renameAccount: (email: string, newEmail: string, updatedAt: number): void =>
      void orm.update(accounts).set({ email: newEmail, updatedAt }).where(eq(accounts.email, email)).run(),
    deleteAccount: (email: string): void => void orm.delete(accounts).where(eq(accounts.email, email)).run(),
    insertCode: (code: SignInCode): void => void orm.insert(signInCodes).values(code).run(),
    // In one transaction: the command line is another process, which may delete the account.
    /** Inserts the code if the account is unchanged; `false` if it was deleted, or its address or password has changed. */
    insertCodeOf: ({ accountId, email, passwordHash }: Account, code: Omit<SignInCode, "email">): boolean =>
      transact(() => {
        const current = byId.get({ accountId });
        if (current?.email !== email || current.passwordHash !== passwordHash) return false;
        orm
          .insert(signInCodes)
          .values({ ...code, email })
          .run();
        return true;
      }),
    /** Deletes pending sign-in steps, mail links and unredeemed codes. */
    deletePending: (email: string): void =>
      transact(() => {
        orm.delete(signInCodes).where(eq(signInCodes.email, email)).run();
        const account = byEmail.get({ email });
        if (account !== undefined) orm.delete(tickets).where(eq(tickets.accountId, account.accountId)).run();
      }),
    /** Deletes and returns the code, so that it works once; undefined if unknown or expired. */
    takeCode(codeHash: string, now: number): SignInCode | undefined {
      const code = orm.delete(signInCodes).where(eq(signInCodes.codeHash, codeHash)).returning().get();
      return code === undefined || code.expiresAt <= now ? undefined : code;
    },
    insertTicket: (ticket: Ticket): void => void orm.insert(tickets).values(ticket).run(),
    findTicket: (secretHash: string, purpose: TicketPurpose, now: number): Ticket | undefined =>
      validTicket.get({ secretHash, purpose, now }),
    deleteTicket: (secretHash: string): void =>
      void orm.delete(tickets).where(eq(tickets.secretHash, secretHash)).run(),
    deleteExpired(now: number): void {
      orm.delete(signInCodes).where(lte(signInCodes.expiresAt, now)).run();
      orm.delete(tickets).where(lte(tickets.expiresAt, now)).run();
    },
    /** Returns the time of the client's last sign-in to the account; `undefined` if there was none. */
    findClient: (accountId: string, client: string): number | undefined =>
      ofClient.get({ accountId, client })?.lastUsedAt,
    /** Saves a client, keeping the newest `keep` of the account. */
    saveClient(
      { accountId, client, keep }: { accountId: string; client: string; keep: number },
      lastUsedAt: number,
    ): void {
      orm
        .insert(knownClients)
        .values({ accountId, client, lastUsedAt })
        .onConflictDoUpdate({ target: [knownClients.accountId, knownClients.client], set: { lastUsedAt } })
        .run();
      const newest = orm
        .select({ client: knownClients.client })
        .from(knownClients)
        .where(eq(knownClients.accountId, accountId))
        .orderBy(desc(knownClients.lastUsedAt), asc(knownClients.client))
        .all();
      const surplus = newest.slice(keep).map((row) => row.client);
      if (surplus.length > 0)
        orm
          .delete(knownClients)
          .where(and(eq(knownClients.accountId, accountId), inArray(knownClients.client, surplus)))
          .run();
    },
    forgetClients: (accountId: string): void =>
      void orm.delete(knownClients).where(eq(knownClients.accountId, accountId)).run(),
    replaceRecoveryCodes(accountId: string, codeHashes: readonly string[]): void {
      orm.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId)).run();
      if (codeHashes.length > 0)
        orm
          .insert(recoveryCodes)
          .values(codeHashes.map((codeHash) => ({ accountId, codeHash })))
          .run();
    },
    /** Returns `false` if the code does not exist. */
    takeRecoveryCode: (accountId: string, codeHash: string): boolean =>
      orm
        .delete(recoveryCodes)
        .where(and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.codeHash, codeHash)))
        .returning()
        .get() !== undefined,
    countRecoveryCodes: (accountId: string): number =>
      orm.select().from(recoveryCodes).where(eq(recoveryCodes.accountId, accountId)).all().length,
    /** Replaces the address's password, and deletes expired ones. */
    saveSignUpPassword(
      { email, passwordHash, keptUntil }: typeof signUpPasswords.$inferInsert,
      now: number,
    ): void {
      orm.delete(signUpPasswords).where(lte(signUpPasswords.keptUntil, now)).run();
      orm
        .insert(signUpPasswords)
        .values({ email, passwordHash, keptUntil })
        .onConflictDoUpdate({ target: signUpPasswords.email, set: { passwordHash, keptUntil } })
        .run();
    },
    findSignUpPassword: (email: string, now: number): string | undefined =>
      orm
        .select({ passwordHash: signUpPasswords.passwordHash })
        .from(signUpPasswords)
        .where(and(eq(signUpPasswords.email, email), gt(signUpPasswords.keptUntil, now)))
        .get()?.passwordHash,
    keepSignUpPassword: (email: string, keptUntil: number): void =>
      void orm.update(signUpPasswords).set({ keptUntil }).where(eq(signUpPasswords.email, email)).run(),
    deleteSignUpPassword: (email: string): void =>
      void orm.delete(signUpPasswords).where(eq(signUpPasswords.email, email)).run(),
  };
}

export type ProviderRepository = ReturnType<typeof createProviderRepository>;
