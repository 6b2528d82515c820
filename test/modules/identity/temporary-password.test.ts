import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIdentityProvider } from "../../../src/modules/identity/provider/identity-provider.ts";
import type { PasswordHasher } from "../../../src/modules/identity/provider/password.ts";
import { createProviderRepository } from "../../../src/modules/identity/provider/provider.repository.ts";
import { createThrottleRepository } from "../../../src/modules/identity/provider/throttle.repository.ts";
import { Throttle } from "../../../src/modules/identity/provider/throttle.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const DAY_MS = 24 * 3_600_000;
const EMAIL = "nina@plant.example";
const TEMPORARY = "k7mf-92qx-tdh4-w3ra";
const OWN = "eleven quiet conveyor belts";

let directory: string;
let database: MainDatabase;
let clock: FakeClock;
let provider: ReturnType<typeof createIdentityProvider>;

/** Instant: how slow a real one is, is not what is tested. */
const hasher: PasswordHasher = {
  hash: async (password) => `hash of ${password}`,
  verify: async (password, hash) => hash === `hash of ${password}`,
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-temporary-"));
  database = openMainDatabase(join(directory, "identity.db"), "identity", createLogger());
  clock = new FakeClock();
  const now = () => clock.now();
  provider = createIdentityProvider({
    repository: createProviderRepository(database),
    throttle: new Throttle({ repository: createThrottleRepository(database), now }),
    hasher,
    onPasswordChanged: () => undefined,
    now,
    wallNow: now,
  });
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

const begin = (password: string) =>
  provider.begin({ email: EMAIL, password, address: "192.0.2.1" }).then(
    ({ step }) => step,
    ({ code }) => code,
  );

test("a temporary password is good for 14 days, and the next invitation for 14 more", async () => {
  await provider.setTemporaryPassword(EMAIL, TEMPORARY);
  clock.advance(14 * DAY_MS - 1);
  expect(await begin(TEMPORARY)).toBe("new_password");
  clock.advance(1);
  expect(await begin(TEMPORARY)).toBe("sign_in.temporary_expired");
  expect(await begin("not this one either")).toBe("sign_in.wrong"); // who guesses learns nothing of it
  await provider.setTemporaryPassword(EMAIL, "w3ra-tdh4-92qx-k7mf");
  expect(await begin("w3ra-tdh4-92qx-k7mf")).toBe("new_password");
});

test("a script is refused in the same way, whatever else it sends", async () => {
  await provider.setTemporaryPassword(EMAIL, TEMPORARY);
  clock.advance(15 * DAY_MS);
  const request = { email: EMAIL, password: TEMPORARY, newPassword: OWN, address: "192.0.2.1" };
  const refused = await provider.signIn(request).catch((error: unknown) => error);
  expect(refused).toMatchObject({ kind: "forbidden", code: "sign_in.temporary_expired" });
});

test("a password of one's own stays good for years", async () => {
  await provider.setTemporaryPassword(EMAIL, TEMPORARY);
  await provider.signIn({ email: EMAIL, password: TEMPORARY, newPassword: OWN, address: "192.0.2.1" });
  clock.advance(2000 * DAY_MS);
  expect(await begin(OWN)).toBe("signed_in");
});
