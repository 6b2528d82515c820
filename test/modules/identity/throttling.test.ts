import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addressGroup } from "../../../src/lib/network/network-address.ts";
import { createIdentityProvider } from "../../../src/modules/identity/provider/identity-provider.ts";
import type { PasswordHasher } from "../../../src/modules/identity/provider/password.ts";
import { createProviderRepository } from "../../../src/modules/identity/provider/provider.repository.ts";
import { createThrottleRepository } from "../../../src/modules/identity/provider/throttle.repository.ts";
import { Throttle } from "../../../src/modules/identity/provider/throttle.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const HOUR_MS = 3_600_000;
const email = "olga@plant.example";
const right = "the owner's own 42";
let directory: string;
let database: MainDatabase;
let clock: FakeClock;
/** Passwords looked at, with the time. */
let evaluated: number[];

/** Instant: it is counted, not hashed. */
const hasher: PasswordHasher = {
  hash: async (password) => `hash of ${password}`,
  async verify(password, hash) {
    evaluated.push(clock.monotonic());
    return hash === `hash of ${password}`;
  },
};

function openProvider() {
  const now = () => clock.now();
  return createIdentityProvider({
    repository: createProviderRepository(database),
    throttle: new Throttle({ repository: createThrottleRepository(database), now }),
    hasher,
    onPasswordChanged: () => undefined,
    now,
    wallNow: now,
  });
}

let provider: ReturnType<typeof openProvider>;
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "lineside-throttle-"));
  database = openMainDatabase(join(directory, "identity.db"), "identity", createLogger());
  clock = new FakeClock();
  evaluated = [];
  provider = openProvider();
  await provider.saveAccount(email, right);
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

/** "in", "wrong" or "later". */
async function attempt(password: string, caller: { address: string; device?: string }): Promise<string> {
  try {
    await provider.signIn({ email, password, ...caller });
    return "in";
  } catch (error) {
    return (error as { kind: string }).kind === "limited" ? "later" : "wrong";
  }
}

/** The most that were looked at in any hour. */
function busiestHour(): number {
  let first = 0;
  return Math.max(
    0,
    ...evaluated.map((position, index) => {
      while ((evaluated[first] ?? 0) <= position - HOUR_MS) first++;
      return index - first + 1;
    }),
  );
}

test("25,000 guesses from 2,500 addresses in a day get nowhere, and the owner gets in wherever the owner was before", async () => {
  expect(await attempt(right, { address: "10.0.0.1" })).toBe("in");
  expect(await attempt(right, { address: "10.0.0.2", device: "the owner's tablet" })).toBe("in");
  evaluated = [];
  let cracked = 0;
  for (let index = 0; index < 25_000; index++) {
    const address = `172.${16 + (index % 10)}.${(index >> 4) % 250}.${index % 2}`;
    if ((await attempt(`guess ${index} long`, { address })) === "in") cracked++;
    clock.advance(3_456);
    if (index % 2_500 === 1_250) {
      expect(await attempt(right, { address: "10.0.0.1" })).toBe("in");
      // From an address of the attacker's own, by what the browser kept.
      expect(await attempt(right, { address: "172.16.0.0", device: "the owner's tablet" })).toBe("in");
    }
  }
  expect(cracked).toBe(0);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(23 * HOUR_MS);
  expect(busiestHour()).toBeLessThanOrEqual(100);
  expect(evaluated.length).toBeLessThan(600);
});

test("guesses from one address, as many as there may be, leave the door open to an address never seen before", async () => {
  for (let minute = 0; minute < 24 * 60; minute++) {
    await attempt(`guess ${minute} long`, { address: "10.6.6.6" });
    clock.advance(60_000);
  }
  expect(await attempt(right, { address: "10.0.0.77" })).toBe("in");
});

test("a restart gives nobody a new start", async () => {
  const attacker = { address: "10.6.6.6" };
  for (let index = 0; index < 10; index++)
    expect(await attempt(`guess ${index} long`, attacker)).toBe("wrong");
  provider = openProvider();
  expect(await attempt("another guess", attacker)).toBe("later");
  expect(await attempt(right, attacker)).toBe("later");
});

test("whoever is locked out may try again soon, and is told when", async () => {
  const caller = { address: "10.0.0.3" };
  for (let index = 0; index < 10; index++) await attempt(`guess ${index} long`, caller);
  const refused = await provider.signIn({ email, password: right, ...caller }).catch((error) => error);
  expect(refused).toMatchObject({ kind: "limited", retryAfterSeconds: 360 });
  clock.advance(359_000);
  expect(await attempt(right, caller)).toBe("later");
  clock.advance(1_000);
  expect(await attempt(right, caller)).toBe("in");
});

test("many accounts tried from one address do not hold up the address for those who belong there", async () => {
  const address = "10.0.0.1";
  expect(await attempt(right, { address })).toBe("in");
  const statuses = new Set<string>();
  for (let index = 0; index < 60; index++)
    statuses.add(
      await provider
        .signIn({ email: `nobody${index}@plant.example`, password: "Summer in town 26", address })
        .catch((error) => error.kind),
    );
  expect([...statuses]).toEqual(["unauthenticated", "limited"]);
  expect(await attempt(right, { address })).toBe("in");
});

test("an owner who mistypes many times and gets it right starts afresh", async () => {
  const caller = { address: "10.0.0.1" };
  for (let round = 0; round < 10; round++) {
    for (let index = 0; index < 5; index++) await attempt("mistyped again", caller);
    clock.advance(HOUR_MS);
    expect(await attempt(right, caller)).toBe("in");
  }
});

test("who had the old password is a stranger once it was replaced by link or by an administrator", async () => {
  const old = { address: "10.0.0.1", device: "somebody's tablet" };
  const replacements = [
    () => provider.resetPassword(provider.createResetSecret(email) ?? "", "another good one 7"),
    () => provider.setTemporaryPassword(email, "a temporary one 88"),
  ];
  let password = right;
  for (const [index, replace] of replacements.entries()) {
    expect(await attempt(password, old)).toBe("in");
    await replace();
    // Strangers use up their share, which is now that of the old browser too.
    for (let guess = 0; guess < 40; guess++)
      await attempt(`guess ${guess} long`, { address: `172.${16 + index}.0.${guess}` });
    expect(await attempt("guess of my own 1", old)).toBe("later");
    password = "another good one 7";
    clock.advance(3 * HOUR_MS);
  }
});

test("addresses count as one machine has them", () => {
  const rows = [
    ["10.1.2.3", "10.1.2.3"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["2001:db8:0:1::5", "2001:db8:0:1::/64"],
    ["2001:0db8:0000:0001:ffff:1:2:3", "2001:db8:0:1::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["local", "local"],
  ];
  expect(rows.map(([address = ""]) => addressGroup(address))).toEqual(rows.map(([, group = ""]) => group));
});
