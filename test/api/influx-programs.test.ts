import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeIn, shownValues } from "../docs/quick-starts.ts";
import { type ApiRow, apiRows } from "../support/api-rows.ts";
import { npmPeer, pythonPeer, runPeer, telegraf } from "../support/peers.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Programs that write to InfluxDB, with their default settings. */
let fixture: TestApp;
let owner: string;
let gateway: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  gateway = await fixture.createDevice(owner, { role: "GATEWAY" });
});
afterAll(() => fixture.stop());

const get = async (path: string) => (await fixture.call("GET", `/api${path}`, { token: owner })).body;
async function latestOf(name: string): Promise<Record<string, unknown>> {
  const children: { name: string; deviceId: string }[] = await get(`/devices/${gateway.deviceId}/children`);
  const child = children.find((each) => each.name === name);
  return (await get(`/devices/${child?.deviceId}/telemetry/latest`)).values;
}

describe("a program that prepares its database", () => {
  const authorization = () => ({
    authorization: `Basic ${Buffer.from(`telegraf:${gateway.token}`).toString("base64")}`,
  });
  const row = (query: string, status: number, body: unknown): ApiRow => ({
    name: `${query} is answered with ${status}`,
    request: () => ({
      method: "POST",
      path: `/query?q=${encodeURIComponent(query)}`,
      headers: authorization(),
    }),
    status,
    answer: (response) => expect(response.body).toMatchObject(body as Record<string, unknown>),
  });
  const done = { results: [{ statement_id: 0 }] };
  const databases = { name: "databases", columns: ["name"] };
  apiRows(
    () => fixture,
    [
      row('CREATE DATABASE "telegraf"', 200, done),
      row("create  database telegraf WITH DURATION 3d", 200, done),
      row('CREATE RETENTION POLICY "week" ON "telegraf" DURATION 7d REPLICATION 1', 200, done),
      row("SHOW DATABASES;", 200, { results: [{ statement_id: 0, series: [databases] }] }),
      row("CREATE DATABASE a; SHOW DATABASES", 200, {
        results: [{ statement_id: 0 }, { statement_id: 1, series: [databases] }],
      }),
      row("SELECT * FROM mem", 400, { error: expect.stringContaining("`SELECT`") }),
      row("CREATE DATABASE a; DROP DATABASE a", 400, { error: expect.stringContaining("`DROP DATABASE`") }),
      row(`${"CREATE DATABASE a;".repeat(10)}DROP DATABASE a`, 400, {
        error: expect.stringContaining("`DROP DATABASE`"),
      }),
      row('CREATE DATABASE "a;b\\";c"; SHOW DATABASES', 200, {
        results: [{ statement_id: 0 }, { statement_id: 1, series: [databases] }],
      }),
      row('CREATE DATABASE "a; SHOW DATABASES', 400, { code: "line_protocol.query_unclosed" }),
      row("", 400, { error: expect.any(String) }),
      row(" ; ;", 400, { error: expect.any(String) }),
      {
        name: "a statement in a form is read",
        request: () => ({
          method: "POST",
          path: "/query",
          headers: { ...authorization(), "content-type": "application/x-www-form-urlencoded" },
          raw: "q=CREATE+DATABASE+%22telegraf%22",
        }),
        status: 200,
        answer: ({ body }) => expect(body).toEqual(done),
      },
      {
        name: "the token may be the query's password",
        request: () => ({ method: "GET", path: `/query?u=x&p=${gateway.token}&q=SHOW%20DATABASES` }),
        status: 200,
      },
      {
        name: "a wrong token is refused",
        request: () => ({ method: "GET", path: "/query?u=x&p=wrong&q=SHOW%20DATABASES" }),
        status: 401,
        answer: "none",
      },
    ],
  );
});

test("Proxmox VE finds a server that passes, and its guests, nodes and storages are devices", async () => {
  const headers = { authorization: `Token ${gateway.token}` };
  expect((await fixture.call("GET", "/health", { headers })).status).toBe(200);
  const lines = [
    "cpustat,object=nodes,host=pve1 avg1=0.21,cpu=0.0125,cpus=8,iowait=1e-05 1795000000000000000",
    "memory,object=nodes,host=pve1 memfree=25037635584,memtotal=33560072192 1795000000000000000",
    'system,object=qemu,vmid=100,nodename=pve1,host=web\\ server cpu=0.5,mem=2147483648,name="web server",status="running" 1795000000000000000',
    "nics,object=qemu,vmid=100,nodename=pve1,host=web\\ server,instance=tap100i0 netin=5,netout=7 1795000000000000000",
    "system,object=storages,nodename=pve1,host=local-zfs,type=zfspool active=1,avail=5e+11 1795000000000000000",
  ];
  const response = await fixture.call("POST", "/api/v2/write?org=proxmox&bucket=proxmox", {
    headers,
    raw: `${lines.join("\n")}\n`,
  });
  expect(response.status).toBe(204);
  expect(await latestOf("pve1")).toMatchObject({ "cpustat.nodes.iowait": 0.00001, "cpustat.nodes.cpus": 8 });
  expect(await latestOf("web server")).toEqual({
    "system.qemu.100.pve1.cpu": 0.5,
    "system.qemu.100.pve1.mem": 2147483648,
    "system.qemu.100.pve1.name": "web server",
    "system.qemu.100.pve1.status": "running",
    "nics.qemu.100.pve1.tap100i0.netin": 5,
    "nics.qemu.100.pve1.tap100i0.netout": 7,
  });
  await fixture.call("POST", "/api/v2/write?org=proxmox&bucket=tags=vmid,instance", {
    headers,
    raw: "nics,object=qemu,vmid=101,nodename=pve1,host=mail,instance=tap101i0 netin=5 1795000000000000000",
  });
  expect(await latestOf("mail")).toEqual({ "nics.101.tap101i0.netin": 5 });
  expect(await latestOf("local-zfs")).toMatchObject({ "system.storages.pve1.zfspool.avail": 5e11 });
});

