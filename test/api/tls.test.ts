import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { connectAsync, type IClientOptions } from "mqtt";
import { FakeClock } from "../support/fake-clock.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const openssl = Bun.which("openssl");
if (openssl === null && process.env.CI) throw new Error("openssl must be installed in CI");

async function run(command: string, ...args: string[]) {
  const child = Bun.spawn([command, ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { out, errors, code };
}

const home = mkdtempSync(join(tmpdir(), "lineside-tls-"));
const file = (name: string) => join(home, name);
const text = (name: string) => readFileSync(file(name), "utf8");
/** A certificate that signs itself, as a device may make one. */
const selfSigned = (name: string) =>
  run(
    "openssl",
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
    ...["-subj", `/CN=${name}`, "-keyout", file(`${name}.key`), "-out", file(`${name}.pem`)],
    ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-days", "30"],
  );

/** A certificate whose time is over. */
async function createEndedCertificate(): Promise<void> {
  await import("reflect-metadata");
  const x509 = await import("@peculiar/x509");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=ended",
    notBefore: new Date("2020-01-01"),
    notAfter: new Date("2020-02-01"),
    keys,
    signingAlgorithm: algorithm,
  });
  const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  writeFileSync(file("ended.pem"), certificate.toString("pem"));
  writeFileSync(file("ended.key"), `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`);
}

let fixture: TestApp;
let owner: string;
let ca: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp({ config: { tls: "auto" } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
  ca = (await fixture.call("GET", "/api/v1/connectivity/ca.pem")).text;
  writeFileSync(file("ca.pem"), ca);
  if (openssl !== null) for (const name of ["one", "two", "rsa"]) await selfSigned(name);
  await createEndedCertificate();
});
afterAll(async () => {
  await fixture.stop();
  rmSync(home, { recursive: true, force: true });
});

const mqtts = () => `mqtts://localhost:${fixture.app.tlsPorts.mqtt}`;
const latest = async ({ deviceId }: { deviceId: string }) =>
  (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: owner })).body.values;

async function codeOf(options: IClientOptions, url = mqtts()): Promise<unknown> {
  try {
    const client = await connectAsync(url, { reconnectPeriod: 0, protocolVersion: 5, ca, ...options });
    await client.publishAsync("v1/devices/me/telemetry", '{"over":"tls"}', { qos: 1 });
    await client.endAsync();
    return 0;
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}

/** The certificate that a port shows. */
function shownBy(port: number | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connectTls(
      { port: port ?? 0, host: "localhost", rejectUnauthorized: false },
      () => {
        resolve(socket.getPeerCertificate().subject.CN as string);
        socket.destroy();
      },
    );
    socket.on("error", reject);
  });
}

