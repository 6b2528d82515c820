import { describe, expect, test } from "bun:test";
import { backOffMs, type Verdict } from "../../../src/lib/network/retry-policy.ts";
import { ATTEMPT_MS_MAX, createRig, holdResponses, never, runTasks, useDatabase } from "./queue-fixture.ts";

useDatabase();

describe("a target that fails", () => {
  test("is asked by one row at a time, less and less often, and by all once it works", async () => {
    const rig = createRig();
    const target = rig.target("down");
    rig.answer = () => ({ retry: "target" });
    for (let n = 0; n < 40; n++) rig.add(target, `d${n}`, `${n}`);
    await rig.pass(3_600_000);
    // Twelve, one each five minutes, and the first few.
    expect(rig.sent.length).toBeLessThan(40);
    const waits = rig.sent.slice(-5).map((item, index, all) => item.at - (all[index - 1]?.at ?? item.at));
    expect(Math.max(...waits)).toBeLessThanOrEqual(300_000);
    rig.answer = () => "delivered";
    await rig.pass(301_000);
    expect(rig.bodiesOf("SENT")).toHaveLength(40);
    await rig.queue.stop();
  });

  test("rows in flight when it begins to fail count as one failure", async () => {
    const rig = createRig();
    const target = rig.target("a");
    const response = holdResponses(rig);
    for (const key of ["a", "b", "c", "d"]) rig.add(target, key, key);
    await runTasks();
    expect(rig.bodies()).toHaveLength(4);
    await rig.pass(100);
    await response({ retry: "target" });
    await rig.pass(
      backOffMs(1, () => 0.5),
      50,
    );
    expect(rig.bodies()).toHaveLength(5);
  });

  test("trying now ends its wait, and a change does not", async () => {
    const rig = createRig();
    const target = rig.target("a");
    rig.answer = () => ({ verdict: { retry: "target" }, retryAfterMs: 3_600_000 });
    rig.add(target, "d", "one");
    await runTasks();
    rig.answer = () => "delivered";
    rig.queue.changed(target, { tryNow: false });
    await rig.pass(60_000);
    expect(rig.bodies()).toEqual(["one"]);
    rig.queue.changed(target, { tryNow: true });
    await runTasks();
    expect(rig.bodies()).toEqual(["one", "one"]);
    await rig.queue.stop();
  });

  test("works again as soon as it takes a row that was in flight when it began to fail", async () => {
    const rig = createRig();
    const target = rig.target("a");
    const slow = Promise.withResolvers<Verdict>();
    rig.answer = ({ body }) =>
      body === "slow" ? slow.promise : { verdict: { retry: "target" }, retryAfterMs: 3_600_000 };
    for (const key of ["slow", "fails", "c", "d", "waits"]) rig.add(target, key, key);
    await runTasks();
    expect(rig.bodies()).toEqual(["slow", "fails", "c", "d"]);
    rig.answer = () => "delivered";
    slow.resolve("delivered");
    await runTasks(60);
    expect(rig.bodies().slice(4)).toEqual(["waits"]);
    await rig.queue.stop();
  });

  test("works again as soon as it answers, even if it cannot take the row", async () => {
    const rig = createRig();
    const target = rig.target("a");
    rig.answer = () => ({ retry: "target" });
    for (let n = 0; n < 6; n++) rig.add(target, `${n}`, `${n}`);
    await rig.pass(10_000);
    const before = rig.sent.length;
    rig.answer = () => ({ verdict: { retry: "request" }, retryAfterMs: 3_600_000 });
    await rig.pass(300_000);
    expect(rig.sent.length - before).toBe(6);
    expect(rig.mostInFlight()).toBe(4);
    rig.answer = never;
    rig.queue.changed(target, { tryNow: false });
    for (let n = 0; n < 6; n++) rig.add(target, `new ${n}`, "new");
    await runTasks();
    expect(rig.bodies().filter((body) => body === "new")).toHaveLength(4);
  });

  test("keeps its wait when rows are read again, unless it is to be tried", async () => {
    const rig = createRig();
    const target = rig.target("a");
    rig.answer = () => ({ verdict: { retry: "target" }, retryAfterMs: 3_600_000 });
    rig.add(target, "d", "one");
    await runTasks();
    rig.answer = () => "delivered";
    rig.insert(target, "e", "of another process");
    rig.queue.reload();
    await rig.pass(2_000);
    expect(rig.bodies()).toEqual(["one"]);
    rig.queue.reload({ tryNow: true });
    await runTasks();
    expect(rig.bodies()).toEqual(["one", "of another process"]);
    await rig.queue.stop();
  });

  test("keeps its wait when the last attempt of a row fails", async () => {
    const rig = createRig();
    const target = rig.target("a");
    rig.answer = () => ({ verdict: { retry: "target" }, isLast: true, retryAfterMs: 3_600_000 });
    rig.add(target, "d", "one");
    rig.add(target, "d", "two");
    await rig.pass(60_000);
    expect(rig.bodies()).toEqual(["one"]);
    expect(rig.bodiesOf("DEAD")).toEqual(["one"]);
    await rig.queue.stop();
  });
});

