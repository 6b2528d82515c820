import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import type { PasswordSignIn } from "../../src/modules/login-identities/login-identities.types.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

/** Guesses from a client's own address, at names that another tenant has too, keep the client out neither for long nor once it is known. */

const ADDRESS = "192.0.2.7";
const clock = new FakeClock();
let fixture: TestApp;
let ours: string;
let theirs: string;

/** Thousands of passwords are hashed here, and the cost of a hash decides nothing: the clock stands still meanwhile. */
const hash = Bun.password.hash.bind(Bun.password);
const cheapHash = spyOn(Bun.password, "hash").mockImplementation((password) =>
  hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 }),
);
afterAll(() => cheapHash.mockRestore());

beforeAll(async () => {
  fixture = await createTestApp({ clock });
  ours = (await fixture.signIn("TENANT_OWNER")).token;
  theirs = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
});
afterAll(() => fixture.stop());

let count = 0;
const unique = (name: string) => `${name}-${++count}`;

interface Names {
  readonly clientId?: string | undefined;
  readonly username?: string | undefined;
}

async function setPassword(token: string, deviceId: string, names: Names & { password: string }) {
  const response = await fixture.call("PUT", `/api/devices/${deviceId}/credentials`, {
    token,
    body: { type: "MQTT_BASIC", ...names },
  });
  expect(response.status).toBe(200);
}

async function createDevice(token: string, names: Names & { password: string }): Promise<string> {
  const { deviceId } = await fixture.createDevice(token);
  await setPassword(token, deviceId, names);
  return deviceId;
}

function begin(names: Names, password: string): { readonly result: PasswordSignIn | undefined } {
  const attempt: { result: PasswordSignIn | undefined } = { result: undefined };
  void Promise.resolve(
    fixture.app.services.logins.byPassword({
      clientId: names.clientId ?? "",
      username: names.username,
      password: Buffer.from(password),
      address: ADDRESS,
      canWait: true,
      isGone: () => false,
    }),
  ).then((result) => {
    attempt.result = result;
  });
  return attempt;
}

const entered = (result: PasswordSignIn | undefined): string | undefined =>
  result?.refused === undefined ? result?.holder.ownerId : result.refused;

/** Signs in while the clock stands still, so without waiting for the budget of guesses. */
async function signInImmediately(names: Names, password: string): Promise<string | undefined> {
  const attempt = begin(names, password);
  await until(() => attempt.result !== undefined, "a sign-in that waits for nothing but its hashes");
  return entered(attempt.result);
}

/** Signs in while time passes. */
async function signInLater(names: Names, password: string): Promise<string | undefined> {
  const attempt = begin(names, password);
  await until(() => {
    if (attempt.result === undefined) clock.advance(250);
    return attempt.result !== undefined;
  }, "a sign-in");
  return entered(attempt.result);
}

function guess(names: Names, guesses: number): void {
  for (let index = 0; index < guesses; index++) begin(names, unique("guess"));
}

/** Takes older holders of all names that a device may sign in with. */
async function squat(names: Required<Names>): Promise<string[]> {
  const { clientId, username } = names;
  const ids = [];
  for (const taken of [{ username }, { clientId, username }, { clientId }])
    ids.push(await createDevice(theirs, { ...taken, password: "mallory-pass-1" }));
  return ids;
}

test("a device that is known gets in, whatever is guessed at older holders of its names", async () => {
  const names = { clientId: unique("client"), username: unique("sensor") };
  const squatted = await squat(names);
  const password = "victim-pass-1";
  const deviceId = await createDevice(ours, { username: names.username, password });
  for (let sign = 0; sign < 2; sign++) expect(await signInImmediately(names, password)).toBe(deviceId);
  for (let round = 0; round < 15; round++) {
    guess(names, 5);
    expect(await signInImmediately(names, password)).toBe(deviceId);
  }
  // A changed password of another tenant has to be checked again, but does not count as a guess.
  for (const [index, other] of squatted.entries()) {
    const taken = [{ username: names.username }, names, { clientId: names.clientId }][index];
    await setPassword(theirs, other, { ...taken, password: "mallory-pass-2" });
    guess(names, 5);
    expect(await signInImmediately(names, password)).toBe(deviceId);
  }
});

test("a password that another tenant takes too is still found to be shared", async () => {
  const names = { clientId: unique("client"), username: unique("sensor") };
  const [first] = await squat(names);
  const password = "victim-pass-3";
  const deviceId = await createDevice(ours, { username: names.username, password });
  for (let sign = 0; sign < 2; sign++) expect(await signInImmediately(names, password)).toBe(deviceId);
  guess(names, 12);
  await setPassword(theirs, first ?? "", { username: names.username, password });
  expect(await signInImmediately(names, password)).toBe("shared");
});

