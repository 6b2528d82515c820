import { expect, test } from "bun:test";
import { deviceId, StoreFixture } from "./store-fixture.ts";

test("answers stay the same while points are sealed, merged and packed under the queries", async () => {
  const fixture = await StoreFixture.start({ hotPointsMax: 2_000, blockRowsTarget: 256 });
  try {
    const count = 20_000;
    const appended: Promise<void>[] = [];
    for (let i = 0; i < count; i++) {
      // Every seventh comes 1,000 late, so that blocks are re-opened all the time.
      const ts = i % 7 === 0 && i > 1_000 ? i - 1_000 : i;
      appended.push(fixture.append("d", [{ ts, values: { a: ts, late: ts } }]));
      if (i % 500 === 0) await appended.at(-1);
    }
    await Promise.all(appended);
    const expected = await fixture.points("d", "a");
    let compacting = true;
    const compacted = fixture.store.compact().then(() => {
      compacting = false;
    });
    let queries = 0;
    while (compacting || queries < 5) {
      const [response] = await fixture.query({ device: "d" });
      for (const { points } of response?.series ?? []) {
        expect(points.map(({ ts, value }): [number, unknown] => [ts, value])).toEqual(expected);
      }
      const [total] = await fixture.points("d", "a", {
        from: 0,
        to: count,
        aggregation: "count",
        maxDataPoints: 1,
      });
      expect(total).toEqual([0, expected.length]);
      queries++;
    }
    await compacted;
    expect((await fixture.store.stats()).hotPoints).toBe(0);
  } finally {
    await fixture.dispose();
  }
});

test("commits go on while a long query and a compaction run", async () => {
  const fixture = await StoreFixture.start({ blockRowsTarget: 512 });
  try {
    for (let ts = 0; ts < 50_000; ts++) fixture.put("d", "a", ts, Math.sin(ts));
    await fixture.put("d", "a", 50_000, 0);
    const order: string[] = [];
    const compacted = fixture.store.compact().then(() => order.push("compacted"));
    const queried = fixture.query({ device: "d", maxDataPoints: 10 }).then(() => order.push("queried"));
    await fixture.put("e", "a", 1, 1);
    order.push("committed");
    await Promise.all([compacted, queried]);
    expect(order.indexOf("committed")).toBeLessThan(order.indexOf("compacted"));
    expect(await fixture.points("e", "a")).toEqual([[1, 1]]);
  } finally {
    await fixture.dispose();
  }
});

test("a deletion during a sealing hits what came before it and nothing that comes after", async () => {
  const fixture = await StoreFixture.start({ hotPointsMax: 1_000, blockRowsTarget: 128 });
  try {
    for (let ts = 0; ts < 5_000; ts++) fixture.put("d", "a", ts, "old");
    const deleted = fixture.store.deleteRange(deviceId("d"), ["a"], 1_000, 3_999);
    await deleted;
    for (let ts = 2_000; ts < 2_010; ts++) await fixture.put("d", "a", ts, "new");
    const check = async () => {
      const points = await fixture.points("d", "a");
      expect(points).toHaveLength(2_010);
      expect(points.filter(([, value]) => value === "new").map(([ts]) => ts)).toEqual(
        Array.from({ length: 10 }, (_, i) => 2_000 + i),
      );
    };
    await check();
    await fixture.restart();
    await check();
    await fixture.store.compact();
    await check();
  } finally {
    await fixture.dispose();
  }
});