describe("a row", () => {
  test("that its target cannot take delays only those behind it, and waits longer after each attempt", async () => {
    const rig = createRig();
    const target = rig.target("poisoned");
    rig.answer = ({ body }) => (body === "poison" ? { retry: "request" } : "delivered");
    rig.add(target, "d1", "poison");
    rig.add(target, "d1", "behind");
    for (let n = 0; n < 10; n++) rig.add(target, "d2", `${n}`);
    await rig.pass(20_000, 50);
    const tries = rig.sent.filter(({ body }) => body === "poison").map((item) => item.at);
    const waits = tries.slice(1).map((timeMs, index) => timeMs - (tries[index] ?? timeMs));
    expect(waits).toEqual([1, 2, 3, 4].map((attempt) => backOffMs(attempt, () => 0.5)));
    await rig.pass(60_000);
    expect(rig.bodiesOf("WAITING")).toEqual(["poison", "behind"]);
    await rig.pass(25 * 3_600_000, 300_000);
    expect([rig.bodiesOf("DEAD"), rig.bodiesOf("WAITING")]).toEqual([["poison"], []]);
    await rig.queue.stop();
  });

  test("counts all its attempts, also those that are not written yet", async () => {
    const rig = createRig({ writeAfterMs: 3_600_000 });
    rig.answer = () => ({ retry: "request" });
    rig.add(rig.target("a"), "d", "one");
    await rig.pass(20_000, 50);
    expect(rig.sent).toHaveLength(5);
    await rig.queue.stop();
    expect(rig.rows()).toMatchObject([{ attempts: 5, state: "WAITING" }]);
  });

  test("for a target that is switched off is asked for again without counting an attempt", async () => {
    const rig = createRig();
    const target = rig.target("off");
    rig.answer = () => ({ verdict: { retry: "target" }, isSkipped: true, retryAfterMs: 60_000 });
    rig.add(target, "a", "one");
    rig.add(target, "b", "two");
    await rig.pass(299_000);
    expect(rig.sent.length).toBeWithin(5, 11);
    expect(rig.rows().map(({ attempts }) => attempts)).toEqual([0, 0]);
    await rig.queue.stop();
  });

  test("that is revived is sent before later rows of its lane, also while one of them is in flight", async () => {
    const rig = createRig();
    const target = rig.target("a");
    rig.answer = ({ body }) => (body === "first" ? "dead" : never());
    for (const body of ["first", "second", "third"]) rig.add(target, "d", body);
    await rig.pass(300, 50);
    rig.queue.flush();
    expect(rig.bodiesOf("DEAD")).toEqual(["first"]);
    rig.revive("first");
    rig.queue.changed(target, { tryNow: true });
    rig.answer = () => "delivered";
    await rig.pass(ATTEMPT_MS_MAX + 10_000);
    expect(rig.bodies()).toEqual(["first", "second", "first", "second", "third"]);
    await rig.queue.stop();
  });

  test("whose transaction was rolled back is not sent, and its lane goes on", async () => {
    const rig = createRig();
    const target = rig.target("a");
    rig.add(target, "d", "rolled back");
    rig.delete("rolled back");
    await runTasks();
    rig.add(target, "d", "kept");
    await runTasks();
    expect(rig.bodies()).toEqual(["kept"]);
    await rig.queue.stop();
  });
});

