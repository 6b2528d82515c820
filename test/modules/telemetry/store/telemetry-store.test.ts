import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  decodeRecordHead,
  HEADER_BYTES,
  recordBytesOf,
} from "../../../../src/modules/telemetry/store/hot/hot-log-format.ts";
import type { TelemetryValue } from "../../../../src/modules/telemetry/telemetry.types.ts";
import { systemClock } from "../../../../src/platform/time/clock.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { untilAnswer } from "../../../support/until.ts";
import { deviceId, failureOf, StoreFixture, tenant } from "./store-fixture.ts";

let fixture: StoreFixture;

beforeEach(async () => {
  fixture = await StoreFixture.start();
});

afterEach(() => fixture.dispose());

const oddValues: TelemetryValue[] = [
  -0,
  5e-324,
  2 ** 53,
  2 ** 53 + 2,
  0.1 + 0.2,
  Number.MAX_VALUE,
  true,
  false,
  "",
  "12",
  "lone \ud800 surrogate",
  "nul \0 inside",
  "日本語 ✓ 😀",
  [],
  {},
  [1, "two", null, { three: [-0] }],
  { __proto__x: 1, nested: { deep: [true] } },
  JSON.parse('{"__proto__": {"polluted": true}, "a": -0}'),
];

describe("values", () => {
  test("come back with the type and the bits they went in with: hot, after a restart, and from blocks", async () => {
    for (const [ts, value] of oddValues.entries()) await fixture.put("d", "odd", ts, value);
    const expected = oddValues.map((value, ts): [number, unknown] => [ts, value]);
    expect(await fixture.points("d", "odd")).toStrictEqual(expected);
    await fixture.restart();
    expect(await fixture.points("d", "odd")).toStrictEqual(expected);
    await fixture.store.compact();
    expect(await fixture.points("d", "odd")).toStrictEqual(expected);
    await fixture.restart();
    expect(await fixture.points("d", "odd")).toStrictEqual(expected);
  });

  test("of keys with unusual names stay apart", async () => {
    const names = ["__proto__", "constructor", "a\0b", "\ud800", "0", "ключ"];
    const values: Record<string, number> = JSON.parse(
      `{${names.map((name, i) => `${JSON.stringify(name)}:${i}`).join(",")}}`,
    );
    await fixture.append("d", [{ ts: 1, values }]);
    for (let round = 0; round < 2; round++) {
      expect(await fixture.store.keys({ tenantId: tenant })).toEqual([...names].sort());
      const [snapshot] = await fixture.store.latest([deviceId("d")]);
      expect(Object.entries(snapshot!.values).sort()).toEqual(Object.entries(values).sort());
      await fixture.store.compact();
      await fixture.restart();
    }
  });

  test("that the store cannot hold refuse the whole append", async () => {
    const bad = [
      { ts: 1, values: { a: 1 } },
      { ts: 2, values: { a: 2, b: null as unknown as number } },
    ];
    expect(() => fixture.append("d", bad)).toThrow("must be a number");
    await fixture.put("d", "a", 3, 3);
    expect(await fixture.points("d", "a")).toEqual([[3, 3]]);
  });
});

