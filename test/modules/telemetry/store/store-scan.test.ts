import { expect, test } from "bun:test";
import type {
  ScanChunk,
  ScanPosition,
  ScanQuery,
} from "../../../../src/modules/telemetry/store/store.types.ts";
import type { TelemetryValue } from "../../../../src/modules/telemetry/telemetry.types.ts";
import { deviceId, failureOf, StoreFixture } from "./store-fixture.ts";

type Row = [device: string, ts: number, values: Record<string, TelemetryValue>];

const everything = (...devices: string[]): ScanQuery => ({
  deviceIds: devices.map(deviceId),
  keys: [],
  from: 0,
  to: Number.MAX_SAFE_INTEGER,
});

function rowsOf({ deviceId: device, ts, columns }: ScanChunk): Row[] {
  return Array.from(ts, (stamp, row) => {
    const values: Record<string, TelemetryValue> = {};
    for (const column of columns) {
      const value = column.at(row);
      if (value !== undefined) values[column.key] = value;
    }
    return [device, stamp, values];
  });
}

async function scanned(fixture: StoreFixture, query: ScanQuery): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const chunk of fixture.store.scan(query)) rows.push(...rowsOf(chunk));
  return rows;
}

test("an answer of a scan has a bounded number of characters, however many families a device has", async () => {
  const fixture = await StoreFixture.start();
  try {
    const text = "x".repeat(60_000);
    const expected: string[] = [];
    for (let family = 0; family < 30; family++)
      for (let ts = 0; ts < 30; ts++) {
        expected.push(`${ts} k${family}`);
        await fixture.append("a", [{ ts, values: { [`k${family}`]: `${ts}/${family} ${text}` } }]);
      }
    await fixture.store.compact();
    const found: string[] = [];
    let largest = 0;
    for await (const chunk of fixture.store.scan(everything("a"))) {
      let characters = 0;
      for (const [, ts, values] of rowsOf(chunk))
        for (const [key, value] of Object.entries(values)) {
          characters += String(value).length;
          found.push(`${ts} ${key}`);
        }
      largest = Math.max(largest, characters);
    }
    expect(found.toSorted()).toEqual(expected.toSorted());
    // A row has 1.8 million characters, and the last one may go beyond the limit of 8 MiB characters.
    expect(largest).toBeGreaterThan(1_000_000);
    expect(largest).toBeLessThan(9 * 1024 * 1024);
  } finally {
    await fixture.dispose();
  }
});

test("a scan delivers every row once in time order, whichever tier and family it lies in", async () => {
  const fixture = await StoreFixture.start({ blockRowsTarget: 64 });
  try {
    const expected = new Map<string, Row>();
    const put = (device: string, ts: number, values: Record<string, TelemetryValue>) => {
      const existing = expected.get(`${device} ${ts}`)?.[2];
      expected.set(`${device} ${ts}`, [device, ts, { ...existing, ...values }]);
      return fixture.append(device, [{ ts, values }]);
    };
    for (let ts = 0; ts < 500; ts++) put("a", ts * 2, { n: ts, s: `v${ts % 3}` });
    for (let ts = 0; ts < 300; ts++) put("a", ts * 3, { other: { at: ts }, flag: ts % 2 === 0 });
    await fixture.store.compact();
    for (let ts = 0; ts < 200; ts++) put("a", ts * 5 + 1, { n: -ts });
    await put("b", 7, { only: true });
    const rows = [...expected.values()].sort((x, y) => (x[0] < y[0] ? -1 : x[0] > y[0] ? 1 : x[1] - y[1]));
    expect(await scanned(fixture, everything("a", "unknown", "b"))).toEqual(rows);
    const subset = await scanned(fixture, { ...everything("a"), keys: ["flag"], from: 30, to: 60 });
    expect(subset).toEqual(
      rows
        .filter(([device, ts, { flag }]) => device === "a" && ts >= 30 && ts <= 60 && flag !== undefined)
        .map(([device, ts, { flag }]) => [device, ts, { flag: flag! }]),
    );
  } finally {
    await fixture.dispose();
  }
});

