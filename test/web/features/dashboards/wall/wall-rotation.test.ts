import { describe, expect, test } from "bun:test";
import {
  addressOf,
  rotationOf,
  rotationQuery,
} from "../../../../../src/web/features/dashboards/wall/rotation.ts";
import { WallRotation } from "../../../../../src/web/features/dashboards/wall/wall-rotation.ts";
import { ApiError } from "../../../../../src/web/platform/api-client.ts";

describe("the address of a wall", () => {
  test("names the dashboards and the seconds readably, and is read back", () => {
    const query = rotationQuery(["b", "c"], 45);
    expect(addressOf("/dashboards/a", query)).toBe("/dashboards/a?wall=1&rotate=b,c&every=45");
    expect(rotationOf("a", query)).toEqual({ ids: ["a", "b", "c"], everyMs: 45_000 });
  });

  test("keeps its limits whatever it says", () => {
    expect(rotationOf("a", { rotate: ",a,b,,b", every: "0" })).toEqual({ ids: ["a", "b"], everyMs: 1_000 });
    expect(rotationOf("a", { every: "999999" }).everyMs).toBe(3_600_000);
    expect(rotationOf("a", { every: "fast" })).toEqual({ ids: ["a"], everyMs: 30_000 });
    const many = Array.from({ length: 99 }, (_, i) => `d${i}`).join(",");
    expect(rotationOf("a", { rotate: many }).ids).toHaveLength(20);
  });
});

const EVERY_MS = 30_000;

/** A rotation on a clock of its own, of dashboards that can be deleted and a connection that can be lost. */
function wallOf(ids: readonly string[]) {
  const [shown, errors]: [string[], unknown[]] = [[], []];
  const deleted = new Set<string>();
  const state = { nowMs: 0, canAdvance: true, isReachable: true };
  const rotation = new WallRotation<string>({
    ids,
    everyMs: EVERY_MS,
    nowMs: () => state.nowMs,
    canAdvance: () => state.canAdvance,
    load: async (id) => {
      if (!state.isReachable) throw new ApiError(0, "");
      if (deleted.has(id)) throw new ApiError(404, "");
      return id;
    },
    onSlide: (id) => shown.push(id),
    onError: (error) => errors.push(error),
  });
  /** Lets time pass, as a timer or a connection that is back does. */
  const pass = async (ms = EVERY_MS) => {
    state.nowMs += ms;
    rotation.check();
    for (let i = 0; i < 20; i++) await Promise.resolve();
  };
  return { rotation, shown, errors, deleted, state, pass };
}

describe("a rotation", () => {
  test("shows each dashboard for its time and then begins again", async () => {
    const { rotation, shown, pass } = wallOf(["a", "b"]);
    await pass(0);
    await pass(EVERY_MS - 1);
    expect(shown).toEqual(["a"]);
    await pass(1);
    await pass();
    expect(shown).toEqual(["a", "b", "a"]);
    rotation.stop();
  });

  test("skips a deleted dashboard, even the first, and gives the next one its whole time", async () => {
    const { rotation, shown, deleted, pass } = wallOf(["a", "b", "c"]);
    deleted.add("a");
    await pass(0);
    deleted.add("c");
    await pass();
    expect(shown).toEqual(["b", "b"]);
    deleted.clear();
    await pass();
    expect(shown).toEqual(["b", "b", "c"]);
    rotation.stop();
  });

  test("stays where it is without a connection, and goes on once", async () => {
    const { rotation, shown, errors, state, pass } = wallOf(["a", "b", "c"]);
    await pass(0);
    state.canAdvance = false;
    await pass(10 * EVERY_MS);
    expect(shown).toEqual(["a"]);
    state.canAdvance = true;
    await pass(0);
    await pass(0);
    expect(shown).toEqual(["a", "b"]);
    state.isReachable = false;
    await pass();
    expect(errors).toHaveLength(1);
    state.isReachable = true;
    await pass();
    expect(shown).toEqual(["a", "b", "c"]);
    rotation.stop();
  });

  test("reports an error when every dashboard is deleted, and tries again", async () => {
    const { rotation, shown, errors, deleted, pass } = wallOf(["a", "b"]);
    deleted.add("a").add("b");
    await pass(0);
    expect(errors).toEqual([expect.objectContaining({ status: 404 })]);
    deleted.delete("b");
    await pass();
    expect(shown).toEqual(["b"]);
    rotation.stop();
  });

  test("shows a single dashboard once, and nothing after it was stopped", async () => {
    const { rotation, shown, pass } = wallOf(["a"]);
    await pass(0);
    await pass(100 * EVERY_MS);
    expect(shown).toEqual(["a"]);
    const stopped = wallOf(["a", "b"]);
    stopped.rotation.stop();
    await stopped.pass();
    expect(stopped.shown).toEqual([]);
    rotation.stop();
  });
});
