import { afterEach, expect, test } from "bun:test";
import { BATCH_BYTES_MAX } from "../../../src/modules/uplinks/batch-weight.ts";
import type { Batch, Target } from "../../../src/modules/uplinks/target.types.ts";
import type { Item } from "../../../src/modules/uplinks/uplink-reader.ts";
import { type ItemSource, UplinkRunner } from "../../../src/modules/uplinks/uplink-runner.ts";
import { UplinkSpace } from "../../../src/modules/uplinks/uplink-space.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";
import { batchOf, deviceOf, rowsOf } from "../../support/uplink-batches.ts";

const device = deviceOf();
const other = deviceOf({ deviceId: "0199f6a0-0000-7000-8000-000000000002" });

/** A source of fixed items. */
class Items implements ItemSource {
  readonly confirmed: string[] = [];
  readonly #items: Item[] = [];
  #next = 0;

  /** Confirmations that fail before one is taken. */
  failingConfirmations = 0;

  add(batch: Batch, isBarrier = false): void {
    const confirm = async () => {
      if (this.failingConfirmations > 0) {
        this.failingConfirmations--;
        throw new Error("database or disk is full");
      }
      this.confirmed.push(batch.id);
    };
    const index = this.#items.length;
    this.#items.push({
      ...{ batch, isBarrier, confirm },
      bytes: 1_000,
      repeat: () => {
        this.#next = index;
      },
      pass: () => {
        this.#next = index + 1;
      },
    });
  }

  async next(): Promise<Item | undefined> {
    const item = this.#items[this.#next];
    if (item !== undefined) this.#next++;
    return item;
  }
}

/** A target whose batches arrive when the test says so. */
class Held implements Target {
  readonly inFlightMax = 4;
  bytesSent = 0;
  readonly sent: string[] = [];
  /** Id of a batch → settles it. */
  readonly waiting = new Map<string, PromiseWithResolvers<void>>();

  async check(): Promise<void> {}

  send({ id }: Batch): Promise<void> {
    this.sent.push(id);
    this.bytesSent += 1_000;
    const settled = Promise.withResolvers<void>();
    this.waiting.set(id, settled);
    return settled.promise;
  }

  async arrive(id: string): Promise<void> {
    await until(() => this.waiting.has(id));
    this.waiting.get(id)?.resolve();
    this.waiting.delete(id);
  }

  async fail(id: string): Promise<void> {
    await until(() => this.waiting.has(id));
    for (const { reject } of this.waiting.values()) reject(new Error("away"));
    this.waiting.clear();
  }

  async close(): Promise<void> {}
}

const stopping: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
});

function start(
  source: Items,
  bytesPerSecond: number | null = null,
  space = new UplinkSpace(),
  report: ConstructorParameters<typeof UplinkRunner>[0]["report"] = () => undefined,
) {
  const target = new Held();
  const clock = new FakeClock();
  const runner = new UplinkRunner({
    tenantId: "tenant-1",
    space,
    source,
    createTarget: async () => target,
    window: null,
    bytesPerSecond,
    report,
    clock,
    random: () => 1,
  });
  runner.start();
  stopping.push(async () => {
    const stopped = runner.stop();
    for (const { reject } of target.waiting.values()) reject(new Error("stopped"));
    await stopped;
  });
  return { target, clock, runner };
}

const rows = (id: string, ts: readonly number[], of = device) => batchOf(id, rowsOf(of, ts, { n: ts }));
const deletion = (id: string) => batchOf(id, { kind: "deletion", device, keys: null, from: 0, to: 9 });

test("a batch that was read when another failed is sent after it", async () => {
  const source = new Items();
  for (let index = 0; index < 5; index++) source.add(rows(`rows ${index}`, [index]));
  source.add(deletion("deletion"), true);
  source.add(rows("last", [9]));
  const { target, clock } = start(source);
  await until(() => target.sent.length === 4);
  await target.fail("rows 0");
  await until(() => {
    clock.advance(1_000);
    return target.sent.length === 8;
  });
  expect(target.sent.slice(4)).toEqual(["rows 0", "rows 1", "rows 2", "rows 3"]);
  for (let index = 0; index < 4; index++) await target.arrive(`rows ${index}`);
  // The deletion waits for this one, which fails.
  await target.fail("rows 4");
  await until(() => {
    clock.advance(1_000);
    return target.sent.length === 10;
  });
  await target.arrive("rows 4");
  await target.arrive("deletion");
  await target.arrive("last");
  await until(() => source.confirmed.length === 7);
  expect(source.confirmed.slice(4)).toEqual(["rows 4", "deletion", "last"]);
});

