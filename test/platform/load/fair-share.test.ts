import { expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { FairShare } from "../../../src/platform/load/fair-share.ts";

function createShare() {
  const time = { ms: 0 };
  return { time, share: new FairShare(() => time.ms) };
}

test("what fits into a turn does not wait", () => {
  const { share } = createShare();
  for (let index = 0; index < 1_000; index++) expect(share.enter()).toBeUndefined();
});

test("messages that arrive together have one long piece of work in each turn, in their order", async () => {
  const { time, share } = createShare();
  const done: number[] = [];
  async function message(number: number): Promise<void> {
    const turn = share.enter();
    if (turn !== undefined) await turn;
    time.ms += 20;
    done.push(number);
  }
  const all = [1, 2, 3, 4].map(message);
  expect(done).toEqual([1]);
  for (const expected of [2, 3, 4]) {
    await setImmediate();
    expect(done.length).toBeLessThanOrEqual(expected);
  }
  await Promise.all(all);
  expect(done).toEqual([1, 2, 3, 4]);
});

test("who comes later does not overtake those who wait", async () => {
  const { time, share } = createShare();
  const done: string[] = [];
  expect(share.enter()).toBeUndefined();
  time.ms += 20;
  const first = share.enter()?.then(() => done.push("first"));
  time.ms = 0;
  const second = share.enter()?.then(() => done.push("second"));
  await Promise.all([first, second]);
  expect(done).toEqual(["first", "second"]);
});

test("tenants take turns, and so do the users of a tenant", async () => {
  const { time, share } = createShare();
  const done: string[] = [];
  expect(share.enter()).toBeUndefined();
  time.ms += 20;
  const owners = ["a1", "a1", "a1", "a2", "b1"];
  const tasks = owners.map(async (userId) => {
    await share.enter({ tenantId: userId.charAt(0), userId });
    time.ms += 20;
    done.push(userId);
  });
  await Promise.all(tasks);
  expect(done).toEqual(["a1", "b1", "a2", "a1", "a1"]);
});

test("begun and new tasks take turns", async () => {
  const { time, share } = createShare();
  const done: string[] = [];
  expect(share.enter()).toBeUndefined();
  time.ms += 20;
  const waiting = [share.next(), share.next(), share.enter(), share.enter()];
  const names = ["begun", "begun", "new", "new"];
  await Promise.all(waiting.map((turn, index) => turn?.then(() => done.push(names[index] ?? ""))));
  expect(done).toEqual(["new", "begun", "new", "begun"]);
});

test("a new task of the owner of a paused task begins after that, and other owners go on", async () => {
  const { time, share } = createShare();
  const done: string[] = [];
  const message = async (userId: string, name: string, pieces: number): Promise<void> => {
    const owner = { tenantId: "a", userId };
    const turn = share.enter(owner);
    if (turn !== undefined) await turn;
    for (let piece = 1; piece <= pieces; piece++) {
      const next = share.pause(owner);
      if (next !== undefined) await next;
      time.ms += 20;
      done.push(`${name}${piece}`);
    }
  };
  await Promise.all([
    message("one", "a", 3),
    message("one", "b", 2),
    message("two", "c", 1),
    message("one", "d", 1),
  ]);
  expect(done.filter((piece) => !piece.startsWith("c"))).toEqual(["a1", "a2", "a3", "b1", "b2", "d1"]);
  expect(done.indexOf("c1")).toBeLessThan(5);
});

test("messages of many owners keep their order whatever their number of pieces", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ owner: fc.constantFrom("p", "q", "r"), pieces: fc.integer({ min: 1, max: 4 }) }), {
        maxLength: 12,
      }),
      fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 40, maxLength: 40 }),
      async (messages, costs) => {
        const { time, share } = createShare();
        const done: Array<{ userId: string; piece: string }> = [];
        await Promise.all(
          messages.map(async ({ owner: userId, pieces }, index) => {
            const owner = { tenantId: "a", userId };
            const turn = share.enter(owner);
            if (turn !== undefined) await turn;
            for (let piece = 0; piece < pieces; piece++) {
              const next = share.pause(owner);
              if (next !== undefined) await next;
              time.ms += costs[done.length % costs.length] ?? 0;
              done.push({ userId, piece: `${index}.${piece}` });
            }
          }),
        );
        for (const userId of ["p", "q", "r"]) {
          const sent = messages.flatMap(({ owner, pieces }, index) =>
            owner === userId ? Array.from({ length: pieces }, (_, piece) => `${index}.${piece}`) : [],
          );
          expect(done.filter((each) => each.userId === userId).map(({ piece }) => piece)).toEqual(sent);
        }
      },
    ),
    { numRuns: 300 },
  );
});
