import { describe, expect, test } from "bun:test";
import { DeviceHandle } from "../../../../src/modules/telemetry/store/device-handles.ts";
import { GroupCommitter } from "../../../../src/modules/telemetry/store/group-committer.ts";
import type { CommitRequest, StoreRequest } from "../../../../src/modules/telemetry/store/store.protocol.ts";
import type { Clock } from "../../../../src/platform/time/clock.ts";
import { deviceId, deviceKeys, failureOf, tenant } from "./store-fixture.ts";

/** The committer with the test in the worker's place. */
class Bench {
  readonly sent: CommitRequest[] = [];
  readonly timers: Array<{ ms: number; action: () => void }> = [];
  nowMs = 0;
  /** How much time passes with each look at the clock. */
  msPerRead = 0;
  readonly #clock: Clock = {
    now: () => this.nowMs,
    monotonic: () => {
      this.nowMs += this.msPerRead;
      return this.nowMs;
    },
    schedule: (ms, action) => {
      const timer = { ms, action };
      this.timers.push(timer);
      return () => void this.timers.splice(this.timers.indexOf(timer), 1);
    },
  };
  readonly committer = new GroupCommitter({
    clock: this.#clock,
    groupCommitWindowMs: 0,
    stagingBytesMax: 1_000_000,
    diskFullRetryMs: 1_000,
    post: (request: StoreRequest) => void (request.type === "commit" && this.sent.push(request)),
  });
  readonly device: DeviceHandle;

  constructor() {
    const { root } = this.committer.patterns;
    this.device = new DeviceHandle(tenant, deviceId("d"), { no: 0, pattern: root, keys: deviceKeys() });
    this.committer.define(this.device);
  }

  append(ts: number): Promise<void> {
    return this.committer.append(this.device, [{ ts, values: { a: ts } }])!;
  }

  async nextGroup(): Promise<CommitRequest> {
    await new Promise((resolve) => setImmediate(resolve));
    const group = this.sent.shift();
    if (group === undefined) throw new Error("no group was sent");
    return group;
  }
}