describe("appending", () => {
  test("shares one promise among everything that rides a group", async () => {
    const first = fixture.put("d", "a", 1, 1);
    const second = fixture.put("e", "b", 1, 1);
    expect(second).toBe(first);
    await first;
    expect(fixture.put("d", "a", 2, 2)).not.toBe(first);
  });

  test("the last write to a timestamp wins, across key sets, blocks and a restart", async () => {
    await fixture.append("d", [{ ts: 5, values: { a: 1, b: 1 } }]);
    await fixture.append("d", [{ ts: 5, values: { a: 2 } }]);
    expect(await fixture.points("d", "a")).toEqual([[5, 2]]);
    await fixture.store.compact();
    await fixture.append("d", [{ ts: 5, values: { b: "three", c: 3 } }]);
    const expected: Record<string, [number, unknown][]> = { a: [[5, 2]], b: [[5, "three"]], c: [[5, 3]] };
    const all = async (): Promise<typeof expected> => ({
      a: await fixture.points("d", "a"),
      b: await fixture.points("d", "b"),
      c: await fixture.points("d", "c"),
    });
    expect(await all()).toEqual(expected);
    await fixture.restart();
    expect(await all()).toEqual(expected);
    await fixture.store.compact();
    expect(await all()).toEqual(expected);
    expect((await fixture.store.stats()).points).toBe(3);
  });

  test("points that arrive in any order are read oldest first", async () => {
    for (const ts of [30, 10, 20]) await fixture.put("d", "a", ts, ts);
    await fixture.store.compact();
    for (const ts of [25, 5, 35, 15]) await fixture.put("d", "a", ts, ts);
    const expected = [5, 10, 15, 20, 25, 30, 35].map((ts): [number, unknown] => [ts, ts]);
    expect(await fixture.points("d", "a")).toEqual(expected);
    await fixture.store.compact();
    expect(await fixture.points("d", "a")).toEqual(expected);
  });

  test("is refused once more is staged than the limit", async () => {
    const small = await StoreFixture.start({ stagingBytesMax: 1_000 });
    try {
      const appendMany = () => {
        for (let ts = 0; ts < 1_000; ts++) small.put("d", "a", ts, ts);
      };
      expect(appendMany).toThrow("cannot keep up");
    } finally {
      await small.dispose();
    }
  });

  test("everything staged is committed by a stop, and nothing is taken after it", async () => {
    for (let ts = 0; ts < 100; ts++) fixture.put("d", "a", ts, ts);
    const staged = fixture.put("d", "a", 100, 100);
    const stopping = fixture.store.stop();
    expect(() => fixture.put("d", "a", 101, 101)).toThrow("not running");
    await stopping;
    await staged;
    await fixture.restart();
    expect(await fixture.points("d", "a")).toHaveLength(101);
  });

  test("waits for the group commit window when there is one", async () => {
    const clock = new FakeClock();
    const slow = await StoreFixture.start({ groupCommitWindowMs: 20, clock });
    try {
      const first = slow.put("d", "a", 1, 1);
      clock.advance(19);
      await setImmediate();
      expect(slow.put("d", "a", 2, 2)).toBe(first);
      clock.advance(1);
      await first;
      expect((await slow.store.stats()).commits).toBe(1);
    } finally {
      await slow.dispose();
    }
  });
});

describe("latest", () => {
  test("is the value with the greatest timestamp; of equals the last written", async () => {
    await fixture.append("d", [
      { ts: 10, values: { a: 1, b: "x" } },
      { ts: 30, values: { a: 3 } },
      { ts: 20, values: { a: 2 } },
      { ts: 30, values: { a: 4 } },
    ]);
    const expected = {
      deviceId: deviceId("d"),
      values: { a: 4, b: "x" },
      timestamps: { a: 30, b: 10 },
      ts: 30,
    };
    expect(await fixture.store.latest([deviceId("d")])).toEqual([expected]);
    await fixture.store.compact();
    await fixture.put("d", "a", 29, 0);
    await fixture.restart();
    expect(await fixture.store.latest([deviceId("d")])).toEqual([expected]);
  });

  test("keeps the sign of zero through blocks and a restart", async () => {
    await fixture.put("d", "a", 1, -0);
    await fixture.store.compact();
    await fixture.restart();
    const [snapshot] = await fixture.store.latest([deviceId("d")]);
    expect(Object.is(snapshot?.values.a, -0)).toBe(true);
  });

  test("names only the asked keys, and answers for a device without data", async () => {
    await fixture.append("d", [{ ts: 10, values: { a: 1, b: 2 } }]);
    expect(await fixture.store.latest([deviceId("d"), deviceId("none")], ["b", "zzz"])).toEqual([
      { deviceId: deviceId("d"), values: { b: 2 }, timestamps: { b: 10 }, ts: 10 },
      { deviceId: deviceId("none"), values: {}, timestamps: {}, ts: 0 },
    ]);
  });
});