describe("with a certificate of the gateway's own", () => {
  test("the authority is public, signs nothing but servers, and its key is the owner's of the machine alone", () => {
    const authority = new X509Certificate(ca);
    expect(authority.ca).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(Date.parse(authority.validTo) - Date.now()).toBeGreaterThan(19 * 365 * 86_400_000);
    expect(ca).not.toContain("PRIVATE");
    for (const name of ["tls-ca.key", "tls-ca.pem", "tls-server.key", "tls-server.pem"])
      expect(statSync(join(fixture.directory, "secrets", name)).mode & 0o777).toBe(0o600);
    const server = new X509Certificate(
      readFileSync(join(fixture.directory, "secrets", "tls-server.pem"), "utf8"),
    );
    expect(server.checkIssued(authority)).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkHost("localhost")).toBe("localhost");
    for (const address of ["127.0.0.1", "::1"]) expect(server.checkIP(address)).toBe(address);
    expect(Date.parse(server.validTo) - Date.now()).toBeLessThan(398 * 86_400_000);
  });

  test("mqtt.js over mqtts and wss, checking the certificate", async () => {
    expect(await codeOf({ username: device.token })).toBe(0);
    expect(await latest(device)).toMatchObject({ over: "tls" });
    expect(await codeOf({ username: device.token }, `mqtts://127.0.0.1:${fixture.app.tlsPorts.mqtt}`)).toBe(
      0,
    );
    const wss = `wss://localhost:${fixture.app.tlsPorts.https}/mqtt`;
    expect(await codeOf({ username: device.token }, wss)).toBe(0);
    expect(await codeOf({ username: "wrong" })).toBe(0x86);
  });

  test("a client that trusts somebody else does not connect", async () => {
    expect(await codeOf({ username: device.token, ca: text("one.pem") })).not.toBe(0);
  });

  test.skipIf(Bun.which("curl") === null)(
    "curl over HTTPS, and the console knows whom it talks to",
    async () => {
      const origin = `https://localhost:${fixture.app.tlsPorts.https}`;
      const sent = await run(
        "curl",
        ...["-sS", "--cacert", file("ca.pem"), "-H", "content-type: application/json"],
        ...["-d", '{"curl":1}', `${origin}/api/v1/${device.token}/telemetry`],
      );
      expect(sent).toMatchObject({ out: '{"success":true}', code: 0 });
      expect(await latest(device)).toMatchObject({ curl: 1 });
      const untrusting = await run("curl", "-sS", `${origin}/healthz`);
      expect(untrusting.code).toBe(60);
      const created = await run(
        "curl",
        ...["-sS", "--cacert", file("ca.pem"), "-H", `authorization: Bearer ${owner}`],
        ...["-H", "content-type: application/json", "-d", '{"name":"by https","deviceType":"t"}'],
        `${origin}/api/devices`,
      );
      expect(JSON.parse(created.out)).toMatchObject({ name: "by https" });
      const { body } = await fixture.call("GET", "/api/audit", { token: owner });
      expect(body[0]).toMatchObject({ action: "device.create", address: "127.0.0.1" });
    },
  );

  test.skipIf(Bun.which("mosquitto_pub") === null)("mosquitto_pub with --cafile", async () => {
    const publish = (...more: string[]) =>
      run(
        "mosquitto_pub",
        ...["--cafile", file("ca.pem"), "-h", "localhost", "-p", `${fixture.app.tlsPorts.mqtt}`],
        ...["-q", "1", "-t", "v1/devices/me/telemetry", "-m", '{"mosquitto":1}', ...more],
      );
    expect((await publish("-u", device.token)).code).toBe(0);
    expect(await latest(device)).toMatchObject({ mosquitto: 1 });
    expect((await publish("-u", "wrong")).code).not.toBe(0);
  });

  test("the catalog names the ways in with TLS", async () => {
    const { body } = await fixture.call("GET", "/api/v1/connectivity/catalog");
    const urls = Object.fromEntries(
      body.transports.map(({ id, url }: { id: string; url: string }) => [id, url]),
    );
    expect(urls.mqtts).toBe(`mqtts://127.0.0.1:${fixture.app.tlsPorts.mqtt}`);
    expect(urls.https).toStartWith(`https://127.0.0.1:${fixture.app.tlsPorts.https}/`);
  });
});

describe.skipIf(openssl === null)("a client certificate", () => {
  const set = (deviceId: string, body: unknown) =>
    fixture.call("PUT", `/api/devices/${deviceId}/credentials`, { token: owner, body });
  const shows = (name: string) => ({ cert: text(`${name}.pem`), key: text(`${name}.key`) });

  test("is its device's sign-in, with nothing else", async () => {
    const own = await fixture.createDevice(owner);
    const { status, body } = await set(own.deviceId, { type: "X509", certificate: text("one.pem") });
    expect(status).toBe(200);
    const fingerprint = new X509Certificate(text("one.pem")).fingerprint256.replaceAll(":", "").toLowerCase();
    expect(body).toEqual({ type: "X509", fingerprint, validTo: expect.any(String), confirmed: false });
    expect(await codeOf(shows("one"))).toBe(0);
    expect(await latest(own)).toMatchObject({ over: "tls" });
    expect(await codeOf(shows("two"))).toBe(0x86);
    expect(await codeOf({})).toBe(0x86);
    expect(await codeOf({ username: own.token })).toBe(0x86);
    if (Bun.which("mosquitto_pub") !== null) {
      const { code } = await run(
        "mosquitto_pub",
        ...["--cafile", file("ca.pem"), "--cert", file("one.pem"), "--key", file("one.key")],
        ...["-h", "localhost", "-p", `${fixture.app.tlsPorts.mqtt}`],
        ...["-q", "1", "-t", "v1/devices/me/telemetry", "-m", '{"by":"certificate"}'],
      );
      expect(code).toBe(0);
      expect(await latest(own)).toMatchObject({ by: "certificate" });
    }
    await set(own.deviceId, { type: "X509", certificate: text("two.pem") });
    expect(await codeOf(shows("one"))).toBe(0x86);
    expect(await codeOf(shows("two"))).toBe(0);
  });

  test("that nobody's is does not stand in the way of a token", async () => {
    expect(await codeOf({ ...shows("rsa"), username: device.token })).toBe(0);
  });

  test("that has ended is refused: 0x87, and 5 before MQTT 5", async () => {
    const own = await fixture.createDevice(owner);
    await set(own.deviceId, { type: "X509", certificate: text("ended.pem") });
    expect(await codeOf(shows("ended"))).toBe(0x87);
    expect(await codeOf({ ...shows("ended"), protocolVersion: 4 })).toBe(5);
  });

  test("without its key is worth nothing", async () => {
    const own = await fixture.createDevice(owner);
    await set(own.deviceId, { type: "X509", certificate: text("rsa.pem") });
    expect(await codeOf({ cert: text("rsa.pem"), key: text("one.key") })).not.toBe(0);
  });
});

