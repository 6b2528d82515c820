// A gateway without ports for plain HTTP and MQTT: who reaches it, and how.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync } from "mqtt";
import type { Config } from "../../src/platform/config/config.ts";
import { readGatewayAddress } from "../../src/platform/network/gateway-address.ts";
import { PROGRAM } from "../support/program.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const openssl = Bun.which("openssl");
if (openssl === null && process.env.CI) throw new Error("openssl must be installed in CI");

const home = mkdtempSync(join(tmpdir(), "lineside-tls-only-"));
const file = (name: string) => join(home, name);
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function cli(...args: string[]): Promise<[number, string]> {
  const child = Bun.spawn([...PROGRAM, ...args], {
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  return [await child.exited, out + errors];
}

function run(...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args]);
  if (exitCode !== 0) throw new Error(stderr.toString());
}

/** A certificate of an authority of its own, for another name than the commands use. */
function createCertificate(): void {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  run("req", "-x509", ...key, "-subj", "/CN=authority", "-keyout", file("ca.key"), "-out", file("ca.pem"));
  run("req", ...key, "-subj", "/CN=plant.example", "-keyout", file("own.key"), "-out", file("own.csr"));
  const signed = [
    "-CA",
    file("ca.pem"),
    "-CAkey",
    file("ca.key"),
    "-CAcreateserial",
    "-out",
    file("own.pem"),
  ];
  writeFileSync(file("names"), "subjectAltName=DNS:plant.example");
  run("x509", "-req", "-in", file("own.csr"), ...signed, "-extfile", file("names"));
}

const ways: [string, () => Partial<Config>][] = [
  ["a certificate of the gateway's own", () => ({ tls: "auto" })],
  [
    "a certificate of another authority and name",
    () => ({
      tls: "files",
      tls_cert: file("own.pem"),
      tls_key: file("own.key"),
      tls_ca: file("ca.pem"),
      public_url: "https://plant.example:8443",
    }),
  ],
];

describe.skipIf(openssl === null).each(ways)("a gateway with TLS only, and %s", (_, settings) => {
  let fixture: TestApp;
  let url: string;
  let ca: string;
  let token: string;
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      tls: { ca, checkServerIdentity: () => undefined },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };

  beforeAll(async () => {
    createCertificate();
    fixture = await createTestApp({ config: { http_port: "off", mqtt_port: "off", ...settings() } });
    const address = readGatewayAddress(fixture.directory);
    url = address?.url ?? "";
    ca = address?.certificate ?? "";
    token = (await fixture.signIn("TENANT_OWNER")).token;
  });
  afterAll(() => fixture.stop());

  test("writes its address and certificate for commands", async () => {
    const { https, mqtt } = fixture.app.tlsPorts;
    expect(url).toBe(`https://127.0.0.1:${https}`);
    expect(fixture.app.url).toBe(settings().public_url ?? url);
    expect(fixture.app.mqttPort).toBe(mqtt ?? 0);
    expect((await call("GET", "/readyz")).status).toBe(200);
  });

  test("answers the commands of this machine", async () => {
    expect(await cli("healthcheck", "--data", fixture.directory)).toEqual([0, "ready\n"]);
    const key = (await call("POST", "/api/api-keys", { name: "script", role: "TENANT_RW" })).body.key;
    const args = ["--data", fixture.directory, "--key", key];
    writeFileSync(file("readings.csv"), "ts,temperature\n1700000000000,21\n");
    const [code, output] = await cli("import", ...args, "--device", "press", file("readings.csv"));
    expect([code, output]).toEqual([0, expect.any(String)]);
    const bundle = await cli("support-bundle", "--data", fixture.directory, "--to", file("bundle.tar.gz"));
    expect(bundle).toEqual([0, expect.stringContaining("Saved: ")]);
    if (settings().public_url !== undefined) return; // MQTT would go there
    const simulated = await cli("simulate", ...args, "--devices", "1", "--history", "0", "--seconds", "1");
    expect(simulated).toEqual([0, expect.stringContaining("mqtts://127.0.0.1:")]);
  });

  test("refuses commands if another program has its place", async () => {
    const directory = mkdtempSync(join(home, "other-"));
    run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
      "-keyout", join(directory, "key"), "-out", join(directory, "pem"), "-addext", "subjectAltName=IP:127.0.0.1"); // biome-ignore format: one command
    const certificate = await Bun.file(join(directory, "pem")).text();
    writeFileSync(join(directory, "gateway.json"), JSON.stringify({ url, certificate }));
    expect(await cli("healthcheck", "--data", directory)).toEqual([
      1,
      `Nothing answers at ${url}. Start Lineside, or name its data directory with --data.\n`,
    ]);
  });

  test("lists the ways in that there are", async () => {
    const catalog = (await call("GET", "/api/v1/connectivity/catalog")).body.transports;
    const ids = catalog.map(({ id }: { id: string }) => id);
    expect(ids).not.toContain("mqtt");
    expect(ids).toContain("mqtts");
    expect(catalog.map((way: { url: string }) => new URL(way.url).protocol)).not.toContain("http:");
  });

  test("takes MQTT with TLS", async () => {
    const { body } = await call("POST", "/api/devices", { name: "press", deviceType: "press" });
    const client = await connectAsync(`mqtts://127.0.0.1:${fixture.app.tlsPorts.mqtt}`, {
      username: body.credentials.token,
      rejectUnauthorized: false,
      reconnectPeriod: 0,
    });
    await client.publishAsync("v1/devices/me/telemetry", '{"t":1}', { qos: 1 });
    await client.endAsync();
  });
});

test("plain ports may be for this machine, and those with TLS for others", async () => {
  const fixture = await createTestApp({
    config: { tls: "auto", http_host: "127.0.0.1", https_host: "127.0.0.2", mqtt_tls_host: "127.0.0.3" },
  });
  const { https, mqtt } = fixture.app.tlsPorts;
  const isOpen = (hostname: string, port: number | undefined) =>
    Bun.connect({ hostname, port: port ?? 0, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    );
  try {
    expect(await isOpen("127.0.0.2", https)).toBe(true);
    expect(await isOpen("127.0.0.1", https)).toBe(false);
    expect(await isOpen("127.0.0.3", mqtt)).toBe(true);
    expect(await isOpen("127.0.0.1", mqtt)).toBe(false);
    expect(readGatewayAddress(fixture.directory)).toEqual({ url: fixture.app.url });
    const { transports } = (await fixture.call("GET", "/api/v1/connectivity/catalog")).body;
    expect(transports.map(({ id }: { id: string }) => id)).not.toContain("mqtt");
  } finally {
    await fixture.stop();
  }
});
