import { describe, expect, spyOn, test } from "bun:test";
import { detail } from "../../../src/lib/core/domain-error.ts";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import {
  backOffMs,
  readRetryAfterMs,
  type Verdict,
  verdictOf,
} from "../../../src/lib/network/retry-policy.ts";
import { createOutboundWriter } from "../../../src/modules/outbound/outbound-writer.ts";
import { allRows } from "../../../src/platform/database/row-list.ts";
import { createSealedBox } from "../../../src/platform/secrets/sealed-box.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { createRig, database, repository, runTasks, useDatabase } from "./delivery-fixture.ts";

useDatabase();

const rowsOf = (tenantId: string) =>
  database.sqlite
    .query<{ n: number }, [string]>("SELECT count(*) AS n FROM outbound_requests WHERE tenant_id = ?")
    .get(tenantId)?.n;

const SOURCE = { kind: "pipeline", id: "a" } as const;

const deadOf = (tenantId: string) =>
  database.sqlite
    .query<{ n: number }, [string]>(
      "SELECT count(*) AS n FROM outbound_requests WHERE tenant_id = ? AND state = 'DEAD'",
    )
    .get(tenantId)?.n;

test("what was delivered is deleted, what was refused is kept, and both are counted and reported", async () => {
  const rig = createRig();
  rig.answer = (body) => (body === "dead" ? "dead" : body === "later" ? { retry: "request" } : "delivered");
  const target = rig.target("a");
  for (const body of ["sent", "dead", "later"]) rig.add(target, body, body);
  await runTasks();
  await rig.pass(300, 100);
  const row = { attempts: 1, lastStatus: 418, lastError: { code: "delivery_error.refused" } };
  const items = allRows(repository.list("t" as TenantId, { limit: 10, offset: 0 })).map(
    ({ request }) => request,
  );
  expect(items).toMatchObject([
    { ...row, orderKey: "later", state: "WAITING", diedAt: null },
    { ...row, orderKey: "dead", state: "DEAD", diedAt: expect.any(Number) },
  ]);
  expect(repository.countsOf("t" as TenantId, SOURCE)).toMatchObject({ sent: 1, died: 1 });
  expect(rig.failed.map(({ code }) => code).sort()).toEqual([
    "fault.delivery_dead",
    "fault.delivery_retried",
  ]);
  await rig.delivery.stop();
});

test("a revived dead letter is sent before the later requests of its device", async () => {
  const rig = createRig();
  const target = rig.target("a");
  rig.answer = (body) => (body === "first" ? "dead" : { retry: "request" });
  for (const body of ["first", "second"]) rig.add(target, "d", body);
  await runTasks();
  rig.delivery.queue.flush();
  const dead = repository.listDead("t" as TenantId, SOURCE, { after: 0, limit: 10 }).map(({ seq }) => seq);
  expect(repository.revive(dead, target.targetId, rig.delivery.now())).toBe(1);
  rig.delivery.queue.changed(target, { tryNow: false });
  rig.answer = () => "delivered";
  await rig.pass(10_000);
  expect(rig.sent).toEqual(["first", "second", "first", "second"]);
  expect(rig.states()).toEqual([]);
  await rig.delivery.stop();
});

test("a full queue makes dead letters, which are counted and reported once per source", async () => {
  const rig = createRig({ rows: 300, bytes: 1_000_000 });
  rig.answer = () => ({ retry: "target" });
  const target = rig.target("a");
  for (let n = 0; n < 301; n++) rig.add(target, "d", `${n}`);
  await runTasks();
  rig.delivery.queue.flush();
  expect(repository.countsOf("t" as TenantId, SOURCE)).toMatchObject({ sent: 0, died: 100 });
  const dropped = rig.failed.filter(({ code }) => code === "fault.delivery_dropped");
  expect(dropped.map(({ reason }) => reason.code)).toEqual(["delivery_error.no_room"]);
  await rig.delivery.stop();
});

test("a full queue makes room for a hundred requests, whichever targets they are for", async () => {
  const rig = createRig({ rows: 120, bytes: 1_000_000 });
  rig.answer = () => ({ retry: "target" });
  const [first, second] = [rig.target("a"), rig.target("b")];
  for (let n = 0; n < 80; n++) rig.add(first, "d", `${n}`);
  for (let n = 0; n < 41; n++) rig.add(second, "d", `${n}`);
  await runTasks();
  rig.delivery.queue.flush();
  expect([deadOf("t"), rowsOf("t")]).toEqual([100, 121]);
  await rig.delivery.stop();
});

test("beyond the limit, the tenant with the most dead letters loses its oldest", async () => {
  const rig = createRig();
  const error = detail("delivery_error.refused");
  const kill = (tenantId: TenantId, count: number) => {
    const target = rig.target("dead", tenantId);
    for (let n = 0; n < count; n++) rig.add(target, "d", `${tenantId}${n}`);
    repository.giveUp(target.targetId, { error, limit: count, diedAt: rig.clock.now(), except: [] });
  };
  await rig.delivery.stop();
  kill("t" as TenantId, 6);
  kill("u" as TenantId, 20);
  repository.pruneDead({ rows: 10, bytes: 1_000_000 }, { before: 0, limit: 100 });
  expect([deadOf("t"), deadOf("u")]).toEqual([6, 4]);
  expect(
    rig
      .states()
      .slice(-4)
      .map(({ body }) => body),
  ).toEqual(["u16", "u17", "u18", "u19"]);
});

