import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { createAuditRepository } from "../../../src/modules/audit/audit.repository.ts";
import { type AuditService, createAuditService } from "../../../src/modules/audit/audit.service.ts";
import { createTenantsRepository } from "../../../src/modules/tenants/tenants.repository.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

const DAY_MS = 86_400_000;
const UPKEEP_MS = 10 * 60_000;
const tenantId = "tenant" as TenantId;
const scope = { tenantId, devices: "all" as const, isDevice: () => false, includesStrangers: false };
const log = createLogger("test");

let directory: string;
let database: MainDatabase;
let clock: FakeClock;
let audit: AuditService;

function open(days: number, entriesMax: number): AuditService {
  const { durable } = database;
  const repository = createAuditRepository(database);
  const service = createAuditService({
    repository,
    durable,
    days,
    limitOf: () => entriesMax,
    clock,
    retentionTime: () => clock.now(),
    log,
  });
  service.start();
  return service;
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "lineside-audit-"));
  database = openMainDatabase(join(directory, "lineside.db"), "lineside", log);
  clock = new FakeClock();
  const tenant = { tenantId, name: "Plant", planName: "onprem", isHost: false };
  createTenantsRepository(database).insert(tenant, clock.now());
  audit = open(30, 1_000);
});
afterEach(async () => {
  audit.stop();
  database.close();
  await rm(directory, { recursive: true, force: true });
});

const record = (id: number, outcome: "SUCCESS" | "REFUSED" = "SUCCESS") =>
  audit.record({
    tenantId: tenantId,
    actor: { type: "USER", id: outcome === "REFUSED" ? `user ${id}` : "user", name: "somebody" },
    action: "profile.update",
    outcome,
    target: { type: "profile", id: String(id) },
  });

const kept = async (outcome: "SUCCESS" | "REFUSED" = "SUCCESS") =>
  (await audit.list(scope, { outcome }, { limit: 100_000 })).items.map(({ targetId }) => Number(targetId));

function reopen(days: number, entriesMax: number): void {
  audit.stop();
  audit = open(days, entriesMax);
}

test("entries older than the setting are deleted, younger ones stay", async () => {
  record(1);
  clock.jump(20 * DAY_MS);
  record(2);
  clock.jump(10 * DAY_MS);
  clock.advance(UPKEEP_MS);
  expect(await kept()).toEqual([2]);
});

test("beyond the most entries the oldest are deleted at once", async () => {
  for (let id = 0; id < 1_010; id++) record(id);
  expect(await kept()).toEqual(Array.from({ length: 1_000 }, (_, index) => 1_009 - index));
});

test("who is refused over and over pushes out nothing that was done", async () => {
  record(1);
  database.transact(() => {
    for (let id = 0; id < 1_050; id++) record(id, "REFUSED");
  });
  expect(await kept()).toEqual([1]);
  expect(await kept("REFUSED")).toHaveLength(999);
});

test("what is done takes back room that refusals have borrowed, and both keep their own part", async () => {
  database.transact(() => {
    for (let id = 0; id < 1_050; id++) record(id, "REFUSED");
    for (let id = 0; id < 1_050; id++) record(id);
  });
  // 400 and 100 are their own; the 500 of owners and the operator are lent in equal parts.
  expect(await kept()).toHaveLength(650);
  expect(await kept("REFUSED")).toHaveLength(350);
});

test("a limit that is lowered is reached without a new entry, and entries of no tenant are counted apart", async () => {
  for (let id = 0; id < 300; id++) record(id);
  audit.record({
    tenantId: null,
    actor: { type: "ANONYMOUS", id: null, name: "stranger@example.com" },
    action: "session.start",
    outcome: "FAILED",
    address: "192.0.2.1",
  });
  reopen(30, 50);
  clock.advance(UPKEEP_MS);
  await until(async () => (await kept()).length === 50);
  const all = await audit.list({ ...scope, includesStrangers: true }, {}, { limit: 1_000 });
  expect(all.total).toBe(51);
});

test("counts again when another process has removed entries", async () => {
  for (let id = 0; id < 1_000; id++) record(id);
  const other = createAuditRepository(database);
  for (let removed = 0; removed < 1_000; removed++)
    other.removeOldest(tenantId, { share: "members", holder: "user" });
  clock.advance(UPKEEP_MS);
  for (let id = 0; id < 5; id++) record(id);
  expect(await kept()).toHaveLength(5);
});

test("a clock that jumps years ahead deletes no more than a share at once", async () => {
  reopen(30, 5_000);
  for (let id = 0; id < 3_000; id++) record(id);
  clock.jump(10 * 365 * DAY_MS);
  clock.advance(UPKEEP_MS);
  expect(await kept()).toHaveLength(2_000);
});

test("with no days set, age deletes nothing", async () => {
  reopen(0, 1_000);
  record(1);
  clock.jump(3_650 * DAY_MS);
  clock.advance(UPKEEP_MS);
  expect(await kept()).toEqual([1]);
});
