import { expect, test } from "bun:test";
import fc from "fast-check";
import { DeliveryLanes } from "../../../src/platform/delivery-queue/delivery-lanes.ts";
import { defaultInFlight } from "../../../src/platform/delivery-queue/delivery-queue.ts";

test("adding a row and choosing the next looks at no other targets, however many wait", () => {
  const lanes = new DeliveryLanes(defaultInFlight);
  let looked = 0;
  const targets = Array.from({ length: 2_000 }, (_, n) => {
    const target = lanes.target({ targetId: `t${n}`, tenantId: "t" });
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
  expect(lanes.fullestBeyond({ rows: 100, bytes: 10_000 }, 10)).toHaveLength(9); // one of two rows, eight of one
  expect(lanes.take(1)?.lane.key).toBe("e");
  expect(lanes.nextAt()).toBeDefined();
  expect(looked).toBeLessThan(20);
});

test("tenants get equal time, however much each has and however long its attempts take; urgent targets come first", () => {
  const work = fc.record({
    targets: fc.integer({ min: 1, max: 4 }),
    usedMs: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(fc.array(work, { minLength: 2, maxLength: 5 }), (tenants) => {
      const lanes = new DeliveryLanes({ own: 0, shared: 1, perTenant: 1, perTarget: 1 });
      tenants.forEach(({ targets }, t) => {
        for (let n = 0; n < targets; n++)
          lanes.add(lanes.target({ targetId: `${t}.${n}`, tenantId: `${t}` }), { orderKey: "", dueAt: 0 });
      });
      lanes.add(lanes.target({ targetId: "urgent", tenantId: "0", isUrgent: true }), {
        orderKey: "",
        dueAt: 0,
      });
      expect(lanes.take(0)?.target.row.targetId).toBe("urgent");
      expect(lanes.take(0)).toBeUndefined();
      lanes.landed(lanes.target({ targetId: "urgent", tenantId: "0" }), 0);
      const used = tenants.map(() => 0);
      const longest = Math.max(...tenants.map(({ usedMs }) => usedMs));
      for (let turn = 0; turn < 200; turn++) {
        const taken = lanes.take(0);
        if (taken === undefined) throw new Error("nothing to send");
        const t = Number(taken.target.row.tenantId);
        const usedMs = tenants[t]?.usedMs ?? 0;
        used[t] = (used[t] ?? 0) + usedMs + 1;
        lanes.landed(taken.target, usedMs);
        lanes.queue(taken.target, taken.lane, 0);
        expect(Math.max(...used) - Math.min(...used)).toBeLessThanOrEqual(longest + 3);
      }
    }),
  );
});

test("each tenant has places of its own, and shares the others", () => {
  const lanes = new DeliveryLanes({ own: 2, shared: 3, perTenant: 4, perTarget: 10 });
  const add = (tenantId: string) => {
    const target = lanes.target({ targetId: tenantId, tenantId });
    for (let n = 0; n < 10; n++) lanes.add(target, { orderKey: `${n}`, dueAt: 0 });
    return target;
  };
  const takeAll = () => {
    const taken: string[] = [];
    for (let next = lanes.take(0); next !== undefined; next = lanes.take(0))
      taken.push(next.target.row.targetId);
    return taken.sort().join("");
  };
  const first = add("a");
  expect(takeAll()).toBe("aaaa");
  add("b");
  expect(takeAll()).toBe("bbb");
  add("c");
  expect(takeAll()).toBe("cc");
  lanes.landed(first, 0);
  expect(takeAll()).toMatch(/^[abc]$/);
});

test("only an attempt beyond a tenant's own places frees a shared one", () => {
  const lanes = new DeliveryLanes({ own: 2, shared: 2, perTenant: 4, perTarget: 10 });
  const add = (tenantId: string) => {
    const target = lanes.target({ targetId: tenantId, tenantId });
    for (let n = 0; n < 4; n++) lanes.add(target, { orderKey: `${n}`, dueAt: 0 });
    return target;
  };
  const take = () => lanes.take(0)?.target.row.tenantId;
  const first = add("a");
  expect([take(), take(), take(), take()]).toEqual(["a", "a", "a", "a"]);
  for (let n = 0; n < 4; n++) lanes.landed(first, 0);
  for (const tenantId of ["b", "c"]) add(tenantId);
  const taken = Array.from({ length: 9 }, take);
  expect(taken.filter((tenantId) => tenantId !== undefined)).toHaveLength(6);
});

test("a target whose attempt has landed goes on with its next lane, and is forgotten when nothing waits", () => {
  const lanes = new DeliveryLanes({ own: 1, shared: 0, perTenant: 1, perTarget: 1 });
  const target = lanes.target({ targetId: "a", tenantId: "t" });
  for (const orderKey of ["one", "two"]) lanes.add(target, { orderKey, dueAt: 0 });
  for (const key of ["one", "two"]) {
    const taken = lanes.take(0);
    expect([taken?.lane.key, lanes.take(0)]).toEqual([key, undefined]);
    lanes.landed(target, 1);
    if (taken !== undefined) lanes.idle(target, taken.lane);
  }
  lanes.dropIdle();
  expect(lanes.targets.size).toBe(0);
});