const port = () => new URL(fixture.app.url).port;

describe.skipIf(telegraf === null)("Telegraf (skipped where it is missing)", () => {
  test.each([
    ["influxdb", 'username = "telegraf"\n  password = "TOKEN"'],
    ["influxdb_v2", 'organization = "o"\n  bucket = "b"\n  token = "TOKEN"'],
  ])("writes with the defaults of its output %s, and warns of nothing", async (output, settings) => {
    const host = `telegraf-${output}`;
    const config = join(fixture.directory, `${output}.conf`);
    const sections = [
      `[agent]\n  hostname = "${host}"\n  skip_processors_after_aggregators = true`,
      "[[inputs.mem]]",
      `[[outputs.${output}]]\n  urls = ["${fixture.app.url}"]\n  ${settings.replace("TOKEN", gateway.token)}`,
    ];
    writeFileSync(config, sections.join("\n"));
    const { code, errors } = await runPeer([
      telegraf ?? "",
      "--strict-env-handling",
      "--config",
      config,
      "--once",
    ]);
    const warnings = errors.split("\n").filter((line) => / [WE]! /.test(line));
    expect({ code, warnings }).toEqual({ code: 0, warnings: [] });
    expect(await latestOf(host)).toMatchObject({ "mem.total": expect.any(Number) });
  });

  test("writes the values of its quick start with the configuration of the page", async () => {
    const page = readFileSync(join(import.meta.dir, "../../docs/quick-start-telegraf.md"), "utf8");
    const config = join(fixture.directory, "quick-start.conf");
    const shown = codeIn(page, "toml")
      .replace("http://localhost:8080", fixture.app.url)
      .replace("ACCESS_TOKEN", gateway.token);
    writeFileSync(config, shown);
    const { code } = await runPeer([telegraf ?? "", "--config", config, "--once"]);
    expect(code).toBe(0);
    const [[host = "", values = {}] = []] = shownValues(page);
    expect(Object.keys(await latestOf(host)).sort()).toEqual(Object.keys(values).sort());
  });
});

const python = pythonPeer("influxdb", "influxdb_client");
describe.skipIf(python === null)(
  "influxdb and influxdb-client of Python (skipped where they are missing)",
  () => {
    test("prepare, check and write", async () => {
      const script = join(import.meta.dir, "influx_peer.py");
      const { output, errors } = await runPeer([python ?? "", script, port(), gateway.token]);
      expect({ responses: output === "" ? errors : JSON.parse(output), errors }).toEqual({
        responses: {
          one: { ping: "1.8.10", create: null, databases: [], write: true, gzip: true },
          two: { ping: true, health: "pass", version: "1.8.10", write: null, batched: [] },
        },
        errors: "",
      });
      expect(await latestOf("python-1")).toEqual({
        "m.i": 3,
        "m.t": 1.5,
        "m.b": true,
        "m.s": "x",
        "m.g": 2.5,
      });
      expect(await latestOf("python-2")).toEqual({ "m.t": 21.5, "m.u": 5, "m.batched": 9 });
    });
  },
);

const clients = [npmPeer("influx"), npmPeer("@influxdata/influxdb-client")];
describe.skipIf(clients.includes(null))(
  "influx and @influxdata/influxdb-client of npm (skipped where they are missing)",
  () => {
    test("prepare, check and write", async () => {
      const script = join(import.meta.dir, "influx_peer.cjs");
      const { output, errors } = await runPeer([
        "node",
        script,
        port(),
        gateway.token,
        ...clients.map(String),
      ]);
      expect({ responses: output === "" ? errors : JSON.parse(output), errors }).toEqual({
        responses: { online: true, databases: [] },
        errors: "",
      });
      expect(await latestOf("npm-1")).toEqual({ "m.t": 2.5, "m.s": "x" });
      expect(await latestOf("npm-2")).toEqual({ "m.t": 1.5, "m.i": 3, "m.u": 4, "m.b": true, "m.s": "a b" });
    });
  },
);
