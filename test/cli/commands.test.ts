import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secret, TOTP } from "otpauth";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const EMAIL = "owner@plant.example";
let fixture: TestApp;
let token: string;

beforeAll(async () => {
  fixture = await createTestApp();
  const { setup, provider, identity } = fixture.app.services;
  await setup.createOwner({ email: EMAIL, password: PASSWORD, fullName: "Owner", tenantName: "Plant" });
  const { code } = await provider.signIn({ email: EMAIL, password: PASSWORD, address: "test" });
  token = (await identity.exchange(code, undefined)).accessToken;
});
afterAll(async () => {
  await fixture.stop();
  await rm(fixture.directory, { recursive: true, force: true });
});

async function run(...args: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([...PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "", LINESIDE_OWNER_EMAIL: EMAIL, LINESIDE_OWNER_PASSWORD: PASSWORD },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, output: stdout + stderr };
}

const devices = async (query = "") => (await fixture.call("GET", `/api/devices${query}`, { token })).body;
async function count(deviceId: string, key: string): Promise<number> {
  const path = `/api/devices/${deviceId}/telemetry/range?from=0&to=${Date.now()}&keys=${key}&aggregation=count&maxDataPoints=1`;
  const { body } = await fixture.call("GET", path, { token });
  return body.data[0]?.series[0]?.points[0]?.value ?? 0;
}

test("simulate makes a plant with history and live data, and finds it again", async () => {
  const args = [
    "simulate",
    "--url",
    fixture.app.url,
    "--devices",
    "3",
    "--rate",
    "30",
    "--history",
    "1",
    "--seconds",
    "1",
  ];
  const first = await run(...args);
  expect([first.code, first.output]).toEqual([0, expect.stringMatching(/\b0 failed\n$/)]);
  const plant = await devices("?tag=simulated");
  expect(
    plant.map((device: { deviceType: string; active: boolean }) => [device.deviceType, device.active]),
  ).toEqual([
    ["conveyor", true],
    ["oven", true],
    ["press", true],
  ]);
  const press = plant.find((device: { deviceType: string }) => device.deviceType === "press");
  expect(await count(press.deviceId, "temperature")).toBeGreaterThan(60);
  expect((await run(...args.slice(0, -4), "--history", "0", "--seconds", "1")).code).toBe(0);
  expect(await devices("?tag=simulated")).toHaveLength(3);
});

test("import replays a file with its own timestamps, one device a node, and repeating it changes nothing", async () => {
  const file = join(fixture.directory, "climate.csv");
  const rows = Array.from(
    { length: 2_500 },
    (_, index) =>
      `${index}, ${1_458_031_648_545 + index * 500}, ${(index % 2) + 1}, ${(20 + index / 100).toFixed(2)}`,
  );
  await Bun.write(file, `${rows.join("\n")}\nnot,a,row\n`);
  const args = [
    "import",
    file,
    "--url",
    fixture.app.url,
    "--names",
    "id,time,node,temperature",
    "--time",
    "time",
    "--device-column",
    "node",
    "--skip",
    "id",
    "--device",
    "room",
  ];
  for (const round of [1, 2]) {
    const { code, output } = await run(...args);
    expect([round, code, output]).toEqual([round, 1, expect.stringContaining("2500 rows, 2500 values")]);
    expect(output).toContain("row 2501: “a” is not a time");
    const rooms = await devices("?search=room");
    expect(rooms.map((device: { name: string }) => device.name)).toEqual(["room 1", "room 2"]);
    expect(await count(rooms[0].deviceId, "temperature")).toBe(1_250);
  }
});

test("a program's key and a person's second factor open the commands too", async () => {
  const key = await fixture.call("POST", "/api/api-keys", {
    token,
    body: { name: "import", role: "TENANT_RW" },
  });
  const file = join(fixture.directory, "short.csv");
  await Bun.write(file, "ts,counter\n1600000000000,1\n");
  const importAs = (...args: string[]) =>
    run("import", file, "--url", fixture.app.url, "--device", "by key", ...args);
  expect((await importAs("--key", key.body.key)).code).toBe(0);
  expect(await devices("?search=by+key")).toHaveLength(1);
  expect((await importAs("--key", "lsk_made_up")).output).toContain(
    "The API key is wrong, expired or revoked. Create one with lineside apikey create.",
  );

  const email = "careful@plant.example";
  const { provider, users, tenants } = fixture.app.services;
  const tenantId = tenants.list()[0]?.tenantId ?? null;
  users.create({ tenantId, email, fullName: "Careful", role: "TENANT_RW" });
  await provider.saveAccount(email, PASSWORD);
  const { secret } = await provider.beginSecondFactor(email, PASSWORD);
  const totp = new TOTP({ secret: Secret.fromBase32(secret) });
  const codes = await provider.confirmSecondFactor(email, totp.generate());
  expect((await importAs("--email", email)).output).toContain("`otp` is required");
  expect((await importAs("--email", email, "--otp", codes[0] ?? "")).code).toBe(0);
  expect((await importAs("--email", email, "--otp", codes[0] ?? "")).output).toContain("--otp is wrong");
});

