import { expect, test } from "bun:test";
import { BATCH_BYTES_MAX } from "../../../src/modules/uplinks/batch-weight.ts";
import { type HeldSpace, UPLINK_BYTES_MAX, UplinkSpace } from "../../../src/modules/uplinks/uplink-space.ts";

/** Takes all space that an owner can have. */
function takeAll(space: UplinkSpace, owner: string): HeldSpace[] {
  const all: HeldSpace[] = [];
  for (let held = space.tryTake(owner); held !== undefined; held = space.tryTake(owner)) all.push(held);
  return all;
}

const never = new AbortController().signal;

test("a tenant that takes all it can leaves space to others, and the sum has a limit", () => {
  const space = new UplinkSpace();
  const first = takeAll(space, "first").length;
  expect(first * BATCH_BYTES_MAX).toBe(UPLINK_BYTES_MAX.tenant);
  for (const other of ["second", "third"]) expect(takeAll(space, other)).not.toBeEmpty();
  for (let tenant = 0; tenant < 100; tenant++) takeAll(space, `tenant ${tenant}`);
  expect(space.used).toBeLessThanOrEqual(UPLINK_BYTES_MAX.all);
});

test("tenants that wait take turns, and each uplink that waits gets its turn", async () => {
  const space = new UplinkSpace({ all: BATCH_BYTES_MAX, tenant: BATCH_BYTES_MAX });
  const first = space.tryTake("busy");
  const begun: string[] = [];
  const work = async (tenant: string, name: string) => {
    const held = await space.take(tenant, never);
    begun.push(name);
    held.release();
  };
  const all = ["a", "b", "c"].map((name) => work("busy", `busy ${name}`));
  all.push(work("quiet", "quiet"));
  // Waiting uplinks are not overtaken.
  expect(space.tryTake("busy")).toBeUndefined();
  first?.release();
  await Promise.all(all);
  expect(begun.indexOf("quiet")).toBeLessThanOrEqual(1);
  expect(begun.toSorted()).toEqual(["busy a", "busy b", "busy c", "quiet"]);
  expect(space.used).toBe(0);
});

test("an uplink that ends while it waits takes nothing", async () => {
  const space = new UplinkSpace({ all: BATCH_BYTES_MAX, tenant: BATCH_BYTES_MAX });
  const held = space.tryTake("tenant");
  const ending = new AbortController();
  const waiting = space.take("tenant", ending.signal);
  const next = space.take("tenant", never);
  ending.abort(new Error("ended"));
  expect(waiting).rejects.toThrow("ended");
  held?.release();
  (await next).release();
  expect(space.used).toBe(0);
});

test("what a batch does not need goes to others, and one row that needs more is counted", async () => {
  const space = new UplinkSpace({ all: BATCH_BYTES_MAX + 10, tenant: BATCH_BYTES_MAX + 10 });
  const held = space.tryTake("tenant");
  const waiting = space.take("tenant", never);
  held?.resize(10);
  (await waiting).resize(3 * BATCH_BYTES_MAX);
  expect(space.used).toBe(3 * BATCH_BYTES_MAX + 10);
  expect(space.tryTake("other")).toBeUndefined();
});