test("rows of a device at times that are on their way wait for these, and others do not", async () => {
  const source = new Items();
  source.add(rows("first", [1, 5]));
  source.add(rows("other device", [1, 5], other));
  source.add(rows("later", [6, 7]));
  source.add(rows("again", [5]));
  const { target } = start(source);
  await until(() => target.sent.length === 3);
  expect(target.sent).toEqual(["first", "other device", "later"]);
  await target.arrive("first");
  await until(() => target.sent.length === 4);
  for (const id of ["other device", "later", "again"]) await target.arrive(id);
  await until(() => source.confirmed.length === 4);
});

test("nothing further is sent while the store cannot take a confirmation down, and it is tried again", async () => {
  const source = new Items();
  source.failingConfirmations = 3;
  for (let index = 0; index < 10; index++) source.add(rows(`rows ${index}`, [index]));
  const { target, clock } = start(source);
  await target.arrive("rows 0");
  await until(() => source.failingConfirmations === 2);
  for (const left of [1, 0]) {
    await until(() => {
      clock.advance(1_000);
      return source.failingConfirmations === left;
    });
    expect(target.sent.length).toBe(5);
  }
  await until(() => {
    clock.advance(1_000);
    return source.confirmed.length === 1;
  });
  for (let index = 1; index < 10; index++) await target.arrive(`rows ${index}`);
  await until(() => source.confirmed.length === 10);
  expect(source.confirmed).toEqual(Array.from({ length: 10 }, (_, index) => `rows ${index}`));
});

test("the bandwidth limit holds the next batch back as long as the bytes take", async () => {
  const source = new Items();
  source.add(deletion("first"), true);
  source.add(deletion("second"), true);
  const { target, clock } = start(source, 100);
  await target.arrive("first");
  await until(() => source.confirmed.length === 1);
  clock.advance(9_999);
  await Bun.sleep(0);
  expect(target.sent).toEqual(["first"]);
  clock.advance(1);
  await target.arrive("second");
  await until(() => source.confirmed.length === 2);
});

test("batches that failed hold no space until they are read again", async () => {
  const space = new UplinkSpace();
  const source = new Items();
  for (let index = 0; index < 5; index++) source.add(rows(`rows ${index}`, [index]));
  const { target, clock } = start(source, null, space);
  await until(() => target.sent.length === 4);
  expect(space.used).toBeGreaterThanOrEqual(4_000);
  await target.fail("rows 0");
  await until(() => space.used === 0);
  await until(() => {
    clock.advance(1_000);
    return target.sent.length === 8;
  });
  for (let index = 0; index < 5; index++) await target.arrive(`rows ${index}`);
  await until(() => source.confirmed.length === 5 && space.used === 0);
});

test("an uplink without space waits, and goes on as soon as another one has sent", async () => {
  const space = new UplinkSpace({ all: BATCH_BYTES_MAX, tenant: BATCH_BYTES_MAX });
  const [stalled, waiting] = [new Items(), new Items()];
  stalled.add(rows("stalled", [1]));
  stalled.add(rows("behind", [1]));
  const other = space.tryTake("tenant-2");
  const first = start(stalled, null, space);
  const second = start(waiting, null, space);
  waiting.add(rows("waiting", [1]));
  await Bun.sleep(0);
  expect([first.target.sent, second.target.sent]).toEqual([[], []]);
  other?.release();
  await first.target.arrive("stalled");
  await second.target.arrive("waiting");
  await first.target.arrive("behind");
  await until(() => stalled.confirmed.length === 2 && waiting.confirmed.length === 1);
});

test("only a wait for space that lasts is shown", async () => {
  const space = new UplinkSpace({ all: BATCH_BYTES_MAX, tenant: BATCH_BYTES_MAX });
  const held = space.tryTake("tenant-2");
  const states: string[] = [];
  const { clock, target } = start(new Items(), null, space, ({ state }) => void states.push(state));
  await until(() => states.includes("CONNECTING"));
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(1_900);
  expect(states).not.toContain("WAITING_FOR_MEMORY");
  clock.advance(200);
  expect(states.at(-1)).toBe("WAITING_FOR_MEMORY");
  held?.release();
  await until(() => {
    clock.advance(1_000);
    return states.at(-1) !== "WAITING_FOR_MEMORY";
  });
  expect(target.sent).toEqual([]);
});