describe("deleting", () => {
  test("a closed range takes hot and sealed points, and stays deleted after a restart", async () => {
    for (let ts = 0; ts < 10; ts++) await fixture.append("d", [{ ts, values: { a: ts, b: ts } }]);
    await fixture.store.compact();
    for (let ts = 10; ts < 20; ts++) await fixture.append("d", [{ ts, values: { a: ts, b: ts } }]);
    await fixture.store.deleteRange(deviceId("d"), ["a"], 5, 14);
    for (let round = 0; round < 3; round++) {
      expect((await fixture.points("d", "a")).map(([ts]) => ts)).toEqual([0, 1, 2, 3, 4, 15, 16, 17, 18, 19]);
      expect(await fixture.points("d", "b")).toHaveLength(20);
      if (round === 0) await fixture.restart();
      else await fixture.store.compact();
    }
  });

  test("lets what is written afterwards live", async () => {
    await fixture.put("d", "a", 1, "old");
    await fixture.store.deleteRange(deviceId("d"), [], 0, 10);
    await fixture.put("d", "a", 1, "new");
    await fixture.restart();
    expect(await fixture.points("d", "a")).toEqual([[1, "new"]]);
  });

  test("the newest value brings the one before it back as the latest", async () => {
    await fixture.put("d", "a", 1, 1);
    await fixture.put("d", "s", 1, "one");
    await fixture.store.compact();
    await fixture.append("d", [{ ts: 2, values: { a: 2, s: "two" } }]);
    await fixture.store.compact();
    await fixture.append("d", [{ ts: 3, values: { a: 3, s: "three" } }]);
    await fixture.store.deleteRange(deviceId("d"), [], 2, 9);
    const [snapshot] = await fixture.store.latest([deviceId("d")]);
    expect(snapshot).toMatchObject({ values: { a: 1, s: "one" }, ts: 1 });
    await fixture.store.deleteRange(deviceId("d"), [], 0, 9);
    expect(await fixture.store.keys({ deviceIds: [deviceId("d")] })).toEqual([]);
  });

  test("a device takes its points, its keys and its handle; its id may come back", async () => {
    const handle = fixture.store.device(tenant, deviceId("d"));
    await fixture.put("d", "a", 1, 1);
    await fixture.store.compact();
    await fixture.put("d", "a", 2, 2);
    await fixture.store.deleteDevice(deviceId("d"));
    expect(await fixture.query({ device: "d" })).toEqual([]);
    expect(() => fixture.store.append(handle, [{ ts: 1, values: { a: 1 } }])).toThrow("deleted");
    await fixture.restart();
    expect(await fixture.store.stats()).toMatchObject({ devices: 0, points: 0, series: 0 });
    await fixture.put("other", "a", 7, 7);
    await fixture.put("d", "a", 3, 3);
    await fixture.restart();
    expect(await fixture.points("d", "a")).toEqual([[3, 3]]);
    expect(await fixture.points("other", "a")).toEqual([[7, 7]]);
  });
});

describe("retention", () => {
  test("deletes what is older than the cut-off, counts it, and gives the space back", async () => {
    const noise = (ts: number) => Math.sin(ts) * 1e6;
    for (let ts = 0; ts < 40_000; ts++) fixture.put("d", "a", ts, noise(ts));
    await fixture.put("e", "a", 1, 1);
    await fixture.store.compact();
    const before = await fixture.store.stats();
    const result = await fixture.store.applyRetention([{ deviceId: deviceId("d"), before: 39_990 }]);
    expect(result).toEqual({ pointsDeleted: 39_990 });
    expect(await fixture.points("d", "a")).toEqual(
      Array.from({ length: 10 }, (_, i): [number, unknown] => [39_990 + i, noise(39_990 + i)]),
    );
    expect(await fixture.points("e", "a")).toEqual([[1, 1]]);
    const after = await fixture.store.stats();
    expect(after.points).toBe(11);
    expect(after.oldestTs).toBe(1);
    expect(after.fileBytes).toBeLessThan(before.fileBytes / 3);
  });

  test("reaches points that are still hot", async () => {
    for (let ts = 0; ts < 10; ts++) await fixture.put("d", "a", ts, ts);
    expect(await fixture.store.applyRetention([{ deviceId: deviceId("d"), before: 4 }])).toEqual({
      pointsDeleted: 4,
    });
    await fixture.restart();
    expect((await fixture.points("d", "a")).map(([ts]) => ts)).toEqual([4, 5, 6, 7, 8, 9]);
  });
});

