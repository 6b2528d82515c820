import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Verdict } from "../../../src/lib/network/retry-policy.ts";
import { createRig, ensureAttempts, never, type Rig, runTasks, useDatabase } from "./queue-fixture.ts";

useDatabase();

const results = ["delivered", "delivered", "dead", "target", "request", "never", "throws"] as const;

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ add: fc.tuple(fc.nat(3), fc.nat(2)) }) },
  { weight: 4, arbitrary: fc.record({ passMs: fc.integer({ min: 1, max: 400_000 }) }) },
  { weight: 1, arbitrary: fc.record({ passMs: fc.integer({ min: 1, max: 600 }) }) },
  { weight: 1, arbitrary: fc.record({ jumpMs: fc.integer({ min: -1e10, max: 1e10 }) }) },
  ...(["kill", "restart", "break disk", "mend disk", "change", "try now"] as const).map((action) => ({
    weight: 1,
    arbitrary: fc.record({ action: fc.constant(action) }),
  })),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** What the outside world knows: what was added, and what became of each attempt. */
function createModel(rig: Rig, luck: readonly number[]) {
  const added: Array<{ lane: string; body: string }> = [];
  /** Settled rows whose result was not lost by a kill. */
  const ended = new Set<string>();
  const refused = new Set<string>();
  let attempts = 0;
  rig.answer = ({ body }): Verdict | Promise<Verdict> => {
    const result = results[luck[attempts++ % luck.length] ?? 0] ?? "delivered";
    if (result === "never") return never();
    if (result === "throws") throw new Error("something else is broken");
    if (result === "target" || result === "request") return { retry: result };
    ended.add(body);
    if (result === "dead") refused.add(body);
    return result;
  };
  rig.onAttempt = ({ targetId, orderKey, body }) => {
    expect(ended.has(body)).toBe(false); // settled at most once
    const lane = `${targetId} ${orderKey}`;
    const before = added.filter((item) => item.lane === lane && Number(item.body) < Number(body));
    expect(before.filter((item) => !ended.has(item.body))).toEqual([]); // in order
  };
  return {
    added,
    refused,
    /** What was settled and not written is forgotten. */
    kill() {
      for (const body of rig.bodiesOf("WAITING")) ended.delete(body);
      rig.boot();
    },
  };
}

async function take(
  rig: Rig,
  model: ReturnType<typeof createModel>,
  targets: ReturnType<Rig["target"]>[],
  next: Step,
) {
  if ("add" in next) {
    const target = targets[next.add[0]] ?? rig.target("none");
    const [orderKey, body] = [String(next.add[1]), String(model.added.length)];
    model.added.push({ lane: `${target.targetId} ${orderKey}`, body });
    rig.add(target, orderKey, body);
  } else if ("passMs" in next) await rig.pass(next.passMs, 20_000);
  else if ("jumpMs" in next) rig.clock.jump(next.jumpMs);
  else if (next.action === "kill") model.kill();
  else if (next.action === "restart") {
    const stopped = rig.queue.stop();
    await rig.pass(60_000, 60_000); // an attempt may never end
    await stopped;
    model.kill();
  } else if (next.action === "break disk" || next.action === "mend disk")
    rig.isDiskBroken = next.action === "break disk";
  else if (!rig.isDiskBroken)
    for (const target of targets) rig.queue.changed(target, { tryNow: next.action === "try now" });
  await runTasks();
}

for (const writeAfterMs of [0, 250])
  test(`whatever fails and whenever it is killed, each row is delivered at least once or dead, settled at most once, and in order (written after ${writeAfterMs} ms)`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.array(fc.nat(results.length - 1), { minLength: 1, maxLength: 30 }),
        async (steps, luck) => {
          const rig = createRig({ writeAfterMs });
          const targets = [rig.target("a"), rig.target("b"), rig.target("c", "u"), rig.target("d", "v")];
          const model = createModel(rig, luck);
          for (const next of steps) await take(rig, model, targets, next);
          ensureAttempts();
          rig.isDiskBroken = false;
          rig.answer = () => "delivered";
          rig.onAttempt = () => undefined;
          await rig.pass(3_600_000, 60_000);
          expect(rig.bodiesOf("WAITING")).toEqual([]);
          const dead = rig.bodiesOf("DEAD");
          expect(dead.filter((body) => !model.refused.has(body))).toEqual([]);
          const sent = new Set(rig.bodies());
          expect(model.added.filter(({ body }) => !sent.has(body))).toEqual([]);
          await rig.queue.stop();
        },
      ),
      { numRuns: 60 },
    );
  });