test("results are written immediately if the kind wants it", async () => {
  const rig = createRig({ writeAfterMs: 0 });
  const target = rig.target("a");
  for (let n = 0; n < 10; n++) rig.add(target, "d", `${n}`);
  await runTasks(500);
  expect([rig.bodiesOf("SENT").length, rig.writes]).toEqual([10, 10]);
  await rig.queue.stop();
});

test("results are written some at a time, and rows of a lane go on meanwhile", async () => {
  const rig = createRig();
  const target = rig.target("a");
  for (let n = 0; n < 1_200; n++) rig.add(target, "d", `${n}`);
  await runTasks(1_000);
  expect(rig.sent.length).toBeWithin(20, 490);
  rig.clock.advance(0);
  expect(rig.writes).toBe(0);
  await runTasks(40_000);
  expect(rig.sent.length).toBeGreaterThan(500);
  rig.clock.advance(0);
  expect(rig.writes).toBe(1); // they were many
  await rig.pass(500, 50);
  await runTasks(40_000);
  await rig.pass(500, 50);
  expect(rig.bodiesOf("SENT")).toHaveLength(1_200);
  expect(rig.writes).toBeLessThan(10);
  await rig.queue.stop();
});

test("an attempt that fails unexpectedly is made again after a while, and counts for nothing", async () => {
  const rig = createRig();
  rig.answer = () => {
    throw new Error("unexpected");
  };
  rig.add(rig.target("a"), "d", "one");
  await rig.pass(60_000);
  expect(rig.sent.length).toBeGreaterThan(3);
  expect(rig.sent.length).toBeLessThan(8);
  rig.answer = () => "delivered";
  await rig.pass(11_000);
  expect(rig.rows()).toMatchObject([{ state: "SENT", attempts: 1 }]);
  await rig.queue.stop();
});