test("a device that is not known yet gets in after a dozen guesses from its address", async () => {
  const names = { clientId: unique("client"), username: unique("sensor") };
  const deviceId = await createDevice(ours, { username: names.username, password: "victim-pass-2" });
  guess(names, 12);
  expect(await signInLater(names, "victim-pass-2")).toBe(deviceId);
});

test("guesses that have waited since before a change of the password do not make the client unknown", async () => {
  const names = { clientId: unique("client"), username: unique("sensor") };
  const deviceId = await createDevice(ours, { ...names, password: "victim-pass-4" });
  guess(names, 12);
  await setPassword(ours, deviceId, { ...names, password: "victim-pass-5" });
  expect(await signInLater(names, "victim-pass-5")).toBe(deviceId);
  for (let second = 0; second < 10; second++) {
    clock.advance(1_000);
    await createDevice(theirs, { username: unique("barrier"), password: "barrier-pass-2" }); // after the hash of a guess
    expect(await signInImmediately(names, "victim-pass-5")).toBe(deviceId);
    guess(names, 12);
  }
});

const aPlace = fc.record({ by: fc.constantFrom("ours" as const, "theirs" as const), slot: fc.nat(2) });
const aStep = fc.oneof(
  fc.record({ action: fc.constant("set" as const), place: aPlace }),
  fc.record({ action: fc.constant("signIn" as const), place: aPlace }),
  fc.record({ action: fc.constant("guess" as const), seconds: fc.integer({ min: 2, max: 5 }) }),
);
/** Both tenants have devices, and those of the other one are older. */
const theirsFirst = [0, 1, 2].map((slot) => ({
  action: "set" as const,
  place: { by: "theirs" as const, slot },
}));
const oursAfter = ["set" as const, "signIn" as const].flatMap((action) =>
  [1, 2].map((slot) => ({ action, place: { by: "ours" as const, slot } })),
);

/** Makes some guesses per second, and waits for those that are made. */
async function keepGuessing(names: Names, seconds: number): Promise<void> {
  for (let second = 0; second <= seconds; second++) {
    clock.advance(1_000);
    guess(names, 3);
  }
  // Hashes are computed in turn, so those of the guesses come first.
  await createDevice(ours, { username: unique("barrier"), password: "barrier-pass-1" });
}

/** A device of one of the tenants. */
interface Owned {
  readonly deviceId: string;
  readonly password: string;
  /** True if it has signed in with this password. */
  isKnown: boolean;
}

class Model {
  readonly names = { clientId: unique("client"), username: unique("sensor") };
  readonly #owned = new Map<string, Owned>();

  async set({ by, slot }: { by: "ours" | "theirs"; slot: number }): Promise<void> {
    const { clientId, username } = this.names;
    const token = by === "ours" ? ours : theirs;
    const password = unique("a chosen password");
    const taken = { ...[this.names, { username }, { clientId }][slot], password };
    const existing = this.#owned.get(`${by} ${slot}`);
    if (existing !== undefined) await setPassword(token, existing.deviceId, taken);
    const deviceId = existing?.deviceId ?? (await createDevice(token, taken));
    this.#owned.set(`${by} ${slot}`, { deviceId, password, isKnown: false });
  }

  async signIn({ by, slot }: { by: "ours" | "theirs"; slot: number }): Promise<void> {
    const owned = this.#owned.get(`${by} ${slot}`);
    if (owned === undefined) return;
    const { deviceId, password, isKnown } = owned;
    let result = isKnown ? await signInImmediately(this.names, password) : undefined;
    for (let tries = 0; !isKnown && tries < 10 && result !== deviceId; tries++)
      result = await signInLater(this.names, password);
    expect(result).toBe(deviceId);
    owned.isKnown = true;
  }
}

test("neither guesses nor another tenant's changes keep out a client that has signed in", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(aStep, { minLength: 4, maxLength: 10 }), async (steps) => {
      const model = new Model();
      for (const step of [...theirsFirst, ...oursAfter, ...steps]) {
        if (step.action === "guess") await keepGuessing(model.names, step.seconds);
        else if (step.action === "set") await model.set(step.place);
        else await model.signIn(step.place);
      }
    }),
    { numRuns: 20, endOnFailure: true }, // to shrink takes a minute for each wait
  );
});