describe("the group committer", () => {
  test("sends what was appended in one turn as one group, and the next only after the answer", async () => {
    const bench = new Bench();
    const first = bench.append(1);
    expect(bench.append(2)).toBe(first);
    const { buffer, definitions } = await bench.nextGroup();
    expect(definitions).toEqual({
      devices: [expect.objectContaining({ no: 0, deviceId: "d" })],
      keys: [{ no: 0, name: "a" }],
      patterns: [{ no: 0, columns: [0] }],
    });
    const second = bench.append(3);
    expect(second).not.toBe(first);
    expect(bench.append(4)).toBe(second);
    expect(bench.sent).toHaveLength(0);
    bench.committer.settle({ type: "committed", buffer, lanes: 1 });
    await first;
    const next = await bench.nextGroup();
    expect(next.definitions).toBeNull();
    bench.committer.settle({ type: "committed", buffer: next.buffer, lanes: 1 });
    await second;
  });

  /** A commit of so many messages that took so long is answered. */
  async function commit(bench: Bench, messages: number, tookMs: number): Promise<void> {
    for (let ts = 0; ts < messages; ts++) bench.append(ts);
    const { buffer } = await bench.nextGroup();
    bench.nowMs += tookMs;
    bench.committer.settle({ type: "committed", buffer, lanes: 1 });
  }

  test("after a slow commit of many senders waits a part of its time, so that they ride the next one together", async () => {
    const bench = new Bench();
    await commit(bench, 100, 16);
    bench.append(1);
    bench.append(2);
    await expect(bench.nextGroup()).rejects.toThrow("no group was sent");
    expect(bench.timers.map(({ ms }) => ms)).toEqual([4]);
    bench.nowMs += 4;
    bench.timers.pop()?.action();
    expect((await bench.nextGroup()).bytes).toBeGreaterThan(0);
    expect(bench.timers).toEqual([]);
  });

  test("never waits longer than 5 ms, and not at all once that has passed", async () => {
    const bench = new Bench();
    await commit(bench, 100, 1_000);
    bench.append(1);
    expect(bench.timers.map(({ ms }) => ms)).toEqual([5]);
    bench.timers.splice(0);
    const late = new Bench();
    await commit(late, 100, 1_000);
    late.nowMs += 5;
    late.append(1);
    await late.nextGroup();
    expect(late.timers).toEqual([]);
  });

  test("sends also a group whose wait ends while it is looked at", async () => {
    for (let ms = 1; ms <= 12; ms++) {
      const bench = new Bench();
      await commit(bench, 100, 16);
      bench.nowMs += 5 - ms / 2;
      bench.msPerRead = 0.75;
      bench.append(1);
      const timer = bench.timers.pop();
      if (timer !== undefined) timer.action();
      expect((await bench.nextGroup()).bytes).toBeGreaterThan(0);
    }
  });

  test("does not wait after a fast commit, or one of a single sender", async () => {
    const fast = new Bench();
    await commit(fast, 100, 1);
    fast.append(1);
    await fast.nextGroup();
    const single = new Bench();
    await commit(single, 1, 20);
    single.append(1);
    await single.nextGroup();
    expect([...fast.timers, ...single.timers]).toEqual([]);
  });

  /** Commits of ten messages each, one a millisecond, until groups wait. */
  async function commitUntilTogether(bench: Bench): Promise<void> {
    for (let ms = 0; ms <= 20; ms++) await commit(bench, 10, 1);
  }

  test("lets small groups that follow each other wait for more, and sends one at once when it is large enough", async () => {
    const bench = new Bench();
    await commitUntilTogether(bench);
    expect(bench.timers).toEqual([]);
    bench.append(1);
    await expect(bench.nextGroup()).rejects.toThrow("no group was sent");
    expect(bench.timers.map(({ ms }) => ms)).toEqual([8]);
    for (let ts = 0; bench.sent.length === 0; ts++) {
      bench.append(ts);
      await undefined; // a group leaves when the caller's code returns
    }
    const { bytes, buffer, packsDensely } = await bench.nextGroup();
    expect(bytes).toBeGreaterThanOrEqual(12_288);
    expect(bytes).toBeLessThan(12_400);
    bench.committer.settle({ type: "committed", buffer, lanes: 1 });
    bench.append(1);
    bench.timers.pop()?.action();
    const small = await bench.nextGroup();
    expect(small.bytes).toBeLessThan(200);
    expect([packsDensely, small.packsDensely]).toEqual([false, true]);
  });

  test("lets nobody wait any longer who sends alone", async () => {
    const bench = new Bench();
    await commitUntilTogether(bench);
    for (let group = 0; group < 4; group++) {
      bench.append(group);
      bench.timers.pop()?.action();
      const { buffer } = await bench.nextGroup();
      bench.committer.settle({ type: "committed", buffer, lanes: 1 });
    }
    bench.append(5);
    await bench.nextGroup();
    expect(bench.timers).toEqual([]);
  });

  /** A bench whose worker syncs on two threads, each sync in 20 ms. */
  async function withLanes(): Promise<Bench> {
    const bench = new Bench();
    for (let round = 0; round < 2; round++) {
      bench.append(round);
      const { buffer } = await bench.nextGroup();
      bench.nowMs += 20;
      bench.committer.settle({ type: "committed", buffer, lanes: 2 });
    }
    return bench;
  }

  /** Answers eight senders, so that they may send again. */
  async function answerEight(bench: Bench): Promise<void> {
    const sent = Array.from({ length: 8 }, () => bench.append(10));
    const { buffer } = await bench.nextGroup();
    bench.nowMs += 20;
    bench.committer.settle({ type: "committed", buffer, lanes: 2 });
    await Promise.all(sent);
  }

  test("keeps one group in flight for each lane, with an even share of the messages", async () => {
    const bench = await withLanes();
    const append = (count: number) => Promise.all(Array.from({ length: count }, () => bench.append(10)));
    const settle = ({ buffer }: { buffer: ArrayBuffer }) =>
      bench.committer.settle({ type: "committed", buffer, lanes: 2 });
    await answerEight(bench);
    const promises = [append(3)];
    await expect(bench.nextGroup()).rejects.toThrow("no group was sent");
    expect(bench.timers.map(({ ms }) => ms)).toEqual([5]);
    promises.push(append(1));
    const first = await bench.nextGroup();
    promises.push(append(4));
    const second = await bench.nextGroup();
    promises.push(append(4));
    await expect(bench.nextGroup()).rejects.toThrow("no group was sent");
    expect(bench.timers).toEqual([]);
    settle(first);
    settle(await bench.nextGroup());
    settle(second);
    await Promise.all(promises);
  });

  test("with lanes a group does not wait long for senders that have nothing more to send", async () => {
    const bench = await withLanes();
    await answerEight(bench);
    const late = bench.append(11);
    await expect(bench.nextGroup()).rejects.toThrow("no group was sent");
    bench.timers.pop()?.action();
    bench.committer.settle({ type: "committed", buffer: (await bench.nextGroup()).buffer, lanes: 2 });
    await late;
    const next = bench.append(12);
    bench.committer.settle({ type: "committed", buffer: (await bench.nextGroup()).buffer, lanes: 2 });
    await next;
  });

  test("with lanes sends nothing behind a group with definitions until it is committed", async () => {
    const bench = await withLanes();
    bench.committer.append(bench.device, [{ ts: 1, values: { b: 1 } }]);
    const defining = await bench.nextGroup();
    expect(defining.definitions?.keys).toEqual([{ no: 1, name: "b" }]);
    bench.nowMs += 5;
    const next = bench.append(2);
    await expect(bench.nextGroup()).rejects.toThrow("no group was sent");
    bench.committer.settle({ type: "committed", buffer: defining.buffer, lanes: 2 });
    bench.committer.settle({ type: "committed", buffer: (await bench.nextGroup()).buffer, lanes: 2 });
    await next;
  });

  test("with lanes a failed write refuses all groups in flight", async () => {
    const bench = await withLanes();
    const lost = [bench.append(10)];
    const { buffer } = await bench.nextGroup();
    bench.nowMs += 5;
    lost.push(bench.append(11));
    await bench.nextGroup();
    bench.committer.settle({ type: "refused", buffer, failure: "broken", reason: "disk I/O error" });
    for (const refused of lost) expect(await failureOf(refused)).toMatchObject({ code: "telemetry.broken" });
  });

  test("on a full disk refuses the group and what follows for a while, then tries again with the same definitions", async () => {
    const bench = new Bench();
    const lost = bench.append(1);
    const { buffer, definitions } = await bench.nextGroup();
    bench.committer.settle({ type: "refused", buffer, failure: "full", reason: "database or disk is full" });
    expect(await failureOf(lost)).toMatchObject({ kind: "unavailable", code: "telemetry.disk_full" });
    expect(() => bench.append(2)).toThrow("disk is full");
    bench.nowMs = 1_000;
    const retried = bench.append(2);
    const next = await bench.nextGroup();
    expect(next.definitions).toEqual(definitions);
    bench.committer.settle({ type: "committed", buffer: next.buffer, lanes: 1 });
    await retried;
    const after = bench.append(3);
    bench.committer.settle({ type: "committed", buffer: (await bench.nextGroup()).buffer, lanes: 1 });
    await after;
  });

  test("after a failed write takes nothing any more, and acknowledges nothing that was staged", async () => {
    const bench = new Bench();
    const lost = bench.append(1);
    const { buffer } = await bench.nextGroup();
    const staged = bench.append(2);
    bench.committer.settle({ type: "refused", buffer, failure: "broken", reason: "disk I/O error" });
    for (const refused of [lost, staged]) {
      expect(await failureOf(refused)).toMatchObject({ kind: "unavailable", code: "telemetry.broken" });
    }
    bench.nowMs = 1_000_000;
    expect(() => bench.append(3)).toThrow("accepts no telemetry until");
    expect(bench.sent).toHaveLength(0);
  });
});