describe("an attempt that never ends", () => {
  test("is aborted after its time and made again; its late result is ignored", async () => {
    const rig = createRig();
    const response = holdResponses(rig);
    rig.add(rig.target("a"), "d", "one");
    await runTasks();
    await rig.pass(ATTEMPT_MS_MAX + 1);
    expect(rig.sent[0]?.signal.aborted).toBe(true);
    rig.answer = never;
    await response("delivered");
    rig.queue.flush();
    expect(rig.rows()).toMatchObject([{ state: "WAITING", attempts: 1 }]);
    rig.answer = () => "delivered";
    await rig.pass(ATTEMPT_MS_MAX + 10_000);
    expect(rig.bodiesOf("SENT")).toEqual(["one"]);
    await rig.queue.stop();
  });

  test("leaves room for other targets, and each has at most four in flight", async () => {
    const rig = createRig();
    rig.answer = ({ target }) => (target.startsWith("slow") ? never() : "delivered");
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
    expect(rig.mostInFlight()).toBeLessThanOrEqual(28);
  });

  test("leaves room for other tenants", async () => {
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
});

describe("stopping", () => {
  test("aborts attempts, and a failure by then does not count", async () => {
    const rig = createRig();
    const response = holdResponses(rig);
    rig.add(rig.target("a"), "d", "in flight");
    await runTasks();
    const stopped = rig.queue.stop();
    expect(rig.sent[0]?.signal.aborted).toBe(true);
    await response({ retry: "target" });
    await stopped;
    expect(rig.rows()).toMatchObject([{ attempts: 0, state: "WAITING" }]);
    rig.answer = () => "delivered";
    rig.queue.start();
    await runTasks();
    expect(rig.bodies()).toEqual(["in flight", "in flight"]);
    await rig.queue.stop();
  });

  test("writes what was delivered by then", async () => {
    const rig = createRig();
    const response = holdResponses(rig);
    rig.add(rig.target("a"), "d", "in flight");
    await runTasks();
    const stopped = rig.queue.stop();
    await response("delivered");
    await stopped;
    expect(rig.bodiesOf("SENT")).toEqual(["in flight"]);
  });
});

describe("removing a target", () => {
  test("ends its rows and no others", async () => {
    const rig = createRig();
    const [removed, kept] = [rig.target("removed"), rig.target("kept")];
    rig.answer = () => ({ retry: "target" });
    rig.add(removed, "d", "removed");
    rig.add(kept, "d", "kept");
    await runTasks();
    rig.queue.removed(({ targetId }) => targetId === removed.targetId);
    rig.answer = () => "delivered";
    await rig.pass(10_000);
    expect(rig.bodies()).toEqual(["removed", "kept", "kept"]);
    await rig.queue.stop();
  });

  test("leaves attempts and unwritten results of others alone", async () => {
    const rig = createRig();
    const [removed, kept] = [rig.target("removed"), rig.target("kept")];
    rig.add(kept, "d", "sent");
    rig.add(removed, "d", "lost");
    await runTasks();
    const response = holdResponses(rig);
    rig.add(kept, "d", "in flight");
    await runTasks();
    rig.queue.removed(({ targetId }) => targetId === removed.targetId);
    expect(rig.sent.at(-1)?.signal.aborted).toBe(false);
    await response("delivered");
    rig.queue.flush();
    expect(rig.bodiesOf("SENT")).toEqual(["sent", "in flight"]);
    expect(rig.bodiesOf("WAITING")).toEqual(["lost"]);
    await rig.queue.stop();
  });

  test("aborts its attempts and records no result", async () => {
    const rig = createRig();
    const response = holdResponses(rig);
    rig.add(rig.target("removed"), "d", "in flight");
    await runTasks();
    rig.queue.removed(() => true);
    expect(rig.sent[0]?.signal.aborted).toBe(true);
    await response("delivered");
    rig.queue.flush();
    expect(rig.bodiesOf("WAITING")).toEqual(["in flight"]);
    await rig.queue.stop();
  });
});

describe("a disk that fails", () => {
  test("a row that could not be read is read again once the disk works", async () => {
    const rig = createRig();
    rig.isDiskBroken = true;
    rig.add(rig.target("a"), "d", "one");
    await runTasks();
    expect(rig.bodies()).toEqual([]);
    rig.isDiskBroken = false;
    await rig.pass(11_000);
    expect(rig.bodies()).toEqual(["one"]);
    await rig.queue.stop();
  });

  for (const writeAfterMs of [0, 250])
    test(`what was sent is written once the disk works, and not sent again (written after ${writeAfterMs} ms)`, async () => {
      const rig = createRig({ writeAfterMs });
      const target = rig.target("a");
      const response = holdResponses(rig);
      rig.add(target, "d", "one");
      await runTasks();
      rig.isDiskBroken = true;
      await response("delivered");
      await rig.pass(120_000);
      expect(() => rig.queue.changed(target, { tryNow: true })).toThrow("the disk failed");
      expect(rig.bodiesOf("WAITING")).toEqual(["one"]);
      rig.isDiskBroken = false;
      await rig.pass(11_000);
      expect([rig.bodies(), rig.bodiesOf("SENT")]).toEqual([["one"], ["one"]]);
      await rig.queue.stop();
    });
});
