import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import type { Target } from "../../../../../src/modules/uplinks/target.types.ts";
import type { InfluxdbSettings } from "../../../../../src/modules/uplinks/targets/influxdb/influxdb.schemas.ts";
import { createInfluxdbTarget } from "../../../../../src/modules/uplinks/targets/influxdb/influxdb.target.ts";
import { queriesOf } from "../../../../support/grafana-dashboard.ts";
import { createInfluxdb, hasInfluxdb, type Influxdb } from "../../../../support/influxdb.ts";
import {
  batchOf,
  contextOf,
  deviceOf,
  eventsOf,
  failureOf,
  neverAborted,
  rowsOf,
} from "../../../../support/uplink-batches.ts";

if (!hasInfluxdb) console.warn("not run: uplinks to InfluxDB, without the package influxdb");

const T0 = Date.now() - 60_000;
let influxdb: Influxdb;
const closing: Array<() => unknown> = [];

beforeAll(async () => {
  if (!hasInfluxdb) return;
  influxdb = await createInfluxdb();
  await influxdb.query("CREATE DATABASE plant");
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => influxdb?.stop());

function targetWith(settings: Partial<InfluxdbSettings> = {}): Target {
  const target = createInfluxdbTarget(
    {
      type: "INFLUXDB",
      url: influxdb?.url ?? "",
      api: "V1",
      database: "plant",
      user: "root",
      password: "root",
      measurement: "{type}",
      deviceTags: ["device", "name", "site"],
      fieldNames: "TYPED",
      texts: true,
      alarmMeasurement: "alarms",
      deletions: true,
      gzip: true,
      timeoutMs: 5_000,
      tls: null,
      ...settings,
    },
    contextOf(),
  );
  closing.push(() => target.close());
  return target;
}

let types = 0;
/** A device whose type, and so its measurement, no other test uses. */
const ownDevice = (changes: Partial<Parameters<typeof deviceOf>[0]> = {}) =>
  deviceOf({ type: `type ${++types}, "a=b"`, ...changes });
const rowsIn = (measurement: string) =>
  influxdb.query(`SELECT * FROM "${measurement.replaceAll('"', '\\"')}"`);

describe.skipIf(!hasInfluxdb)("InfluxDB", () => {
  test("values of every type arrive exactly, and the same batch again changes nothing", async () => {
    const target = targetWith();
    await target.check(neverAborted());
    const device = ownDevice({ name: "Pümp 1, left\\", tags: { line: "a=b c", empty: "" } });
    const batch = batchOf(
      "1",
      rowsOf(device, [T0, T0 + 1, T0 + 2], {
        "flow rate": [21.53, -0.1, 1e21],
        on: [true, false, undefined],
        note: ['two\nlines, "quoted" \\ ✓', undefined, ""],
        json: [{ a: [1, null] }, undefined, undefined],
        broken: [Number.NaN, undefined, Number.POSITIVE_INFINITY],
      }),
    );
    await target.send(batch, neverAborted());
    await target.send(batch, neverAborted());
    expect(target.bytesSent).toBeGreaterThan(0);
    const tags = { device: device.deviceId, name: "Pümp 1, left/", site: "Plant A", line: "a=b c" };
    expect(await rowsIn(device.type)).toEqual([
      {
        time: T0,
        ...tags,
        "flow rate": 21.53,
        on_bool: true,
        note_str: 'two\nlines, "quoted" \\ ✓',
        json_str: '{"a":[1,null]}',
      },
      { time: T0 + 1, ...tags, "flow rate": -0.1, on_bool: false, note_str: null, json_str: null },
      { time: T0 + 2, ...tags, "flow rate": 1e21, on_bool: null, note_str: "", json_str: null },
    ]);
  });

  test("numbers read back as the same bits", async () => {
    const device = ownDevice();
    const numbers = [0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2 ** 53 + 2, -1e-7, 123_456.789, -0];
    const ts = numbers.map((_, index) => T0 + index);
    await targetWith().send(batchOf("1", rowsOf(device, ts, { value: numbers })), neverAborted());
    expect((await rowsIn(device.type)).map(({ value }) => value)).toEqual(numbers);
  });

  test("a key with values of several types has a field for each", async () => {
    const device = ownDevice();
    const rows = rowsOf(device, [T0, T0 + 1, T0 + 2], {
      state: [1, "off", true],
      state_str: [2, undefined, undefined],
      time: [3, undefined, undefined],
    });
    await targetWith().send(batchOf("1", rows), neverAborted());
    const [first, second, third] = await rowsIn(device.type);
    expect(first).toMatchObject({ state: 1, state_str_num: 2, time_num: 3 });
    expect(second).toMatchObject({ state_str: "off" });
    expect(third).toMatchObject({ state_bool: true });
  });

  test.each(["TYPED", "PLAIN"] as const)(
    "a field that has another type at the server does not hold up the rest (%s)",
    async (fieldNames) => {
      const device = ownDevice();
      const before = targetWith({ fieldNames: "PLAIN" });
      await before.send(batchOf("1", rowsOf(device, [T0], { a: ["text"], b: [true] })), neverAborted());
      const target = targetWith({ fieldNames });
      const rows = rowsOf(device, [T0 + 1, T0 + 2], { a: [1, 2], b: [3, 4], c: [5, 6] });
      await target.send(batchOf("2", rows), neverAborted());
      await target.send(batchOf("3", rowsOf(device, [T0 + 3], { a: [7], c: ["x"] })), neverAborted());
      const [, second, third, fourth] = await rowsIn(device.type);
      expect(second).toMatchObject({ a_num: 1, b_num: 3, c: 5, a: null, b: null });
      expect(third).toMatchObject({ a_num: 2, b_num: 4, c: 6 });
      expect(fourth).toMatchObject({ a_num: 7, c_str: "x", c: null });
    },
  );

  test("values older than the retention do not hold up the rest", async () => {
    await influxdb.query('CREATE RETENTION POLICY "short" ON "plant" DURATION 2h REPLICATION 1');
    const device = ownDevice();
    const rows = rowsOf(device, [T0 - 86_400_000, T0], { a: [1, 2] });
    await targetWith({ retentionPolicy: "short" }).send(batchOf("1", rows), neverAborted());
    const stored = await influxdb.query(`SELECT a FROM "short"."${device.type.replaceAll('"', '\\"')}"`);
    expect(stored).toEqual([{ time: T0, a: 2 }]);
  });

  test("alarm events are points, and the range of a device is deleted", async () => {
    const device = ownDevice({ deviceId: "0199f6a0-0000-7000-8000-0000000000de" });
    const other = deviceOf({ type: device.type, name: "Pump 2" });
    const target = targetWith({ alarmMeasurement: "events" });
    const ts = [T0, T0 + 1, T0 + 2, T0 + 3];
    const values = { a: [1, 2, 3, 4] };
    await target.send(
      batchOf(
        "1",
        rowsOf(device, ts, values),
        rowsOf(other, ts, values),
        ...eventsOf(device, T0 + 5),
        { kind: "deletion", device, keys: ["a"], from: 0, to: T0 + 9 },
        { kind: "deletion", device, keys: null, from: T0 + 1, to: T0 + 2 },
        rowsOf(device, [T0 + 2], { a: [9] }),
      ),
      neverAborted(),
    );
    const left = await rowsIn(device.type);
    expect(left.filter(({ name }) => name === "Pump 1").map(({ a }) => a)).toEqual([1, 9, 4]);
    expect(left.filter(({ name }) => name === "Pump 2").map(({ a }) => a)).toEqual([1, 2, 3, 4]);
    expect(await rowsIn("events")).toEqual([
      {
        time: T0 + 5,
        device: device.deviceId,
        name: "Pump 1",
        site: "Plant A",
        alarm: "overheated",
        severity: "MAJOR",
        event: "CREATED",
        active: true,
        alarmId: "0199f6a0-0000-7000-8000-00000000a001",
        eventId: "0199f6a0-0000-7000-8000-00000000e001",
        status: "ACTIVE_UNACK",
        message: "hotter than 80 °C",
      },
    ]);
  });

  test("the Grafana dashboard finds what is stored", async () => {
    const device = deviceOf({ type: "furnace" });
    await targetWith().send(
      batchOf("1", rowsOf(device, [T0], { temperature: [21.5] }), ...eventsOf(device, T0)),
      neverAborted(),
    );
    const replace = (query: string) =>
      query
        .replaceAll("$type", "furnace")
        .replaceAll("$key", "temperature")
        .replaceAll("$site", ".*")
        .replaceAll("$timeFilter", "time > now() - 10m")
        .replaceAll("$__interval", "1h");
    for (const { title, text } of queriesOf("grafana-uplink-influxdb.json", replace))
      expect([title, (await influxdb.query(text)).length]).not.toEqual([title, 0]);
  });

  test("wrong credentials and a database that does not exist are errors of the settings", async () => {
    const batch = batchOf("1", rowsOf(ownDevice(), [T0], { a: [1] }));
    const cases = [{ password: "wrong" }, { user: "nobody" }, { database: "nowhere" }];
    for (const settings of cases) {
      const failure = await failureOf(targetWith(settings).send(batch, neverAborted()));
      expect(failure.reaction).toBe("settings");
    }
    const failure = await failureOf(targetWith({ password: "wrong" }).check(neverAborted()));
    expect(failure).toEqual({
      reaction: "settings",
      message:
        "The target refuses the credentials: authorization failed. Check user, password, token or certificate.",
    });
    const missing = (settings: Partial<InfluxdbSettings>) =>
      failureOf((async () => targetWith(settings))()).then(({ message }) => message);
    expect(await missing({ api: "V2" })).toBe(
      "`organization` is required. Enter it in the settings of the uplink.",
    );
    expect(await missing({ api: "V2", organization: "plant" })).toBe(
      "`bucket` is required. Enter it in the settings of the uplink.",
    );
  });

  test("the check creates a database that is missing", async () => {
    const target = targetWith({ database: "created" });
    await target.check(neverAborted());
    await target.send(batchOf("1", rowsOf(ownDevice(), [T0], { a: [1] })), neverAborted());
    expect(await influxdb.query("SHOW DATABASES")).toContainEqual({ name: "created" });
  });

  test("nothing is lost when the server is killed while batches come, and a batch that came twice counts once", async () => {
    const device = ownDevice();
    const target = targetWith();
    const ROWS = 200;
    const BATCHES = 40;
    const batches = Array.from({ length: BATCHES }, (_, number) => {
      const ts = Array.from({ length: ROWS }, (_, row) => T0 + number * ROWS + row);
      return batchOf(`${number}`, rowsOf(device, ts, { a: ts.map((time) => time - T0) }));
    });
    for (const [number, batch] of batches.entries()) {
      const sending = failureOf(target.send(batch, neverAborted()));
      if (number === 5 || number === 20) {
        await influxdb.kill("SIGKILL");
        await sending;
        expect((await failureOf(target.send(batch, neverAborted()))).reaction).toBe("retry");
        await influxdb.start();
        await target.send(batch, neverAborted());
      } else expect((await sending).reaction).toBe("none");
    }
    const [sums] = await influxdb.query(
      `SELECT count(a) AS count, sum(a) AS sum FROM "${device.type.replaceAll('"', '\\"')}"`,
    );
    const count = ROWS * BATCHES;
    expect(sums).toMatchObject({ count, sum: (count * (count - 1)) / 2 });
  });
});

describe("the second API", () => {
  test("has its own paths, token and deletions", async () => {
    const requests: Array<{ path: string; token: string | null; text: string }> = [];
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        const text = await request.text();
        requests.push({ path: pathname + search, token: request.headers.get("authorization"), text });
        return new Response(null, { status: 204 });
      },
    });
    closing.push(() => server.stop(true));
    const device = deviceOf();
    const target = createInfluxdbTarget(
      {
        type: "INFLUXDB",
        url: `http://127.0.0.1:${server.port}/influx/`,
        api: "V2",
        organization: "my org",
        bucket: "plant",
        token: "t-1",
        measurement: "m-{site}",
        deviceTags: ["device", "type"],
        fieldNames: "TYPED",
        texts: false,
        alarmMeasurement: "events",
        deletions: true,
        gzip: false,
        timeoutMs: 5_000,
        tls: null,
      },
      contextOf(),
    );
    closing.push(() => target.close());
    await target.send(
      batchOf("1", rowsOf(device, [1], { a: [1], note: ["x"] }), ...eventsOf(device, 5), {
        kind: "deletion",
        device,
        keys: null,
        from: 0,
        to: 1_000,
      }),
      neverAborted(),
    );
    const alarmTags = `alarm=overheated,device=${device.deviceId},event=CREATED,severity=MAJOR,type=pump`;
    expect(requests).toEqual([
      {
        path: "/influx/api/v2/write?org=my+org&bucket=plant&precision=ms",
        token: "Token t-1",
        text: `m-Plant\\ A,device=${device.deviceId},type=pump a=1 1\nevents,${alarmTags} active=true 5\n`,
      },
      {
        path: "/influx/api/v2/delete?org=my+org&bucket=plant",
        token: "Token t-1",
        text: JSON.stringify({
          start: "1970-01-01T00:00:00.000Z",
          stop: "1970-01-01T00:00:01.0005Z",
          predicate: `device="${device.deviceId}"`,
        }),
      },
    ]);
  });
});

test("a server that refuses line breaks within texts gets spaces, and everything else as it is", async () => {
  const received: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const lines = (await request.text()).split("\n").slice(0, -1);
      // As QuestDB reads lines.
      if (lines.some((line) => !/ \d+$/.test(line)))
        return Response.json({ code: "invalid", message: "field value is invalid" }, { status: 400 });
      received.push(...lines);
      return new Response(null, { status: 204 });
    },
  });
  closing.push(() => server.stop(true));
  const target = targetWith({ url: `http://127.0.0.1:${server.port}`, gzip: false, deviceTags: ["type"] });
  const rows = rowsOf(deviceOf(), [1, 2], {
    a: [1, 2],
    note: ["two\r\nlines", "one"],
    json: [{ b: 3 }, undefined],
  });
  await target.send(batchOf("1", rows), neverAborted());
  expect(received).toEqual([
    'pump,type=pump a=1,note_str="two lines",json_str="{\\"b\\":3}" 1',
    'pump,type=pump a=2,note_str="one" 2',
  ]);
});
