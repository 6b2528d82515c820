import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { createIdentityProvider } from "../../../src/modules/identity/provider/identity-provider.ts";
import { createProviderRepository } from "../../../src/modules/identity/provider/provider.repository.ts";
import { createThrottleRepository } from "../../../src/modules/identity/provider/throttle.repository.ts";
import { Throttle } from "../../../src/modules/identity/provider/throttle.ts";
import { createSignUpRepository } from "../../../src/modules/identity/sign-up.repository.ts";
import { createSignUpService } from "../../../src/modules/identity/sign-up.service.ts";
import type { MailSender } from "../../../src/modules/mail/mail.types.ts";
import { createPlansService } from "../../../src/modules/tenants/plans.service.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** Many times what the limits let through: more guesses would only take longer. */
const GUESSES = 20_000;
const SECOND_FACTOR_GUESSES = 20_000;
const DAY_MS = 24 * 3_600_000;
const email = "olga@plant.example";
const password = "the owner's own 42";

let directory: string;
let databases: MainDatabase[];
let clock: FakeClock;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-codes-"));
  databases = [];
  clock = new FakeClock();
});
afterEach(() => {
  for (const database of databases) {
    database.sqlite.run("COMMIT");
    database.close();
  }
  rmSync(directory, { recursive: true, force: true });
});

function open(name: "lineside" | "identity"): MainDatabase {
  const database = openMainDatabase(join(directory, `${name}.db`), name, createLogger());
  databases.push(database);
  database.sqlite.run("BEGIN IMMEDIATE"); // one transaction for all: it is the limits that are tested
  return database;
}

const now = () => clock.now();
/** A new one each time: no limit by address stands in the way. */
const addressOf = (index: number) => `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
const codeOf = (index: number) => String((index * 7_919) % 1_000_000).padStart(6, "0");
const kindOf = (error: unknown) => (error as { kind: string }).kind;

test("20,000 guesses at a sign-up code in a day, each from an address of its own, are 100 at most that count", async () => {
  const main = open("lineside");
  const throttle = new Throttle({ repository: createThrottleRepository(open("identity")), now });
  const codes: string[] = [];
  const mail = {
    isDelivering: true,
    enqueue: ({ values }: { values: { code: string } }) => void codes.push(values.code),
  };
  const repository = createSignUpRepository(main);
  let counted = 0;
  let accounts = 0;
  const signUp = createSignUpService({
    repository: {
      ...repository,
      takeTry(address) {
        const isTaken = repository.takeTry(address);
        if (isTaken) counted++;
        return isTaken;
      },
    },
    users: {
      findByEmail: () => undefined,
      create: () => {
        throw new Error("made a user");
      },
    },
    passwords: {
      prepare: async () => () => undefined,
      async confirm() {
        accounts++;
        return undefined;
      },
      keep: () => undefined,
      forget: () => undefined,
    },
    plans: createPlansService(undefined),
    throttle,
    mail: mail as unknown as MailSender, // only codes are sent here
    transact: (work) => main.transact(work),
    isOpen: () => true,
    codeKey: new Uint8Array(32),
    now,
  });

  const unexpected: unknown[] = [];
  const context = { language: "en", origin: "http://gateway" } as const;
  const request = { email, password, fullName: "Olga", planId: "basic" };
  for (let index = 0; index < GUESSES; index++) {
    // A new code as soon as one may be asked for.
    if (index % 14 === 0)
      try {
        if (index % 28 === 0) await signUp.signUp(request, { ...context, address: addressOf(index) });
        else signUp.resend(email, { ...context, address: addressOf(index) });
      } catch (error) {
        expect(kindOf(error)).toBe("limited");
      }
    const otp = codeOf(index) === codes.at(-1) ? "999999" : codeOf(index); // luck is not what is tested
    const outcome = await signUp
      .verify({ email, otp, password }, { address: addressOf(index) })
      .catch(kindOf);
    if (outcome !== "invalid") unexpected.push(outcome);
    clock.advance(DAY_MS / GUESSES);
  }
  expect(unexpected).toEqual([]);
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.length).toBeLessThanOrEqual(20);
  expect(counted).toBe(codes.length * 5);
  expect(accounts).toBe(0);
  // Used up: the right code is as wrong as the others.
  const late = await signUp
    .verify({ email, otp: codes.at(-1) ?? "", password }, { address: "10.255.0.1" })
    .catch(kindOf);
  expect(late).toBe("invalid");
});

test("20,000 guesses at the second factor by somebody who knows the password are 520 in a week that count", async () => {
  const database = open("identity");
  const repository = createProviderRepository(database);
  let counted = 0;
  const provider = createIdentityProvider({
    repository: {
      ...repository,
      takeRecoveryCode(accountId, codeHash) {
        counted++;
        return repository.takeRecoveryCode(accountId, codeHash);
      },
    },
    throttle: new Throttle({ repository: createThrottleRepository(database), now }),
    hasher: { hash: async (text) => text, verify: async (text, hash) => text === hash },
    onPasswordChanged: () => undefined,
    now,
    wallNow: now,
  });
  await provider.saveAccount(email, password);
  const { secret } = await provider.beginSecondFactor(email, password);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  await provider.confirmSecondFactor(email, totp.generate({ timestamp: now() }));

  const owner = { email, password, address: "192.168.0.7", device: "the owner's tablet" };
  const signInAsOwner = () =>
    provider.signIn({ ...owner, address: addressOf(7), otp: totp.generate({ timestamp: now() }) });
  clock.advance(30_000); // codes work once
  await provider.signIn({ ...owner, otp: totp.generate({ timestamp: now() }) });
  let ownerIn = 0;

  const outcomes = new Map<string, number>();
  let ticket = "";
  for (let index = 0; index < SECOND_FACTOR_GUESSES; index++) {
    const address = addressOf(index);
    // A page on which to guess is open for a quarter of an hour.
    if (index % 20 === 0) {
      const step = await provider.begin({ email, password, address });
      ticket = step.step === "second_factor" ? step.ticket : "";
    }
    const outcome = await provider
      .enterSecondFactor({ ticket, code: `guess ${index}`, address })
      .then(() => "in", kindOf);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (index % 2_000 === 1_000) ownerIn += (await signInAsOwner()).code === "" ? 0 : 1;
    clock.advance((7 * DAY_MS) / SECOND_FACTOR_GUESSES);
  }
  expect(ownerIn).toBe(10); // the owner gets in by what the browser kept, all the while
  expect([...outcomes.keys()].sort()).toEqual(["limited", "unauthenticated"]);
  expect(counted).toBe(outcomes.get("unauthenticated") ?? 0);
  expect(counted).toBeGreaterThan(500);
  expect(counted).toBeLessThanOrEqual(10 + 7 * 24 * 3);
});