test("half handshakes by the hundred hold up nobody, and are ended", async () => {
  const hostile = await createTestApp({
    config: { tls: "auto", mqtt_connect_timeout_ms: 500 },
  });
  try {
    const token = (await hostile.signIn("TENANT_OWNER")).token;
    const createdDevice = await hostile.createDevice(token);
    const authority = (await hostile.call("GET", "/api/v1/connectivity/ca.pem")).text;
    const ports = hostile.app.tlsPorts;
    let open = 0;
    // A ClientHello that breaks off, nothing at all, or plain MQTT.
    const heads = [
      Buffer.from("1603010200010001fc0303", "hex"),
      undefined,
      Buffer.from("100c00044d51", "hex"),
    ];
    for (let index = 0; index < 400; index++) {
      const head = heads[index % heads.length];
      const socket = await Bun.connect({
        hostname: "127.0.0.1",
        port: ports.mqtt ?? 0,
        socket: { data: () => undefined, error: () => undefined, close: () => void open-- },
      });
      open++;
      if (head !== undefined) socket.write(head);
    }
    const client = await connectAsync(`mqtts://localhost:${ports.mqtt}`, {
      username: createdDevice.token,
      ca: authority,
      reconnectPeriod: 0,
    });
    await client.publishAsync("v1/devices/me/telemetry", '{"a":1}', { qos: 1 });
    await until(() => open === 0, "the end of the hostile connections");
    await client.publishAsync("v1/devices/me/telemetry", '{"a":2}', { qos: 1 });
    await client.endAsync();
  } finally {
    await hostile.stop();
  }
});

describe.skipIf(openssl === null)("with the operator's files", () => {
  const copy = (name: string) => {
    writeFileSync(file("server.pem"), text(`${name}.pem`));
    writeFileSync(file("server.key"), text(`${name}.key`));
  };

  test("a new certificate is taken up without a restart, and who is connected stays", async () => {
    copy("one");
    const clock = new FakeClock(Date.now());
    const files = { tls: "files" as const, tls_cert: file("server.pem"), tls_key: file("server.key") };
    const app = await createTestApp({ clock, config: { ...files, tls_ca: file("one.pem") } });
    try {
      const token = (await app.signIn("TENANT_OWNER")).token;
      const createdDevice = await app.createDevice(token);
      const ports = app.app.tlsPorts;
      expect([await shownBy(ports.mqtt), await shownBy(ports.https)]).toEqual(["one", "one"]);
      expect((await app.call("GET", "/api/v1/connectivity/ca.pem")).text).toBe(text("one.pem"));
      const client = await connectAsync(`mqtts://localhost:${ports.mqtt}`, {
        username: createdDevice.token,
        rejectUnauthorized: false,
        reconnectPeriod: 0,
        keepalive: 0,
      });
      writeFileSync(file("server.pem"), text("two.pem"));
      clock.advance(10_000); // the key is still the old one's
      await Bun.sleep(5);
      expect([await shownBy(ports.mqtt), await shownBy(ports.https)]).toEqual(["one", "one"]);
      copy("two");
      clock.advance(10_000);
      const shown = async () => [await shownBy(ports.mqtt), await shownBy(ports.https)];
      await until(async () => `${await shown()}` === "two,two");
      expect(app.app.tlsPorts).toEqual(ports);
      await client.publishAsync("v1/devices/me/telemetry", '{"stayed":1}', { qos: 1 });
      await client.endAsync();
    } finally {
      await app.stop();
    }
  });

  test("files that do not go together, or are not there, stop the start with a sentence", async () => {
    copy("one");
    writeFileSync(file("server.key"), text("two.key"));
    const start = (tls_key: string) =>
      createTestApp({ config: { tls: "files", tls_cert: file("server.pem"), tls_key } });
    await expect(start(file("server.key"))).rejects.toThrow(/does not belong to the certificate/);
    await expect(start(file("missing.key"))).rejects.toThrow(/TLS certificate cannot be used/);
  });
});