test("what a person can mend is one sentence", async () => {
  expect((await run("import", "missing.csv", "--url", fixture.app.url)).output).toBe(
    "lineside import: There is no file missing.csv. Check the path.\n",
  );
  expect((await run("simulate", "--url", "http://127.0.0.1:1")).output).toContain(
    "Nothing answers at http://127.0.0.1:1",
  );
  expect((await run("simulate", "--url", fixture.app.url, "--password", "wrong password")).output).toContain(
    "The email address or the password is wrong.",
  );
  expect((await run("simulate", "--rate", "fast")).output).toContain("--rate must be a number");
  expect(await run("fly")).toMatchObject({ code: 2 });
  expect((await run("version")).output).toMatch(/^lineside \d+\.\d+\.\d+ \([0-9a-z]+\)\n$/);
});

test("import waits for a gateway that restarts, and every row is there once", async () => {
  const file = join(fixture.directory, "long.csv");
  const rows = Array.from({ length: 60_000 }, (_, index) => `${1_600_000_000_000 + index * 1000},${index}`);
  await Bun.write(file, `ts,counter\n${rows.join("\n")}\n`);
  const port = Number(new URL(fixture.app.url).port);
  const importing = run("import", file, "--url", fixture.app.url, "--device", "long");
  const counted = async () => {
    const [device] = await devices("?search=long");
    return device === undefined ? 0 : count(device.deviceId, "counter");
  };
  await until(async () => (await counted()) > 0);
  await fixture.app.stop();
  fixture = await createTestApp({ directory: fixture.directory, config: { http_port: port } });
  const { code, output } = await importing;
  expect([code, output]).toEqual([0, expect.stringContaining("60000 rows, 60000 values")]);
  expect(output).toContain("waiting");
  expect(await counted()).toBe(60_000);
});

test("commands find the gateway of a data directory, whatever its port is, while it runs", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lineside-address-"));
  const data = ["--data", directory];
  const gateway = await createTestApp({ directory });
  const port = new URL(gateway.app.url).port;
  expect(await run("healthcheck", ...data)).toEqual({ code: 0, output: "ready\n" });
  expect((await run("healthcheck", ...data, "--http-port", "1")).output).toBe(
    "Nothing answers at http://127.0.0.1:1. Start Lineside, or name its data directory with --data.\n",
  );
  const link = (await run("setup-link", ...data)).output;
  expect(link).toStartWith(`http://localhost:${port}/setup?token=`);
  await gateway.app.services.setup.createOwner({
    email: EMAIL,
    password: PASSWORD,
    fullName: "Owner",
    tenantName: "Plant",
  });
  expect((await run("user", "add", "new@plant.example", "--role", "rw", ...data)).output).toContain(
    `http://localhost:${port}/sign-in`,
  );
  const file = join(directory, "rows.csv");
  await Bun.write(file, "ts,counter\n1600000000000,1\n");
  expect((await run("import", file, ...data)).code).toBe(0);
  await gateway.app.stop();
  expect(await Bun.file(join(directory, "gateway.json")).exists()).toBe(false);
  await rm(directory, { recursive: true, force: true });
});

test("import reads the file of a German spreadsheet", async () => {
  const file = join(fixture.directory, "german.csv");
  await Bun.write(file, "Zeit;Druck\n05.01.2026 10:00;1,5\n05.01.2026 10:01;1.001,5\n");
  const args = ["import", file, "--url", fixture.app.url, "--timezone", "Europe/Berlin"];
  expect(await run(...args)).toEqual({ code: 0, output: expect.stringContaining("2 rows, 2 values") });
  const [device] = await devices("?search=german");
  const path = `/api/devices/${device.deviceId}/telemetry/latest`;
  expect((await fixture.call("GET", path, { token })).body).toMatchObject({
    ts: Date.UTC(2026, 0, 5, 9, 1),
    values: { Druck: 1001.5 },
  });
  expect(await run(...args, "--decimal", "point")).toEqual({
    code: 1,
    output: expect.stringContaining(
      "german.csv, row 1: Column `Druck`: “1,5” is not a number with a decimal point.",
    ),
  });
  expect((await run(...args, "--delimiter", "x")).output).toContain("--delimiter");
});

test("every command explains its own options", async () => {
  for (const command of ["serve", "setup-link", "healthcheck"]) {
    const { code, output } = await run(command, "--help");
    expect([code, output]).toEqual([0, expect.stringContaining("--http-port")]);
  }
  for (const command of ["simulate", "import"]) {
    const { code, output } = await run(command, "--help");
    expect([code, output]).toEqual([0, expect.stringContaining("--password")]);
    expect(output).toMatch(/^Usage: lineside \w+ .*\n\n[A-Z]/);
    expect(output).toMatch(/ \(default: \w+\)\n/);
    expect(output).toContain(`\nExamples:\n\n  LINESIDE_API_KEY=lsk_… lineside ${command} `);
  }
});

test("a setup link is refused where no gateway keeps its data, rather than printed for nobody", async () => {
  const { code, output } = await run("setup-link", "--data", join(fixture.directory, "elsewhere"));
  expect([code, output]).toEqual([1, expect.stringContaining("--data")]);
});
