import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TenantId } from "../../../src/lib/ids.ts";
import { retryAfter, type Verdict, verdictOf, waitAfter } from "../../../src/lib/retry-policy.ts";
import { createOutboundWriter } from "../../../src/modules/outbound/outbound-writer.ts";
import { createSealedBox } from "../../../src/platform/sealed-box.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { createRig, database, repository, runTasks, useDatabase } from "./delivery-fixture.ts";

useDatabase();

const rowsOf = (tenantId: string) =>
  database.sqlite
    .query<{ n: number }, [string]>("SELECT count(*) AS n FROM outbound_requests WHERE tenant_id = ?")
    .get(tenantId)?.n;

const verdicts: readonly Verdict[] = [
  "delivered",
  "delivered",
  "dead",
  { retry: "target" },
  { retry: "request" },
];
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ add: fc.tuple(fc.nat(1), fc.nat(2)) }) },
  { weight: 3, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 400_000 }) }) },
  { weight: 1, arbitrary: fc.record({ kill: fc.constant(true) }) },
);

test("whatever fails, and whenever it is killed: each arrives at least once or lies dead, one at a time and in order under its key", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.array(fc.nat(4), { minLength: 1, maxLength: 30 }),
      async (steps, luck) => {
        const rig = createRig();
        const targets = [rig.target("a"), rig.target("b")] as const;
        const added: Array<{ lane: string; body: string }> = [];
        let tries = 0;
        const refused = new Set<string>();
        rig.answer = ({ body }) => {
          const verdict = verdicts[luck[tries++ % luck.length] ?? 0] ?? "delivered";
          if (verdict === "dead") refused.add(body);
          return verdict;
        };
        for (const candidate of steps) {
          if ("add" in candidate) {
            const target = targets[candidate.add[0]] ?? targets[0];
            const body = String(added.length);
            added.push({ lane: `${target.targetId} ${candidate.add[1]}`, body });
            rig.add(target, String(candidate.add[1]), body);
            await runTasks();
          } else if ("pass" in candidate) await rig.pass(candidate.pass, 20_000);
          else rig.boot();
        }
        rig.answer = () => "delivered";
        await rig.pass(3_600_000, 60_000);
        const left = rig.states();
        expect(left.every(({ state }) => state === "DEAD")).toBe(true);
        for (const { body } of added) {
          const isDead = left.some((row) => row.body === body);
          expect(isDead ? refused.has(body) : rig.sent.some((sent) => sent.body === body)).toBe(true);
        }
        for (const lane of new Set(added.map((item) => item.lane))) {
          const order = added.filter((item) => item.lane === lane).map(({ body }) => Number(body));
          const tried = rig.sent
            .filter(({ target, key }) => `${target} ${key}` === lane)
            .map(({ body }) => Number(body));
          const first = tried.filter((body, index) => tried.indexOf(body) === index);
          expect(first).toEqual(order);
        }
        await rig.delivery.stop();
      },
    ),
    { numRuns: 40 },
  );
}, 30_000);

test("a target that is down is asked by one request at a time, less and less often, and at once by all when it is back", async () => {
  const rig = createRig();
  const target = rig.target("down");
  rig.answer = () => ({ retry: "target" });
  for (let n = 0; n < 40; n++) rig.add(target, `d${n}`, `${n}`);
  await rig.pass(3_600_000, 1_000);
  // Twelve each five minutes at the most, and the first few.
  expect(rig.sent.length).toBeLessThan(40);
  const waits = rig.sent.slice(-5).map(({ at }, index, all) => at - (all[index - 1]?.at ?? at));
  expect(Math.max(...waits)).toBeLessThanOrEqual(300_000);
  rig.answer = () => "delivered";
  await rig.pass(301_000, 1_000);
  expect(rig.states()).toEqual([]);
  await rig.delivery.stop();
});

test("one that its server cannot take holds up its own device alone", async () => {
  const rig = createRig();
  const target = rig.target("poisoned");
  rig.answer = ({ body }) => (body === "poison" ? { retry: "request" } : "delivered");
  rig.add(target, "d1", "poison");
  rig.add(target, "d1", "behind");
  for (let n = 0; n < 10; n++) rig.add(target, "d2", `${n}`);
  await rig.pass(60_000);
  expect(rig.states().map(({ body }) => body)).toEqual(["poison", "behind"]);
  await rig.pass(25 * 3_600_000, 300_000);
  expect(rig.states()).toEqual([{ body: "poison", state: "DEAD" }]);
  await rig.delivery.stop();
});

test("targets that never answer leave room for others, and each has at most four at once", async () => {
  const rig = createRig();
  rig.answer = ({ target }) =>
    target.startsWith("slow") ? new Promise<Verdict>(() => undefined) : "delivered";
  for (let t = 0; t < 6; t++) {
    const slow = rig.target("slow");
    for (let n = 0; n < 20; n++) rig.add(slow, `d${n}`, `${n}`);
  }
  await runTasks(50);
  expect(rig.sent.length).toBe(24);
  const quick = rig.target("quick");
  for (let n = 0; n < 100; n++) rig.add(quick, `d${n % 7}`, `${n}`);
  await rig.pass(5_000, 100);
  expect(rig.sent.filter(({ target }) => target === quick.targetId).length).toBe(100);
  expect(rig.mostAtOnce()).toBeLessThanOrEqual(28);
});

test("a full outbox gives the oldest of the fullest up, and no other", async () => {
  const rig = createRig({ rows: 300, bytes: 1_000_000 });
  rig.answer = () => ({ retry: "target" });
  const small = rig.target("small");
  const big = rig.target("big");
  for (let n = 0; n < 20; n++) rig.add(small, "d", `small ${n}`);
  for (let n = 0; n < 281; n++) rig.add(big, "d", `big ${n}`);
  await runTasks();
  const dead = rig.states().filter(({ state }) => state === "DEAD");
  expect(dead.map(({ body }) => body)).toEqual(Array.from({ length: 100 }, (_, n) => `big ${n}`));
  rig.ledger.flush();
  const counts = repository.countsOf("t" as TenantId, { kind: "pipeline", id: "big" });
  expect(counts).toMatchObject({ sent: 0, died: 100 });
  await rig.delivery.stop();
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
  const row = { ...createRig().target("a"), targetId: "stray", tenantId: "gone", fingerprint: "stray" };
  expect(repository.ensureTarget(row)).toBeUndefined();
  const writer = createOutboundWriter({
    repository,
    delivery: { now: () => 0, added: (target) => void added.push(target.tenantId) },
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
    expect([1, 2, 3, 4, 9, 50].map((n) => waitAfter(n, () => 1))).toEqual([
      1_000, 2_000, 4_000, 8_000, 256_000, 300_000,
    ]);
    expect([1, 9, 50].map((n) => waitAfter(n, () => 0))).toEqual([500, 128_000, 150_000]);
  });

  test("Retry-After is seconds or a date, an hour at the most", () => {
    const now = Date.parse("2026-03-01T00:00:00Z");
    expect(retryAfter("120", now)).toBe(120_000);
    expect(retryAfter("Sun, 01 Mar 2026 00:00:30 GMT", now)).toBe(30_000);
    expect(retryAfter("999999", now)).toBe(3_600_000);
    for (const none of [undefined, "", "soon", "-5", "Sat, 28 Feb 2026 00:00:00 GMT"])
      expect(retryAfter(none, now)).toBe(0);
  });
});
