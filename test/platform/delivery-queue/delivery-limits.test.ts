import { describe, expect, test } from "bun:test";
import { createRig, holdResponses, LIFETIME_MS, never, runTasks, useDatabase } from "./queue-fixture.ts";

/** Rows that the queue gives up because they are too many or expired, due times, and upkeep. */

useDatabase();

describe("limits", () => {
  const few = { limits: { waiting: { rows: 300, bytes: 1_000_000 } } };

  test("a full queue gives up the oldest of the fullest target, and no other", async () => {
    const rig = createRig(few);
    rig.answer = () => ({ retry: "target" });
    const [small, big] = [rig.target("small"), rig.target("big")];
    for (let n = 0; n < 20; n++) rig.add(small, "d", `small ${n}`);
    for (let n = 0; n < 281; n++) rig.add(big, "d", `big ${n}`);
    await runTasks();
    expect(rig.bodiesOf("DEAD")).toEqual(Array.from({ length: 100 }, (_, n) => `big ${n}`));
    await rig.queue.stop();
  });

  test("a tenant with many small targets loses its rows, and a tenant with one larger target keeps its own", async () => {
    const rig = createRig(few);
    rig.answer = () => ({ retry: "target" });
    const own = rig.target("own", "t");
    for (let n = 0; n < 60; n++) rig.add(own, "d", "own");
    for (let t = 0; t < 100; t++) {
      const other = rig.target("other", "u");
      for (let n = 0; n < 3; n++) rig.add(other, "d", "other");
    }
    await runTasks();
    expect(rig.bodiesOf("DEAD")).toEqual(Array(100).fill("other"));
    await rig.queue.stop();
  });

  test("a queue far beyond its limit gives up in steps, until it is below", async () => {
    const rig = createRig(few);
    rig.answer = never;
    const target = rig.target("big");
    for (let n = 0; n < 2_700; n++) rig.add(target, "d", `${n}`);
    await runTasks();
    expect(rig.bodiesOf("DEAD")).toHaveLength(2_000);
    await rig.pass(5, 1);
    expect(rig.bodiesOf("WAITING")).toHaveLength(300);
  });

  for (const [limit, waiting] of Object.entries({
    rows: { rows: 30, bytes: 1_000_000 },
    bytes: { rows: 1_000, bytes: 300 },
  }))
    test(`what waited before a restart counts (${limit})`, async () => {
      const rig = createRig({ limits: { waiting } });
      rig.answer = () => ({ retry: "target" });
      const target = rig.target("a");
      for (let n = 0; n < 29; n++) rig.add(target, "d", "x".repeat(10));
      await runTasks();
      rig.boot();
      for (let n = 0; n < 2; n++) rig.add(target, "d", "x".repeat(10));
      await runTasks();
      expect(rig.bodiesOf("DEAD").length).toBeGreaterThan(0);
      await rig.queue.stop();
    });

  test("what was delivered takes no more room", async () => {
    const rig = createRig({ limits: { waiting: { rows: 300, bytes: 3_000 } } });
    const target = rig.target("a");
    for (let n = 0; n < 200; n++) {
      rig.add(target, "d", "x".repeat(20));
      await runTasks();
    }
    rig.answer = never;
    for (let n = 0; n < 140; n++) rig.add(target, "e", "x".repeat(20));
    await runTasks();
    expect(rig.bodiesOf("DEAD")).toEqual([]);
  });

  test("size counts like number, and a row in flight is not given up", async () => {
    const rig = createRig({ limits: { waiting: { rows: 1_000, bytes: 3_000 } } });
    rig.answer = never;
    const target = rig.target("slow");
    rig.add(target, "first", "first");
    await runTasks();
    for (let n = 0; n < 300; n++) rig.add(target, "d", "x".repeat(10));
    await runTasks();
    expect(rig.rows()[0]).toMatchObject({ body: "first", state: "WAITING" });
    expect(rig.bodiesOf("DEAD")).toHaveLength(100);
  });
});