test("a scan goes on behind the position of any chunk, also after a restart and a compaction", async () => {
  const fixture = await StoreFixture.start({ blockRowsTarget: 50 });
  try {
    for (let ts = 0; ts < 400; ts++) fixture.put("a", "n", ts, ts);
    await fixture.store.compact();
    for (let ts = 0; ts < 120; ts++) fixture.put("b", "n", ts, ts);
    await fixture.put("b", "n", 120, 120);
    const query = everything("a", "b");
    const whole = await scanned(fixture, query);
    expect(whole).toHaveLength(521);
    const rows: Row[] = [];
    let after: ScanPosition | undefined;
    for (let left = 50; left > 0; left--) {
      let chunk: ScanChunk | undefined;
      for await (chunk of fixture.store.scan({ ...query, after })) break;
      if (chunk === undefined) break;
      rows.push(...rowsOf(chunk));
      after = chunk.position;
      if (left === 48) await fixture.restart();
      if (left === 46) await fixture.store.compact();
    }
    expect(rows).toEqual(whole);
  } finally {
    await fixture.dispose();
  }
});

test("chunks stay small whatever the range, and a consumer that stops leaves nothing behind", async () => {
  const fixture = await StoreFixture.start();
  try {
    for (let ts = 0; ts < 60_000; ts++) fixture.append("a", [{ ts, values: { x: ts, y: ts / 2 } }]);
    await fixture.put("a", "x", 60_000, 0);
    for (const tier of ["hot", "blocks"]) {
      let rows = 0;
      for await (const { ts } of fixture.store.scan(everything("a"))) {
        expect(ts.length).toBeLessThanOrEqual(10_000);
        rows += ts.length;
      }
      expect([tier, rows]).toEqual([tier, 60_001]);
      await fixture.store.compact();
    }
    for await (const _ of fixture.store.scan(everything("a"))) break;
    const abort = new AbortController();
    const stopped = (async () => {
      for await (const _ of fixture.store.scan(everything("a"), abort.signal)) abort.abort();
    })();
    expect(String(await failureOf(stopped))).toContain("Abort");
    expect(await fixture.store.deviceIds()).toEqual([deviceId("a")]);
  } finally {
    await fixture.dispose();
  }
});

test("points deleted before a scan do not come, and a device that was deleted is not listed", async () => {
  const fixture = await StoreFixture.start();
  try {
    for (const device of ["a", "b"]) for (let ts = 0; ts < 10; ts++) await fixture.put(device, "n", ts, ts);
    await fixture.store.deleteRange(deviceId("a"), [], 2, 8);
    await fixture.store.deleteDevice(deviceId("b"));
    const stamps = async () => (await scanned(fixture, everything("a", "b"))).map(([, ts]) => ts);
    expect(await stamps()).toEqual([0, 1, 9]);
    await fixture.restart();
    expect(await stamps()).toEqual([0, 1, 9]);
    expect(await fixture.store.deviceIds()).toEqual([deviceId("a")]);
  } finally {
    await fixture.dispose();
  }
});

test("a chunk of a scan has some megabytes of long texts at most", async () => {
  const fixture = await StoreFixture.start({});
  try {
    const long = "x".repeat(60_000);
    for (let ts = 0; ts < 400; ts++) await fixture.append("a", [{ ts, values: { s: `${long}${ts}` } }]);
    const sizes: number[] = [];
    for await (const chunk of fixture.store.scan(everything("a")))
      sizes.push(rowsOf(chunk).reduce((sum, [, , { s }]) => sum + String(s).length, 0));
    expect(Math.max(...sizes)).toBeLessThan(9 * 1024 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(400 * long.length);
  } finally {
    await fixture.dispose();
  }
});

test("a scan brings texts exactly, and no string of its own for each of them", async () => {
  const fixture = await StoreFixture.start();
  try {
    const values = (ts: number) => ({
      odd: ["\ud800", "", "\u{1F600}€"][ts % 3]!,
      n: ts,
      [`${ts % 2}`]: [{ ts }, "x"],
    });
    for (let ts = 0; ts < 40; ts++) {
      await fixture.append("a", [{ ts, values: values(ts) }]);
      if (ts === 20) await fixture.store.compact();
    }
    const rows = Array.from({ length: 40 }, (_, ts): Row => ["a", ts, values(ts)]);
    expect(await scanned(fixture, everything("a"))).toEqual(rows);
    const chunk = await fixture.store.feeds.rows(deviceId("a"), { from: 0, to: 100 });
    const strings: string[] = [];
    JSON.stringify(chunk?.columns, (_, value) => {
      if (typeof value === "string") strings.push(value);
      return ArrayBuffer.isView(value) ? 0 : value;
    });
    expect(strings.toSorted()).toEqual(["0", "1", "n", "odd"]); // keys
  } finally {
    await fixture.dispose();
  }
});
