import { afterAll, beforeAll } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detail } from "../../../src/lib/core/domain-error.ts";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import type { Verdict } from "../../../src/lib/network/retry-policy.ts";
import {
  createOutboundRepository,
  type TargetRow,
} from "../../../src/modules/outbound/outbound.repository.ts";
import {
  createOutboundDelivery,
  type FailedDelivery,
  type OutboundDelivery,
} from "../../../src/modules/outbound/outbound-delivery.ts";
import { createLogger } from "../../../src/platform/core/log.ts";
import { openMainDatabase } from "../../../src/platform/database/database.ts";
import { FakeClock } from "../../support/fake-clock.ts";

export let database: ReturnType<typeof openMainDatabase>;
export let repository: ReturnType<typeof createOutboundRepository>;

/** Opens a database with the tenants t, u and v for the tests of a file. */
export function useDatabase(): void {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "lineside-delivery-"));
    database = openMainDatabase(join(directory, "a.db"), "lineside", createLogger("test"));
    repository = createOutboundRepository(database);
    for (const tenantId of ["t", "u", "v"])
      database.sqlite.run(
        "INSERT INTO tenants (tenant_id, name, plan_name, created_at, updated_at) VALUES (?, 'T', 'p', 1, 1)",
        [tenantId],
      );
  });
  afterAll(() => {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  });
}

export const runTasks = async (count = 30) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

let created = 0;
/** A queue of its own over the one database. */
export function createRig(limits = { rows: 1_000, bytes: 1_000_000 }) {
  for (const table of ["outbound_targets", "outbound_counts"]) database.sqlite.run(`DELETE FROM ${table}`);
  const clock = new FakeClock();
  const rig = {
    clock,
    sent: [] as string[],
    failed: [] as FailedDelivery[],
    answer: (_: string): Verdict => "delivered",
    delivery: undefined as unknown as OutboundDelivery,
    boot() {
      rig.delivery = createOutboundDelivery({
        repository,
        transact: database.transact,
        onFailed: (failed) => void rig.failed.push(failed),
        limits,
        clock,
        retentionTime: () => clock.now(),
        random: () => 0.5,
        log: createLogger("test"),
        send({ body }) {
          rig.sent.push(body);
          const error = detail("delivery_error.refused");
          return Promise.resolve({ verdict: rig.answer(body), error, response: { status: 418 } });
        },
      });
      rig.delivery.start();
    },
    target(name: string, tenantId = "t" as TenantId): TargetRow {
      const row = {
        targetId: `${name}${++created}`,
        tenantId,
        sourceKind: "pipeline",
        sourceId: name,
        url: "http://a/",
        urlSealed: null,
        method: "POST",
        headers: {},
        timeoutMs: 1,
        secretSealed: null,
        fingerprint: `${name}${created}`,
      };
      repository.ensureTarget(row);
      return row;
    },
    add(target: TargetRow, orderKey: string, body: string) {
      const timeMs = rig.delivery.now();
      repository.ensureTarget(target);
      repository.insert({
        tenantId: target.tenantId,
        targetId: target.targetId,
        orderKey,
        contentType: "a/b",
        body,
        bytes: body.length,
        state: "WAITING",
        attempts: 0,
        queuedAt: timeMs,
        dueAt: timeMs,
        triedAt: null,
        lastStatus: null,
        lastError: null,
        createdAt: clock.now(),
        diedAt: null,
        dedupeKey: null,
      });
      rig.delivery.queue.added(target, { orderKey, bytes: body.length });
    },
    async pass(ms: number, stepMs = 1_000) {
      for (let passed = 0; passed < ms; passed += stepMs) {
        clock.advance(Math.min(stepMs, ms - passed));
        await runTasks();
      }
    },
    states: () =>
      database.sqlite
        .query<{ body: string; state: string }, []>("SELECT body, state FROM outbound_requests ORDER BY seq")
        .all(),
  };
  rig.boot();
  return rig;
}