describe("expiry", () => {
  test("a row of a failing target gets one attempt after it expired, or is given up by the sweep", async () => {
    const rig = createRig();
    rig.answer = () => ({ retry: "target" });
    const target = rig.target("down");
    for (let n = 0; n < 10; n++) rig.add(target, "d", `${n}`);
    await rig.pass(LIFETIME_MS + 120_000, 60_000);
    expect(rig.bodiesOf("DEAD")).toHaveLength(10);
    await rig.queue.stop();
  });

  test("looking for expired rows reads only targets that may have some", async () => {
    const rig = createRig();
    rig.answer = () => ({ retry: "target" });
    for (let t = 0; t < 50; t++) rig.add(rig.target("down"), "d", "old");
    await rig.pass(3_600_000, 60_000);
    expect(rig.giveUps).toBe(0);
    await rig.pass(LIFETIME_MS, 600_000);
    expect(rig.bodiesOf("WAITING")).toEqual([]);
    await rig.queue.stop();
  });

  for (const isStrict of [false, true])
    test(`many rows that expire together are given up in steps, ${isStrict ? "strict" : "by the sweep"}`, async () => {
      const rig = createRig({ isStrict });
      rig.answer = () => ({ verdict: { retry: "target" }, retryAfterMs: 2 * LIFETIME_MS });
      for (let t = 0; t < 5; t++) {
        const target = rig.target("down");
        for (let n = 0; n < 700; n++) rig.add(target, "d", `${t} ${n}`, 30_000);
      }
      await rig.pass(29_000);
      const sent = rig.sent.length;
      const refused = rig.bodiesOf("DEAD").length;
      expect(refused).toBe(isStrict ? 0 : 5); // an attempt was the last one of its row
      const steps: number[] = [];
      await rig.pass((isStrict ? 30_000 : 60_000) - 1 - rig.clock.monotonic());
      for (let before = refused; before < 3_500; before += steps.at(-1) ?? 0) {
        await rig.pass(1, 1);
        steps.push(rig.bodiesOf("DEAD").length - before);
        if (steps.length > 100) break;
      }
      expect(Math.max(...steps)).toBe(100);
      expect(rig.bodiesOf("WAITING")).toEqual([]);
      expect(rig.sent.length).toBe(sent);
      await rig.queue.stop();
    });

  test("if it is strict, nothing is sent after its time, and a wait ends there", async () => {
    const rig = createRig({ isStrict: true });
    rig.answer = () => ({ verdict: { retry: "target" }, retryAfterMs: 3_600_000 });
    const target = rig.target("down");
    rig.add(target, "d", "head", 30_000);
    rig.add(target, "d", "behind", 20_000);
    rig.add(target, "d", "long", 7_200_000);
    await rig.pass(19_000);
    expect(rig.bodiesOf("WAITING")).toEqual(["head", "behind", "long"]);
    await rig.pass(2_000);
    expect(rig.bodiesOf("WAITING")).toEqual(["head", "long"]);
    await rig.pass(10_000);
    expect(rig.bodiesOf("WAITING")).toEqual(["long"]);
    rig.answer = () => "delivered";
    await rig.pass(3_600_000);
    expect(rig.bodies()).toEqual(["head", "long"]);
    await rig.queue.stop();
  });

  test("if it is strict, a row expires also after a restart, at its time", async () => {
    const rig = createRig({ isStrict: true });
    rig.answer = () => ({ verdict: { retry: "target" }, retryAfterMs: 3_600_000 });
    rig.add(rig.target("down"), "d", "one", 30_000);
    await runTasks();
    rig.boot();
    await runTasks();
    await rig.pass(29_000);
    expect(rig.bodiesOf("DEAD")).toEqual([]);
    await rig.pass(2_000);
    expect(rig.bodiesOf("DEAD")).toEqual(["one"]);
    await rig.queue.stop();
  });

  test("if it is strict, a row in flight goes on after its time, and the queue does not spin", async () => {
    const rig = createRig({ isStrict: true });
    const response = holdResponses(rig);
    rig.add(rig.target("slow"), "d", "one", 1_000);
    await runTasks();
    await rig.pass(30_000);
    expect(rig.giveUps).toBeLessThan(10);
    await response("delivered");
    rig.queue.flush();
    expect(rig.bodiesOf("SENT")).toEqual(["one"]);
    await rig.queue.stop();
  });
});

test("stored due times are limited for one target or for all", () => {
  const rig = createRig();
  const [a, b] = [rig.target("a"), rig.target("b")];
  rig.clock.advance(10_000);
  for (const target of [a, b]) rig.insert(target, "d", "x");
  const dueTimes = () => rig.rows().map(({ dueAt }) => dueAt);
  rig.store.capDueTimes(20_000);
  expect(dueTimes()).toEqual([10_000, 10_000]);
  rig.store.capDueTimes(5_000, a.targetId);
  expect(dueTimes()).toEqual([5_000, 10_000]);
  rig.store.capDueTimes(3_000);
  expect(dueTimes()).toEqual([3_000, 3_000]);
});

test("a row that is due later is sent then", async () => {
  const rig = createRig();
  rig.add(rig.target("a"), "d", "later");
  rig.postpone("later", 5_000);
  await runTasks();
  await rig.pass(4_900, 100);
  expect(rig.bodies()).toEqual([]);
  await rig.pass(200, 100);
  expect(rig.bodies()).toEqual(["later"]);
  await rig.queue.stop();
});

test("trying now ends a wait that is not written yet", async () => {
  const rig = createRig();
  const target = rig.target("a");
  rig.answer = () => ({ verdict: { retry: "request" }, retryAfterMs: 3_600_000 });
  rig.add(target, "d", "one");
  await runTasks();
  rig.answer = () => "delivered";
  rig.queue.changed(target, { tryNow: true });
  await runTasks();
  expect(rig.bodies()).toEqual(["one", "one"]);
  await rig.queue.stop();
});

test("upkeep runs once a minute until the queue stops", async () => {
  const rig = createRig();
  await rig.pass(200_000);
  expect(rig.upkeeps).toBe(3);
  await rig.queue.stop();
  await rig.pass(200_000);
  expect(rig.upkeeps).toBe(3);
});

test("the load of a target is what waits for it, also after others deleted rows", async () => {
  const rig = createRig({ writeAfterMs: 0 });
  const [target, other] = [rig.target("a"), rig.target("b")];
  const agrees = () => {
    for (const each of [target, other]) {
      const { rows, bytes } = rig.store.waiting(each.targetId);
      expect(rig.queue.loadOf(each)).toMatchObject({ rows, bytes });
    }
  };
  rig.answer = ({ body }) => (body === "sent" ? "delivered" : { retry: "request" });
  for (const body of ["sent", "retried", "deleted with its device"]) rig.add(target, body, body);
  await runTasks();
  agrees();
  expect(rig.queue.loadOf(target).rows).toBe(2);
  rig.delete("deleted with its device");
  rig.queue.rowsDeleted();
  rig.add(other, "d", "retried too");
  await runTasks();
  agrees();
  expect(rig.queue.loadOf(target)).toMatchObject({ rows: 1, bytes: "retried".length });
  await rig.pass(2 * 86_400_000, 3_600_000);
  agrees();
  await rig.queue.stop();
});
