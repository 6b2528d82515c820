import { expect, spyOn, test } from "bun:test";
import { detail } from "../../../src/lib/domain-error.ts";
import type { Verdict } from "../../../src/lib/retry-policy.ts";
import type { TargetRow } from "../../../src/modules/outbound/outbound.repository.ts";
import { OutboundLanes } from "../../../src/modules/outbound/outbound-lanes.ts";
import { createRig, database, repository, runTasks, useDatabase } from "./delivery-fixture.ts";

useDatabase();

const never = () => new Promise<Verdict>(() => undefined);

const deadOf = (tenantId: string) =>
  database.sqlite
    .query<{ n: number }, [string]>(
      "SELECT count(*) AS n FROM outbound_requests WHERE tenant_id = ? AND state = 'DEAD'",
    )
    .get(tenantId)?.n;

test("in a full queue, a tenant with many small targets loses its requests, and a tenant with one larger target keeps its own", async () => {
  const rig = createRig({ rows: 300, bytes: 1_000_000 });
  rig.answer = () => ({ retry: "target" });
  const own = rig.target("own", "t");
  for (let n = 0; n < 60; n++) rig.add(own, "d", `own ${n}`);
  for (let t = 0; t < 100; t++) {
    const other = rig.target("other", "u");
    for (let n = 0; n < 3; n++) rig.add(other, "d", `other ${n}`);
  }
  await runTasks();
  expect([deadOf("t"), deadOf("u")]).toEqual([0, 100]);
  await rig.delivery.stop();
});

test("a request in flight is not given up to make room", async () => {
  const rig = createRig({ rows: 300, bytes: 1_000_000 });
  rig.answer = never;
  const target = rig.target("slow");
  rig.add(target, "first", "first");
  await runTasks();
  for (let n = 0; n < 300; n++) rig.add(target, "d", `${n}`);
  await runTasks();
  expect(rig.states().find(({ body }) => body === "first")?.state).toBe("WAITING");
  expect(deadOf("t")).toBe(100);
});

test("tenants whose servers never answer leave room for the requests of another tenant", async () => {
  const rig = createRig();
  rig.answer = ({ target }) => (target.startsWith("slow") ? never() : "delivered");
  for (const tenantId of ["u", "v"])
    for (let t = 0; t < 20; t++) {
      const slow = rig.target("slow", tenantId);
      for (let n = 0; n < 5; n++) rig.add(slow, `d${n}`, `${n}`);
    }
  await runTasks(50);
  const quick = rig.target("quick", "t");
  for (let n = 0; n < 100; n++) rig.add(quick, `d${n % 7}`, `${n}`);
  await rig.pass(5_000, 100);
  expect(rig.sent.filter(({ target }) => target === quick.targetId).length).toBe(100);
});

test("beyond the limit, the tenant with the most dead letters loses its oldest", async () => {
  const rig = createRig();
  const error = detail("delivery_error.refused");
  const kill = (tenantId: string, count: number) => {
    const target = rig.target("dead", tenantId);
    for (let n = 0; n < count; n++) rig.add(target, "d", `${tenantId}${n}`);
    repository.giveUp(target.targetId, { error, limit: count, at: rig.clock.now(), except: [] });
  };
  await rig.delivery.stop();
  kill("t", 6);
  kill("u", 20);
  repository.pruneDead({ rows: 10, bytes: 1_000_000 }, { before: 0, limit: 100 });
  expect([deadOf("t"), deadOf("u")]).toEqual([6, 4]);
  const left = rig.states().map(({ body }) => body);
  expect(left.slice(-4)).toEqual(["u16", "u17", "u18", "u19"]);
});

test("looking for requests that are too old reads only targets that may have some", async () => {
  const giveUp = spyOn(repository, "giveUp");
  const rig = createRig();
  rig.answer = () => ({ retry: "target" });
  for (let t = 0; t < 50; t++) rig.add(rig.target("down"), "d", "old");
  await rig.pass(3_600_000, 60_000);
  expect(giveUp).not.toHaveBeenCalled();
  rig.answer = never;
  await rig.pass(24 * 3_600_000, 600_000);
  expect(giveUp).toHaveBeenCalled();
  giveUp.mockRestore();
});

test("adding a request and choosing the next looks at no other targets, however many wait", () => {
  const lanes = new OutboundLanes();
  const rowOf = (targetId: string) => ({ targetId, tenantId: "t" }) as TargetRow;
  let looked = 0;
  const targets = Array.from({ length: 2_000 }, (_, n) => {
    const target = lanes.target(rowOf(`t${n}`));
    lanes.count(target, { rows: 1, bytes: 1 });
    lanes.add(target, { orderKey: "d", dueAt: 1_000_000 });
    const { nextAt } = target.due;
    target.due.nextAt = () => {
      looked++;
      return nextAt.call(target.due);
    };
    return target;
  });
  const [target] = targets;
  if (target === undefined) throw new Error("no targets");
  lanes.add(target, { orderKey: "e", dueAt: 1 });
  lanes.count(target, { rows: 1, bytes: 1 });
  expect(lanes.fullestBeyond({ rows: 10_000, bytes: 10_000 }, 1)).toEqual([]);
  expect(lanes.take(1)?.lane.key).toBe("e");
  expect(lanes.nextAt()).toBeDefined();
  expect(looked).toBeLessThan(20);
});
