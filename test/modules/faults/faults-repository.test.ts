import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { createFaultsRepository } from "../../../src/modules/faults/faults.repository.ts";
import type { FaultEntry } from "../../../src/modules/faults/faults.types.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { type MainDatabase, openMainDatabase } from "../../../src/platform/database/database.ts";

let directory: string;
let database: MainDatabase;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-faults-"));
  database = openMainDatabase(join(directory, "lineside.db"), "lineside", createLogger("test of faults"));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await database.close();
  rmSync(directory, { recursive: true, force: true });
});

const small: FaultEntry = {
  faultId: "small",
  source: "uplink",
  code: "fault.job_failed",
  params: {},
  port: undefined,
  firstAt: 1,
  lastAt: 2,
  count: 3,
};
const whole: FaultEntry = {
  ...small,
  faultId: "whole",
  params: { reason: { code: "modbus.exception", params: { code: 2 } }, key: "it's" },
  tenantId: "one" as TenantId,
  subject: { kind: "device", id: "pump", name: "Pump 8" },
  identity: { kind: "token", name: "Abcd…" },
  where: "topic",
  sample: "{}",
  address: "10.0.0.1",
  protocol: "mqtt",
  port: 1883,
  client: "c",
};

test("stores entries, changes what may change, and deletes entries", () => {
  const repository = createFaultsRepository(database);
  repository.save([small, whole], []);
  const stored = () => JSON.parse(JSON.stringify(repository.list()));
  expect(stored()).toEqual([small, whole]);
  const again = { ...whole, params: { key: "other" }, lastAt: 9, count: 4, client: "d", sample: "[]" };
  repository.save([{ ...again, where: "kept as it was", firstAt: 7 }], ["small"]);
  expect(stored()).toEqual([again]);
});

test("builds its statements once, not for each of up to 1,000 entries", () => {
  const repository = createFaultsRepository(database);
  const built = [spyOn(database.orm, "insert"), spyOn(database.orm, "delete")];
  repository.save(
    Array.from({ length: 100 }, (_, index) => ({ ...small, faultId: `${index}` })),
    ["one", "two"],
  );
  expect(built.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  expect(repository.list()).toHaveLength(100);
});
