import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { detail } from "../../../src/lib/domain-error.ts";
import type { Verdict } from "../../../src/lib/retry-policy.ts";
import {
  createOutboundRepository,
  type TargetRow,
} from "../../../src/modules/outbound/outbound.repository.ts";
import { type Attempt, OutboundDelivery } from "../../../src/modules/outbound/outbound-delivery.ts";
import { OutboundLedger } from "../../../src/modules/outbound/outbound-ledger.ts";
import { openMainDatabase } from "../../../src/platform/database.ts";
import { createLogger } from "../../../src/platform/log.ts";
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
    rmSync(directory, { recursive: true });
  });
}

export const runTasks = async (count = 6) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

interface Sent {
  readonly target: string;
  readonly key: string;
  readonly body: string;
  readonly at: number;
}

let created = 0;
/** A queue of its own over the one database: crashed and started again as a test likes. */
export function createRig(limits = { rows: 1_000, bytes: 1_000_000 }) {
  database.sqlite.run("DELETE FROM outbound_targets");
  const clock = new FakeClock();
  const sent: Sent[] = [];
  const inFlight = new Map<string, number>();
  let most = 0;
  const rig = {
    clock,
    sent,
    answer: (_: Sent): Verdict | Promise<Verdict> => "delivered",
    retryAfterMs: 0,
    /** Reading the queue fails. */
    isDiskBroken: false,
    mostAtOnce: () => most,
    delivery: undefined as unknown as OutboundDelivery,
    ledger: undefined as unknown as OutboundLedger,
    /** What ran before is forgotten, as a kill forgets it. */
    boot() {
      const { transact } = database;
      const log = createLogger("test");
      inFlight.clear();
      const ledger = new OutboundLedger({
        repository,
        transact,
        onFailed: () => undefined,
        clock,
        retentionTime: () => clock.now(),
        log,
      });
      const head: (typeof repository)["head"] = (...of) => {
        if (rig.isDiskBroken) throw new Error("the disk failed");
        return repository.head(...of);
      };
      const mine = new OutboundDelivery({
        repository: { ...repository, head },
        ledger,
        limits,
        clock,
        random: () => 0.5,
        log,
        async send(row, { targetId }) {
          const item = { target: targetId, key: row.orderKey, body: row.body, at: clock.monotonic() };
          const lane = `${targetId} ${row.orderKey}`;
          if (rig.delivery !== mine) return new Promise<Attempt>(() => undefined); // it was killed
          expect(inFlight.get(lane) ?? 0).toBe(0);
          inFlight.set(lane, 1);
          most = Math.max(most, inFlight.size);
          sent.push(item);
          const verdict = await rig.answer(item);
          if (rig.delivery !== mine) return new Promise<Attempt>(() => undefined);
          inFlight.delete(lane);
          return {
            verdict,
            status: null,
            error: detail("delivery_error.refused"),
            retryAfterMs: rig.retryAfterMs,
          };
        },
      });
      Object.assign(rig, { delivery: mine, ledger });
      mine.start();
    },
    target(name: string, tenantId = "t"): TargetRow {
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
      rig.delivery.added(target, orderKey, body.length);
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
