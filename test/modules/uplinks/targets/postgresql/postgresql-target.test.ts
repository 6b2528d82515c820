import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Target, UplinkRecord } from "../../../../../src/modules/uplinks/target.types.ts";
import type { PostgresqlSettings } from "../../../../../src/modules/uplinks/targets/postgresql/postgresql.schemas.ts";
import { createPostgresqlTarget } from "../../../../../src/modules/uplinks/targets/postgresql/postgresql.target.ts";
import {
  createAuthority,
  createServerCertificate,
} from "../../../../../src/platform/network/tls-certificates.ts";
import { queriesOf } from "../../../../support/grafana-dashboard.ts";
import { createPostgres, hasPostgres, type Postgres, postgresOwner } from "../../../../support/postgres.ts";
import { until } from "../../../../support/until.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  eventsOf,
  failureOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

if (!hasPostgres) console.warn("not run: uplinks to PostgreSQL, without the package postgresql");

const T0 = Date.parse("2026-03-02T03:30:00.123Z");
let postgres: Postgres;
let authority: { cert: string };
const closing: Array<() => unknown> = [];

beforeAll(async () => {
  if (!hasPostgres) return;
  const created = await createAuthority(Date.now(), "test");
  authority = created;
  postgres = await createPostgres({
    tls: await createServerCertificate(created, { dns: ["db.example"], ip: [] }, Date.now()),
  });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => postgres?.stop());

let schemas = 0;
/** A target with a schema of its own. */
function targetWith(settings: Partial<PostgresqlSettings> = {}): Target & { schema: string } {
  const schema = settings.schema ?? `plant "${++schemas}"`;
  const target = createPostgresqlTarget(
    {
      type: "POSTGRESQL",
      host: "db.example",
      port: postgres.port,
      database: "postgres",
      user: postgresOwner.user,
      password: postgresOwner.password,
      layout: "NARROW",
      timeoutMs: 10_000,
      tls: null,
      ...settings,
      schema,
    },
    contextOf(),
  );
  closing.push(() => target.close());
  return {
    inFlightMax: target.inFlightMax,
    get bytesSent() {
      return target.bytesSent;
    },
    check: (signal) => target.check(signal),
    send: (batch, signal) => target.send(batch, signal),
    close: () => target.close(),
    schema,
  };
}
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
const rowsIn = (schema: string, table: string, order: string) =>
  postgres.query(`SELECT * FROM ${quoted(schema)}.${quoted(table)} ORDER BY ${order}`);
const send = (target: Target, ...records: UplinkRecord[]) =>
  target.send(batchOf("1", ...records), neverAborted());

const device = deviceOf({ tags: { line: "3" } });
const narrow = (key: string, offset: number, value: Record<string, unknown>) => ({
  device: device.deviceId,
  key,
  ts: new Date(T0 + offset),
  ...{ number: null, boolean: null, text: null, json: null },
  ...value,
});

describe.skipIf(!hasPostgres)("PostgreSQL", () => {
  test("values of every type arrive exactly, and the same batch again changes nothing", async () => {
    const target = targetWith();
    await target.check(neverAborted());
    const batch = batchOf(
      "1",
      rowsOf(device, [T0, T0 + 1], {
        temperature: [21.53, Number.NaN],
        'odd "key"': [true, "two\nlines \0 ✓"],
        json: [{ a: [1, null, "\0"] }, undefined],
      }),
    );
    await target.send(batch, neverAborted());
    await target.send(batch, neverAborted());
    expect(target.bytesSent).toBeGreaterThan(0);
    expect(await rowsIn(target.schema, "telemetry", "key, ts")).toEqual([
      narrow("json", 0, { json: { a: [1, null, "\uFFFD"] } }),
      narrow('odd "key"', 0, { boolean: true }),
      narrow('odd "key"', 1, { text: "two\nlines \uFFFD ✓" }),
      narrow("temperature", 0, { number: 21.53 }),
      narrow("temperature", 1, { number: Number.NaN }),
    ]);
  });

  test("what is sent is what is stored, whatever it is", async () => {
    const target = targetWith();
    const storable = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\0", ""));
    const values = fc.sample(fc.oneof(fc.double(), fc.boolean(), storable), { numRuns: 500, seed: 7 });
    const ts = values.map((_, index) => index * 1_000_003);
    await send(target, rowsOf(device, ts, { value: values }));
    const stored = await rowsIn(target.schema, "telemetry", "ts");
    expect(stored.map(({ number, boolean, text }) => number ?? boolean ?? text)).toEqual(values);
    expect(stored.map((row) => (row.ts as Date).getTime())).toEqual(ts);
  });

  test("the later of two values wins, within a batch and between batches", async () => {
    const target = targetWith();
    await send(target, rowsOf(device, [T0, T0], { a: [1, 2] }), rowsOf(device, [T0 + 1], { a: [3] }));
    await send(target, rowsOf(device, [T0 + 1], { a: ["x"] }), rowsOf(device, [T0 + 2], { a: [4] }));
    expect(await rowsIn(target.schema, "telemetry", "ts")).toEqual([
      narrow("a", 0, { number: 2 }),
      narrow("a", 1, { text: "x" }),
      narrow("a", 2, { number: 4 }),
    ]);
  });

  test("in wide tables a key has a column for each type, which is added when it is needed", async () => {
    const target = targetWith({ layout: "WIDE" });
    const longKey = "ü".repeat(40);
    const rows = rowsOf(device, [T0, T0 + 1], {
      a: [1, "x"],
      a_str: [2, undefined],
      ts: [3, undefined],
      [longKey]: [4, undefined],
    });
    await send(target, rows);
    await send(target, rows);
    await send(
      target,
      rowsOf(device, [T0 + 1, T0 + 1, T0 + 2], { b: [5, 6, undefined], a: [7, true, { c: 1 }] }),
    );
    const [first, second, third] = await rowsIn(target.schema, "telemetry_pump", "ts");
    const longColumn = Object.keys(first ?? {}).find((name) => name.startsWith("ü"));
    expect(Buffer.byteLength(longColumn ?? "")).toBeLessThanOrEqual(63);
    expect(first).toMatchObject({
      a: 1,
      a_str: null,
      a_str_num: 2,
      ts_num: 3,
      b: null,
      [longColumn ?? ""]: 4,
    });
    expect(second).toMatchObject({ a: 7, a_str: "x", a_bool: true, b: 6 });
    expect(third).toMatchObject({ a: null, a_json: { c: 1 }, b: null });
  });

  test("devices, attributes and alarms have tables of their own", async () => {
    const target = targetWith();
    const renamed = { ...device, name: "Pump 1a" };
    await send(target, ...eventsOf(device, T0), ...eventsOf(renamed, T0 + 1));
    await send(
      target,
      { kind: "attributes", device: renamed, scope: "SERVER", ts: T0 - 1, values: { floor: 9 } },
      { kind: "attributes", device: renamed, scope: "SERVER", ts: T0 + 2, values: { label: null } },
      { kind: "device", device: renamed, change: "deleted", ts: T0 + 3 },
    );
    const [stored] = await rowsIn(target.schema, "devices", "device");
    expect(stored).toEqual({
      device: device.deviceId,
      name: "Pump 1a",
      type: "pump",
      site: "Plant A",
      tags: { line: "3" },
      created_at: new Date(T0 + 1),
      deleted_at: new Date(T0 + 3),
    });
    const attributes = await rowsIn(target.schema, "attributes", "key");
    expect(attributes).toEqual([
      { device: device.deviceId, scope: "SERVER", key: "floor", value: 2, ts: new Date(T0 + 1) },
    ]);
    const alarm = {
      alarm_id: "0199f6a0-0000-7000-8000-00000000a001",
      device: device.deviceId,
      type: "overheated",
      severity: "MAJOR",
      status: "ACTIVE_UNACK",
      message: "hotter than 80 °C",
    };
    expect(await rowsIn(target.schema, "alarms", "alarm_id")).toEqual([
      { ...alarm, updated_at: new Date(T0 + 1) },
    ]);
    expect(await rowsIn(target.schema, "alarm_events", "event_id")).toEqual([
      { ...alarm, event_id: "0199f6a0-0000-7000-8000-00000000e001", event: "CREATED", ts: new Date(T0) },
    ]);
  });

  test.each(["NARROW", "WIDE"] as const)("deletions are executed in their order (%s)", async (layout) => {
    const target = targetWith({ layout });
    const other = deviceOf({ deviceId: "0199f6a0-0000-7000-8000-000000000002" });
    const ts = [T0, T0 + 1, T0 + 2, T0 + 3];
    const values = { a: [1, 2, 3, 4], b: [5, 6, 7, 8] };
    await send(
      target,
      rowsOf(device, ts, values),
      rowsOf(other, ts, values),
      { kind: "deletion", device, keys: null, from: T0 + 1, to: T0 + 2 },
      { kind: "deletion", device, keys: ["b", "unknown"], from: 0, to: T0 },
      rowsOf(device, [T0 + 2], { a: [9] }),
    );
    const table = `${quoted(target.schema)}.${layout === "WIDE" ? "telemetry_pump" : "telemetry"}`;
    const sums = await postgres.query(
      layout === "WIDE"
        ? `SELECT device, sum(a) AS a, sum(b) AS b FROM ${table} GROUP BY device ORDER BY device`
        : `SELECT device, sum(number) FILTER (WHERE key = 'a') AS a, sum(number) FILTER (WHERE key = 'b') AS b
            FROM ${table} GROUP BY device ORDER BY device`,
    );
    expect(sums).toEqual([
      { device: device.deviceId, a: 1 + 9 + 4, b: 8 },
      { device: other.deviceId, a: 10, b: 26 },
    ]);
  });

  test("what the settings get wrong is an error of the settings", async () => {
    await postgres.query("CREATE ROLE guest LOGIN PASSWORD 'guest'");
    const cases: Array<[settings: Partial<PostgresqlSettings>, message: RegExp]> = [
      [{ password: "wrong" }, /refuses the credentials: password authentication failed/],
      [{ database: "nowhere" }, /does not accept the settings: database "nowhere" does not exist/],
      [{ user: "guest", password: "guest" }, /does not accept the settings: permission denied/],
      [{ tls: { ca: "-----BEGIN" } }, /`tls.ca` cannot be read/],
    ];
    for (const [settings, message] of cases) {
      const failure = await failureOf((async () => targetWith(settings).check(neverAborted()))());
      expect(failure).toEqual({ reaction: "settings", message: expect.stringMatching(message) });
    }
  });

  test("what is there already needs no privilege to create", async () => {
    const owning = targetWith({ schema: "shared" });
    await send(owning, rowsOf(device, [T0], { a: [1] }));
    await postgres.query(
      `CREATE ROLE writer LOGIN PASSWORD 'writer'; GRANT USAGE ON SCHEMA shared TO writer;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA shared TO writer`,
    );
    const target = targetWith({ schema: "shared", user: "writer", password: "writer" });
    await target.check(neverAborted());
    await send(target, rowsOf(device, [T0, T0 + 1], { a: [2, 3] }));
    expect(await rowsIn("shared", "telemetry", "ts")).toEqual([
      narrow("a", 0, { number: 2 }),
      narrow("a", 1, { number: 3 }),
    ]);
  });

  test("columns beyond the first page are found, too", async () => {
    const keys = Array.from({ length: 900 }, (_, index) => [`k${index}`, [1]]);
    const rows = rowsOf(device, [T0], Object.fromEntries(keys));
    await send(targetWith({ schema: "many", layout: "WIDE" }), rows);
    await postgres.query(
      `CREATE ROLE filler LOGIN PASSWORD 'filler'; GRANT USAGE ON SCHEMA many TO filler;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA many TO filler`,
    );
    const target = targetWith({ schema: "many", layout: "WIDE", user: "filler", password: "filler" });
    await send(target, rows);
    expect((await rowsIn("many", "telemetry_pump", "ts")).length).toBe(1);
  });

  test("several gateways create the same tables at the same time, which become hypertables where these exist", async () => {
    await postgres.query(`CREATE TABLE called (relation text, "column" text);
      CREATE FUNCTION create_hypertable(relation regclass, time_column name, if_not_exists boolean) RETURNS void
        LANGUAGE sql AS 'INSERT INTO called VALUES (relation::text, time_column)'`);
    const sites = ["a", "b", "c", "d"].map((letter) =>
      deviceOf({ deviceId: `0199f6a0-0000-7000-8000-00000000000${letter}` }),
    );
    await Promise.all(
      sites.map((site) =>
        send(targetWith({ schema: "together", layout: "WIDE" }), rowsOf(site, [T0], { a: [1] })),
      ),
    );
    expect((await rowsIn("together", "telemetry_pump", "device")).length).toBe(4);
    const calls = await postgres.query("SELECT DISTINCT * FROM called");
    expect(calls).toEqual([{ relation: "together.telemetry_pump", column: "ts" }]);
    await postgres.query("DROP FUNCTION create_hypertable");
  });

  test("the Grafana dashboard finds what is stored", async () => {
    const target = targetWith({ schema: "lineside" });
    const now = Date.now() - 1_000;
    await send(target, rowsOf(device, [now], { temperature: [21.5] }), ...eventsOf(device, now));
    const replace = (query: string) =>
      query
        .replaceAll("($site)", `('${device.site}')`)
        .replaceAll("($type)", `('${device.type}')`)
        .replaceAll("$key", "temperature")
        .replace(/\$__timeFilter\(([\w.]+)\)/g, "$1 > now() - interval '1 day'")
        .replace(/\$__timeGroupAlias\(([\w.]+), [^)]*\)/g, "date_trunc('hour', $1) AS time");
    for (const { title, text } of queriesOf("grafana-uplink-postgresql.json", replace)) {
      const rows = await postgres.query(text);
      expect([title, rows.length]).toEqual([title, 1]);
    }
  });

  test("TLS verifies the certificate and its name", async () => {
    const trusting = targetWith({ tls: { ca: authority.cert } });
    await send(trusting, rowsOf(device, [T0], { a: [1] }));
    for (const settings of [{ tls: {} }, { tls: { ca: authority.cert }, host: "other.example" }]) {
      const failure = await failureOf(targetWith(settings).check(neverAborted()));
      expect(failure).toEqual({ reaction: "retry", message: expect.stringContaining("certificate") });
    }
  });

  test("an abort ends what runs, and the next batch is stored", async () => {
    const target = targetWith({ schema: "locked" });
    await send(target, rowsOf(device, [T0], { a: [1] }));
    const controller = new AbortController();
    const holder = postgres.connect();
    closing.push(() => holder.close({ timeout: 0 }));
    await holder.unsafe("BEGIN; LOCK TABLE locked.devices").simple();
    const sending = target.send(
      batchOf("2", rowsOf({ ...device, name: "changed" }, [T0 + 1], { a: [2] })),
      controller.signal,
    );
    const waiting = "SELECT 1 FROM pg_locks WHERE relation = 'locked.devices'::regclass AND NOT granted";
    await until(async () => (await postgres.query(waiting)).length > 0);
    controller.abort(new Error("the uplink is stopped"));
    await expect(sending).rejects.toThrow("the uplink is stopped");
    await holder.unsafe("ROLLBACK").simple();
    await send(target, rowsOf(device, [T0 + 2], { a: [3] }));
    const numbers = (await rowsIn("locked", "telemetry", "ts")).map(({ number }) => number);
    expect(numbers).toEqual([1, 3]);
  });

  test("nothing is lost or doubled when the server is killed while batches come", async () => {
    const target = targetWith({ schema: "killed" });
    const ROWS = 500;
    for (let number = 0; number < 20; number++) {
      const ts = Array.from({ length: ROWS }, (_, row) => T0 + number * ROWS + row);
      const batch = batchOf(`${number}`, rowsOf(device, ts, { a: ts.map((time) => time - T0) }));
      const sending = failureOf(target.send(batch, neverAborted()));
      if (number !== 7) {
        expect((await sending).reaction).toBe("none");
        continue;
      }
      await postgres.kill("SIGKILL");
      await sending;
      // The process of the connection may outlive the server that it belongs to, and take this one.
      expect(["retry", "none"]).toContain((await failureOf(target.send(batch, neverAborted()))).reaction);
      await postgres.start();
      await target.send(batch, neverAborted());
    }
    const [sums] = await postgres.query(
      "SELECT count(*)::int AS count, sum(number) AS sum FROM killed.telemetry",
    );
    const count = ROWS * 20;
    expect(sums).toEqual({ count, sum: (count * (count - 1)) / 2 });
  });
});
