import { expect, test } from "bun:test";
import { type Verdict, waitAfter } from "../../../src/lib/retry-policy.ts";
import { createRig, database, repository, runTasks, useDatabase } from "./delivery-fixture.ts";

/** What happens to queued requests while people remove targets and revive dead letters, at shutdown, and when the disk fails. */

useDatabase();

/** Keeps every request in flight until the returned function is called with its answer. */
function holdAnswers(rig: ReturnType<typeof createRig>): (verdict: Verdict) => Promise<void> {
  const held: Array<(verdict: Verdict) => void> = [];
  rig.answer = () => new Promise<Verdict>((resolve) => held.push(resolve));
  return async (verdict) => {
    for (const resolve of held.splice(0)) resolve(verdict);
    await runTasks();
  };
}

const bodies = (rig: ReturnType<typeof createRig>) => rig.sent.map(({ body }) => body);

test("removing a target ends its requests and no others", async () => {
  const rig = createRig();
  const [removed, kept] = [rig.target("removed"), rig.target("kept")];
  rig.answer = () => ({ retry: "target" });
  for (const target of [removed, kept]) rig.add(target, "d", target.sourceId);
  await runTasks();
  expect(bodies(rig)).toEqual(["removed", "kept"]);
  rig.delivery.removed(({ targetId }) => targetId === removed.targetId);
  rig.answer = () => "delivered";
  await rig.pass(10_000);
  expect(bodies(rig)).toEqual(["removed", "kept", "kept"]);
  await rig.delivery.stop();
});

test("a response for a removed target is not recorded", async () => {
  const rig = createRig();
  const target = rig.target("removed");
  const answer = holdAnswers(rig);
  rig.add(target, "d", "in flight");
  await runTasks();
  expect(bodies(rig)).toEqual(["in flight"]);
  rig.delivery.removed(() => true);
  await answer("delivered");
  expect(rig.ledger.countsOf("t", "pipeline", "removed")).toBeUndefined();
  await rig.delivery.stop();
});

test("a request that ends with the gateway does not count as an attempt", async () => {
  const rig = createRig();
  const answer = holdAnswers(rig);
  rig.add(rig.target("a"), "d", "in flight");
  await runTasks();
  const stopped = rig.delivery.stop();
  await answer({ retry: "target" });
  await stopped;
  const attempts = database.sqlite.query("SELECT attempts, state FROM outbound_requests").all();
  expect(attempts).toEqual([{ attempts: 0, state: "WAITING" }]);
});

test("a revived dead letter is sent before the later requests of its device", async () => {
  const rig = createRig();
  const target = rig.target("a");
  rig.answer = ({ body }) => (body === "first" ? "dead" : { retry: "request" });
  for (const body of ["first", "second"]) rig.add(target, "d", body);
  await runTasks();
  rig.ledger.flush();
  expect(rig.states()).toEqual([
    { body: "first", state: "DEAD" },
    { body: "second", state: "WAITING" },
  ]);
  const { targetId } = target;
  expect(repository.revive({ targetId, limit: 10 }, targetId, rig.delivery.now())).toBe(1);
  rig.delivery.changed(targetId, { tryNow: false });
  rig.answer = () => "delivered";
  await rig.pass(10_000);
  expect(bodies(rig)).toEqual(["first", "second", "first", "second"]);
  expect(rig.states()).toEqual([]);
  await rig.delivery.stop();
});

test("trying now ends the wait of a failing target", async () => {
  const rig = createRig();
  const target = rig.target("a");
  rig.answer = () => ({ retry: "target" });
  rig.retryAfterMs = 3_600_000;
  rig.add(target, "d", "one");
  await runTasks();
  rig.answer = () => "delivered";
  rig.delivery.changed(target.targetId, { tryNow: false });
  await rig.pass(60_000);
  expect(bodies(rig)).toEqual(["one"]);
  rig.delivery.changed(target.targetId, { tryNow: true });
  await runTasks();
  expect(bodies(rig)).toEqual(["one", "one"]);
  await rig.delivery.stop();
});

test("a request that could not be read is read again once the disk works", async () => {
  const rig = createRig();
  rig.isDiskBroken = true;
  rig.add(rig.target("a"), "d", "one");
  await runTasks();
  expect(bodies(rig)).toEqual([]);
  rig.isDiskBroken = false;
  await rig.pass(11_000);
  expect(bodies(rig)).toEqual(["one"]);
  await rig.delivery.stop();
});

test("requests in flight when a target begins to fail count as one failure", async () => {
  const rig = createRig();
  const target = rig.target("a");
  const answer = holdAnswers(rig);
  for (const key of ["a", "b", "c", "d"]) rig.add(target, key, key);
  await runTasks();
  expect(bodies(rig)).toHaveLength(4);
  await rig.pass(100);
  await answer({ retry: "target" });
  const waitMs = waitAfter(1, () => 0.5);
  await rig.pass(waitMs, 50);
  expect(bodies(rig)).toHaveLength(5);
});

test("a request that its target refuses for now waits longer after each attempt", async () => {
  const rig = createRig();
  rig.answer = () => ({ retry: "request" });
  rig.add(rig.target("a"), "d", "one");
  await rig.pass(20_000, 50);
  const waits = rig.sent.slice(1).map(({ at }, index) => at - (rig.sent[index]?.at ?? at));
  expect(waits).toEqual([1, 2, 3, 4].map((attempt) => waitAfter(attempt, () => 0.5)));
  await rig.delivery.stop();
});