const planOf = (sql: string) => {
  const statement = database.sqlite.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`);
  const details = statement.all().map((row) => row.detail);
  statement.finalize();
  return details.join();
};

test("a page of requests is found from an index alone, and reads no bodies", async () => {
  const rig = createRig();
  await rig.delivery.stop();
  const target = rig.target("a");
  for (let n = 0; n < 30; n++) rig.add(target, `key ${n}`, "a body");
  const prepare = spyOn(database.sqlite, "prepare");
  const found = repository.list("t" as TenantId, { limit: 5, offset: 20 });
  const items = allRows(found);
  const statements = prepare.mock.calls.map(([text]) => text);
  prepare.mockRestore();
  expect([items.map(({ request }) => request.orderKey), found.total]).toEqual([
    ["key 9", "key 8", "key 7", "key 6", "key 5"],
    30,
  ]);
  expect(statements.filter((text) => text.includes('"body"'))).toEqual([]);
  const [page = ""] = statements.filter((text) => text.includes("limit"));
  expect(planOf(page)).toContain("outbound_requests USING COVERING INDEX outbound_requests_lane");
});

test("the next request of a lane is found by index", () => {
  const isOfTarget = "target_id = 'a' AND state = 'WAITING'";
  expect(
    planOf(
      `SELECT * FROM outbound_requests WHERE ${isOfTarget} AND order_key = 'd' AND seq > 1 ORDER BY seq LIMIT 1`,
    ),
  ).toMatch(/outbound_requests_lane \(target_id=\? AND state=\? AND order_key=\? AND seq>\?\)$/);
  expect(planOf(`SELECT seq FROM outbound_requests WHERE ${isOfTarget} ORDER BY seq LIMIT 1`)).toMatch(
    /outbound_requests_waiting \(target_id=\?\)$/,
  );
});

test("while the gateway is off nothing is given up, and a clock that is set makes no difference", async () => {
  const rig = createRig();
  rig.answer = () => ({ retry: "target" });
  rig.add(rig.target("a"), "d", "one");
  await rig.pass(20 * 3_600_000, 300_000);
  rig.clock.jump(400 * 86_400_000); // a weekend, or the time server
  await rig.delivery.stop();
  rig.boot();
  await rig.pass(3 * 3_600_000, 300_000);
  expect(rig.states()).toEqual([{ body: "one", state: "WAITING" }]);
  rig.clock.jump(-500 * 86_400_000);
  await rig.pass(90 * 60_000, 60_000);
  expect(rig.states()).toEqual([{ body: "one", state: "DEAD" }]);
  await rig.delivery.stop();
});

test("what is for a tenant that is gone is refused by name, so that others in the same write go on", () => {
  const row = {
    ...createRig().target("a"),
    targetId: "stray",
    tenantId: "gone" as TenantId,
    fingerprint: "stray",
  };
  expect(repository.ensureTarget(row)).toBeUndefined();
  const writer = createOutboundWriter({
    repository,
    delivery: { now: () => 0, queue: { added: (target) => void added.push(target.tenantId) } },
    box: createSealedBox(new Uint8Array(32), "test"),
    transact: database.transact,
    durable: database.durable,
    clock: new FakeClock(),
  });
  const added: string[] = [];
  const request = (tenantId: string) => ({
    tenantId: tenantId as TenantId,
    source: { kind: "pipeline", id: "p" } as const,
    target: { url: "http://a/", method: "POST", headers: {}, timeoutMs: 1, secret: "plain" },
    orderKey: "d",
    body: "{}",
  });
  const item = request("t");
  writer.enqueue([item, request("gone"), item]);
  expect(added).toEqual(["t", "t"]);
  expect(rowsOf("t")).toBe(2);
  // The row of the target went with a transaction that failed: it is made anew.
  database.sqlite.run("DELETE FROM outbound_targets");
  writer.enqueue([item]);
  expect(rowsOf("t")).toBe(1);
  expect(JSON.stringify(database.sqlite.query("SELECT * FROM outbound_targets").all())).not.toContain(
    "plain",
  );
});

describe("what an answer means", () => {
  const rows: Array<[statuses: number[], verdict: Verdict]> = [
    [[200, 201, 202, 204, 299], "delivered"],
    [[400, 401, 403, 404, 405, 409, 410, 413, 422, 301, 308], "dead"],
    [[429, 502, 503, 504], { retry: "target" }],
    [[408, 425, 500, 501, 507, 599, 302, 303, 307], { retry: "request" }],
  ];
  for (const [statuses, verdict] of rows)
    test(`${statuses.join(" ")}: ${JSON.stringify(verdict)}`, () => {
      for (const status of statuses) expect(verdictOf(status)).toEqual(verdict);
    });

  test("waits double from a second to five minutes, half of each by chance", () => {
    expect([1, 2, 3, 4, 9, 50].map((n) => backOffMs(n, () => 1))).toEqual([
      1_000, 2_000, 4_000, 8_000, 256_000, 300_000,
    ]);
    expect([1, 9, 50].map((n) => backOffMs(n, () => 0))).toEqual([500, 128_000, 150_000]);
    const ends = { firstMs: 500, maxMs: 15_000 };
    expect([1, 2, 99].map((n) => backOffMs(n, () => 1, ends))).toEqual([500, 1_000, 15_000]);
    expect(backOffMs(1, () => 0, ends)).toBe(250);
  });

  test("Retry-After is seconds or a date, an hour at the most", () => {
    const now = Date.parse("2026-03-01T00:00:00Z");
    expect(readRetryAfterMs("120", now)).toBe(120_000);
    expect(readRetryAfterMs("Sun, 01 Mar 2026 00:00:30 GMT", now)).toBe(30_000);
    expect(readRetryAfterMs("999999", now)).toBe(3_600_000);
    for (const none of [undefined, "", "soon", "-5", "Sat, 28 Feb 2026 00:00:00 GMT"])
      expect(readRetryAfterMs(none, now)).toBe(0);
  });
});
