import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { createThrottleRepository } from "../../../src/modules/identity/provider/throttle.repository.ts";
import { Throttle } from "../../../src/modules/identity/provider/throttle.ts";
import { createUserMailLimit } from "../../../src/modules/identity/user-mail-limit.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const HOUR_MS = 3_600_000;
const [north, south] = ["north", "south"] as TenantId[];

let directory: string;
let database: MainDatabase;
let clock: FakeClock;
let take: ReturnType<typeof createUserMailLimit>;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-invitations-"));
  database = openMainDatabase(join(directory, "identity.db"), "identity", createLogger());
  clock = new FakeClock();
  take = createUserMailLimit(
    new Throttle({ repository: createThrottleRepository(database), now: () => clock.now() }),
  );
});
afterEach(() => {
  database.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Tries that often, and says how many went out. */
function mail(count: number, addressOf: (index: number) => string, tenantId = north as TenantId): number {
  return Array.from({ length: count }, (_, index) => take(tenantId, [addressOf(index)])).filter(
    (refused) => refused === undefined,
  ).length;
}

test("one address gets 5 invitations of a tenant per hour and 20 per day, and none of another's", () => {
  expect(mail(10, () => "nina@plant.example")).toBe(5);
  expect(mail(10, () => "nina@plant.example", south)).toBe(5);
  expect(mail(1, () => "otto@plant.example")).toBe(1);
  let sent = 5;
  for (let hour = 1; hour < 24; hour++) {
    clock.advance(HOUR_MS);
    sent += mail(10, () => "nina@plant.example");
  }
  expect(sent).toBe(20);
});

test("one address gets 20 invitations per hour and 60 per day of all tenants", () => {
  const ofAll = () => {
    const tenants = Array.from({ length: 30 }, (_, index) => `tenant ${index}` as TenantId);
    return tenants.reduce((sent, tenantId) => sent + mail(5, () => "nina@plant.example", tenantId), 0);
  };
  let sent = ofAll();
  expect(sent).toBe(20);
  for (let hour = 1; hour < 24; hour++) {
    clock.advance(HOUR_MS);
    sent += ofAll();
  }
  expect(sent).toBe(60);
});

test("one tenant sends 200 an hour, and another is not held up", () => {
  expect(mail(300, (index) => `user${index}@plant.example`)).toBe(200);
  expect(mail(1, () => "sam@south.example", south)).toBe(1);
  const refused = take(north as TenantId, ["more@plant.example"]);
  expect(refused?.waitMs).toBe(HOUR_MS);
  clock.advance(HOUR_MS);
  expect(mail(300, (index) => `later${index}@plant.example`)).toBe(200);
});

test("a mail to two addresses counts for both, or for none", () => {
  for (let n = 0; n < 4; n++)
    expect(take(north as TenantId, ["a@plant.example", "b@plant.example"])).toBeUndefined();
  expect(mail(5, () => "a@plant.example")).toBe(1);
  expect(take(north as TenantId, ["b@plant.example", "a@plant.example"])).toBeDefined();
  expect(mail(5, () => "b@plant.example")).toBe(1);
});