describe("a damaged file", () => {
  test("block is skipped and named, and the rest is served", async () => {
    const split = await StoreFixture.start({ blockRowsTarget: 10 });
    try {
      for (let ts = 0; ts < 40; ts++) split.put("d", "a", ts, ts * 1.1);
      await split.put("d", "a", 40, 40);
      await split.store.compact();
      await split.store.stop();
      const db = new Database(split.file);
      const ids = db.query<{ id: number }, []>("SELECT body AS id FROM block ORDER BY min_ts").all();
      db.run("UPDATE body SET data = zeroblob(length(data)) WHERE id = ?", [ids[1]!.id]);
      db.close();
      await split.restart();
      let told = 0;
      split.store.onDamaged(() => void told++);
      const stamps = (await split.points("d", "a")).map(([ts]) => ts);
      expect(told).toBe(1);
      expect(stamps).toEqual([...Array(41).keys()].filter((ts) => ts < 10 || ts >= 20));
      const { corruptBlocks } = await split.store.stats();
      expect(corruptBlocks).toHaveLength(1);
      expect(corruptBlocks[0]).toContain("checksum");
      await split.put("d", "a", 15, 15);
      await split.store.compact();
      expect((await split.points("d", "a")).map(([ts]) => ts)).toContain(15);
    } finally {
      await split.dispose();
    }
  });

  test("hot row is skipped and named, and the rest is served", async () => {
    await fixture.put("d", "a", 1, 1);
    await fixture.put("d", "a", 2, 2);
    await fixture.put("d", "a", 3, 3);
    await fixture.store.stop();
    const log = readFileSync(`${fixture.file}-hot1`);
    const bytesAt = (offset: number) => recordBytesOf(decodeRecordHead(log.subarray(offset)));
    const second = HEADER_BYTES + bytesAt(HEADER_BYTES);
    log[second + bytesAt(second) - 1]! ^= 1;
    writeFileSync(`${fixture.file}-hot1`, log);
    await fixture.restart();
    expect((await fixture.points("d", "a")).map(([ts]) => ts)).toEqual([1, 3]);
    expect((await fixture.store.stats()).corruptBlocks).toEqual([expect.stringContaining("hot row 2")]);
  });

  test("of a newer version is refused with one sentence", async () => {
    await fixture.put("d", "a", 1, 1);
    await fixture.store.stop();
    const db = new Database(fixture.file);
    db.run("PRAGMA user_version = 999");
    db.close();
    expect(await failureOf(fixture.store.start())).toMatchObject({
      message: expect.stringMatching(/written by a newer Lineside/),
    });
  });
});

describe("a start", () => {
  test("takes over what `open` has begun", async () => {
    await fixture.put("d", "a", 1, 2);
    await fixture.store.stop();
    void fixture.store.open();
    await fixture.store.start();
    expect(await fixture.points("d", "a")).toEqual([[1, 2]]);
  });

  test("opens a file again that could not be opened before it", async () => {
    const directory = join(fixture.directory, "later");
    const late = new StoreFixture({}, join(directory, "telemetry.db"));
    await late.store.open();
    mkdirSync(directory);
    await late.store.start();
    await late.put("d", "a", 1, 2);
    expect(await late.points("d", "a")).toEqual([[1, 2]]);
    await late.dispose();
  });

  test("may have more commits to read again where there are many devices", async () => {
    const many = await StoreFixture.start({ hotGroupsMax: 20, hotGroupsPerDevice: 10 });
    for (let ts = 0; ts < 39; ts++) await many.put(`d${ts % 4}`, "a", ts, ts);
    expect((await many.store.stats()).hotPoints).toBe(39);
    await many.put("d0", "a", 39, 39);
    await untilAnswer(
      () => many.store.stats(),
      ({ hotPoints }) => hotPoints === 0,
    );
    await many.dispose();
  });

  test("is not needed for a stop: a store that was only opened leaves no thread and no timer", async () => {
    let timers = 0;
    const clock = {
      ...systemClock,
      schedule(ms: number, callback: () => void) {
        timers++;
        const cancel = systemClock.schedule(ms, callback);
        return () => {
          timers--;
          cancel();
        };
      },
    };
    const opened = new StoreFixture({ clock });
    void opened.store.open();
    await opened.store.stop();
    expect(timers).toBe(0);
    await expect(opened.store.stats()).rejects.toThrow();
    await opened.dispose();
  });
});
