import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beginInventory } from "../../src/platform/files/inventory.ts";
import { createAuthority, createServerCertificate } from "../../src/platform/network/tls-certificates.ts";
import { createMosquitto, hasMosquitto } from "../support/mosquitto.ts";
import { until } from "../support/until.ts";
import { OWNER, type Running, send, signIn, start } from "./running-binary.ts";

/** The compiled program as a stranger starts it: alone, in an empty directory, with nothing of the project in reach. */

const dist = join(import.meta.dir, "..", "..", "dist");
const binaries = [
  { name: "linux-x64", command: [join(dist, "lineside-linux-x64")], native: process.arch === "x64" },
  {
    name: "linux-arm64",
    command:
      process.arch === "arm64"
        ? [join(dist, "lineside-linux-arm64")]
        : ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", join(dist, "lineside-linux-arm64")],
    native: process.arch === "arm64",
  },
];

for (const { name, command, native } of binaries)
  describe(`the binary for ${name}`, () => {
    let directory: string;
    let running: Running;
    let device: { deviceId: string; credentials: { token: string } };

    let authority: Awaited<ReturnType<typeof createAuthority>>;
    let authorityFile: string;

    beforeAll(async () => {
      authority = await createAuthority(Date.now(), "site");
      authorityFile = join(await mkdtemp(join(tmpdir(), "lineside-authority-")), "ca.pem");
      await Bun.write(authorityFile, authority.cert);
      directory = await mkdtemp(join(tmpdir(), "lineside-binary-"));
      // Traps of a compiled program: neither of these may be read.
      await Bun.write(join(directory, ".env"), "LINESIDE_HTTP_PORT=1\n");
      await Bun.write(join(directory, "bunfig.toml"), 'preload = ["./nothing-here.ts"]\n');
      running = await start(command, directory, {
        ...OWNER,
        LINESIDE_OUTBOUND_ALLOW: "127.0.0.1",
        LINESIDE_OUTBOUND_CA: authorityFile,
        LINESIDE_LOG_LEVEL: "debug",
        LINESIDE_HTTP_FIRST_REQUEST_TIMEOUT_MS: "500",
      });
    });
    afterAll(async () => {
      await running?.stop();
      await rm(directory, { recursive: true, force: true });
      await rm(dirname(authorityFile), { recursive: true, force: true });
    });

    test("serves the console, its compressed files and the API page from inside", async () => {
      const page = await fetch(`${running.url}/`);
      expect(page.headers.get("content-security-policy")).toContain("default-src 'self'");
      const script = /src="([^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
      const file = await fetch(new URL(script, running.url), {
        headers: { "accept-encoding": "br" },
        decompress: false,
      });
      expect([file.status, file.headers.get("content-encoding")]).toEqual([200, "br"]);
      for (const encoding of ["gzip", "identity"]) {
        const bundle = `${running.url}/docs/swagger-ui-bundle.js`;
        const response = await fetch(bundle, { headers: { "accept-encoding": encoding } });
        expect(response.headers.get("content-encoding")).toBe(encoding === "gzip" ? "gzip" : null);
        expect(await response.text()).toContain("SwaggerUIBundle");
      }
      expect((await send(running.url, "/docs/json")).body.paths["/api/devices"]).toBeDefined();
    });

    test("unpacks its files for whoever takes nothing compressed", async () => {
      for (const path of ["/", "/manual.en.json"]) {
        const response = await fetch(`${running.url}${path}`, { headers: { "accept-encoding": "identity" } });
        expect([response.status, response.headers.get("content-encoding")]).toEqual([200, null]);
        expect((await response.text()).length).toBeGreaterThan(300);
      }
    });

    test("takes telemetry by MQTT and HTTP and answers with it", async () => {
      const token = await signIn(running.url);
      device = (
        await send(running.url, "/api/devices", { token, body: { name: "first", deviceType: "sensor" } })
      ).body;
      const published = Bun.spawnSync([
        "mosquitto_pub",
        "-h",
        "127.0.0.1",
        "-p",
        String(running.mqttPort),
        "-u",
        device.credentials.token,
        "-q",
        "1",
        "-t",
        "v1/devices/me/telemetry",
        "-m",
        '{"ts":1767225600000,"values":{"temperature":21.5}}',
      ]);
      expect(published.exitCode).toBe(0);
      expect(
        (
          await send(running.url, `/api/v1/${device.credentials.token}/telemetry`, {
            body: { payload: { humidity: 40 } },
          })
        ).status,
      ).toBe(200);
      const { body } = await send(running.url, `/api/devices/${device.deviceId}/telemetry/latest`, { token });
      expect(body.values).toEqual({ temperature: 21.5, humidity: 40 });
    });

    test("makes a certificate that clients check, and speaks TLS", async () => {
      const ca = join(directory, "ca.pem");
      await Bun.write(ca, await (await fetch(`${running.url}/api/v1/connectivity/ca.pem`)).text());
      const { body } = await send(running.url, "/api/v1/connectivity/catalog");
      const urlOf = (id: string): string =>
        body.transports.find((transport: { id: string }) => transport.id === id).url;
      const https = new URL("/healthz", urlOf("https").replace(/[{}]/g, "")).href;
      expect((await fetch(https, { tls: { ca: Bun.file(ca) } })).status).toBe(200);
      const port = /:(\d+)$/.exec(urlOf("mqtts"))?.[1] ?? "";
      const published = Bun.spawnSync([
        "mosquitto_pub",
        ...["--cafile", ca, "-h", "127.0.0.1", "-p", port, "-u", device.credentials.token],
        ...["-q", "1", "-t", "v1/devices/me/telemetry", "-m", '{"ts":1767225600000,"temperature":21.5}'],
      ]);
      expect(published.exitCode).toBe(0);
      await rm(ca);
    });

    // Elsewhere the system does not know how to start this program's own processes.
    test.if(native)("runs scripts in a process of its own", async () => {
      const token = await signIn(running.url);
      const source =
        "function decodeUplink(i) { return { data: { hex: Buffer.from(i.bytes).toString('hex') } }; }";
      const trial = { source, frame: "00 d7" };
      const { body } = await send(running.url, "/api/integrations/codecs/preview", { token, body: trial });
      expect([body.error, body.result]).toEqual([null, { hex: "00d7" }]);
      const endless = { source: "new Array(1e9).join('x')" };
      const ended = await send(running.url, "/api/integrations/codecs/preview", { token, body: endless });
      expect(ended.body.error.code).toBe("script.overrun");
    });

    // Emulated, the program would look at the descriptors of its emulator.
    test.if(native)("closes a connection whose first request stays incomplete", async () => {
      const closed = Promise.withResolvers<void>();
      await Bun.connect({
        hostname: "127.0.0.1",
        port: Number(new URL(running.url).port),
        socket: {
          open: (socket) => void socket.write("GET / HTTP/1.1\r\n"),
          data: () => undefined,
          close: () => closed.resolve(),
        },
      });
      await closed.promise;
      await until(() => running.output().includes("http connections were closed"));
    });

    test("sends to an HTTPS server only under the name in its certificate, and follows no redirect", async () => {
      const { cert, key } = await createServerCertificate(
        authority,
        { dns: ["localhost"], ip: [] },
        Date.now(),
      );
      const paths: string[] = [];
      const server = Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        tls: { cert, key },
        fetch(request) {
          const { host, pathname } = new URL(request.url);
          paths.push(`${host}${pathname}`);
          return pathname === "/moved"
            ? new Response(null, { status: 302, headers: { location: "/hook" } })
            : new Response("taken");
        },
      });
      const token = await signIn(running.url);
      const { body: user } = await send(running.url, "/api/auth/me", { token });
      await send(running.url, `/api/users/${user.userId}`, {
        method: "PATCH",
        token,
        body: { notificationPhone: "+49 170 1" },
      });
      const outcomeAt = async (url: string) => {
        const messaging = { url, headers: {}, body: "{}" };
        const options = { method: "PATCH", token, body: { messaging } };
        await send(running.url, "/api/notifications/settings", options);
        return (await send(running.url, "/api/notifications/test", { token, body: { channel: "messaging" } }))
          .body;
      };
      const port = server.port;
      expect(await outcomeAt(`https://localhost:${port}/hook`)).toMatchObject({ success: true, status: 200 });
      expect(await outcomeAt(`https://localhost:${port}/moved`)).toMatchObject({ status: 302 });
      expect(await outcomeAt(`https://127.0.0.1:${port}/hook`)).toMatchObject({
        success: false,
        message: expect.stringContaining("altname"),
      });
      expect(paths).toEqual([`localhost:${port}/hook`, `localhost:${port}/moved`]);
      await server.stop(true);
    });

    test.skipIf(!hasMosquitto)("fetches from another broker", async () => {
      const token = await signIn(running.url);
      const broker = await createMosquitto();
      const { body: created } = await send(running.url, "/api/integrations", {
        token,
        body: {
          name: "hall",
          type: "MQTT",
          status: "active",
          settings_json: {
            autoCreateDevice: true,
            mqtt: {
              brokerUrl: `mqtt://127.0.0.1:${broker.port}`,
              topicFilter: "hall/#",
              topicDeviceRegex: "^hall/([^/]+)",
            },
          },
        },
      });
      const ask = async (path: string) => (await send(running.url, path, { token })).body;
      await until(
        async () => (await ask(`/api/integrations/${created.integrationId}`)).bridge?.status === "connected",
      );
      const client = await broker.client();
      await client.publishAsync("hall/press-1/up", '{"force":12}', { qos: 1 });
      let found: { deviceId: string }[] = [];
      while (found.length === 0) found = await ask("/api/devices?search=press-1");
      const { values } = await ask(`/api/devices/${found[0]?.deviceId}/telemetry/latest`);
      expect(values).toEqual({ force: 12 });
      await send(running.url, `/api/integrations/${created.integrationId}/pause`, { token, body: {} });
      await broker.stop();
    });

    test("ends in order and has everything after a restart", async () => {
      expect(await running.stop()).toBe(0);
      running = await start(command, directory, {});
      expect(running.output()).not.toContain("/setup?token=");
      const token = await signIn(running.url);
      const { body } = await send(running.url, `/api/devices/${device.deviceId}/telemetry/latest`, { token });
      expect(body.values).toEqual({ temperature: 21.5, humidity: 40 });
      expect((await readdir(directory)).sort()).toEqual([".env", "bunfig.toml", "data"]);
    });
  });

describe("what goes wrong at the start is one sentence and an exit code", () => {
  const binary = binaries.find((candidate) => candidate.native)?.command ?? [];
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "lineside-binary-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  function run(args: readonly string[]) {
    const { exitCode, stderr } = Bun.spawnSync([...binary, ...args], {
      cwd: directory,
      env: { PATH: process.env.PATH ?? "" },
    });
    return {
      exitCode,
      lines: stderr
        .toString()
        .trim()
        .split("\n")
        .filter((line) => !line.includes(" INFO ")),
    };
  }

  test("a port in use", async () => {
    const taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    for (const kind of ["http", "mqtt"]) {
      const ports =
        kind === "http"
          ? ["--http-port", String(taken.port), "--mqtt-port", "0"]
          : ["--mqtt-port", String(taken.port), "--http-port", "0"];
      const { exitCode, lines } = run([
        "serve",
        "--http-host",
        "127.0.0.1",
        "--mqtt-host",
        "127.0.0.1",
        ...ports,
      ]);
      expect([exitCode, lines.length]).toEqual([1, 1]);
      expect(lines[0]).toContain(String(taken.port));
    }
    taken.stop(true);
  });

  test("a data directory that cannot be written", () => {
    const { exitCode, lines } = run(["serve", "--data", "/proc/lineside"]);
    expect([exitCode, lines.length]).toEqual([1, 1]);
    expect(lines[0]).toContain("cannot be written");
  });

  test("a database of a newer version", async () => {
    const { Database } = await import("bun:sqlite");
    run(["serve", "--data", "newer", "--http-port", "99999"]);
    for (const [file, statement] of [
      [
        "lineside.db",
        "CREATE TABLE __drizzle_migrations (id INTEGER PRIMARY KEY, hash text, created_at numeric); INSERT INTO __drizzle_migrations VALUES (1, 'x', 99999999999999)",
      ],
      ["telemetry.db", "PRAGMA user_version = 9999"],
      ["mqtt.db", "PRAGMA user_version = 9999"],
    ] as const) {
      const data = join(directory, `newer-${file}`);
      beginInventory(data);
      const sqlite = new Database(join(data, file), { create: true });
      sqlite.run(statement);
      sqlite.close();
      const { exitCode, lines } = run(["serve", "--data", data, "--http-port", "0", "--mqtt-port", "0"]);
      expect([exitCode, lines.length]).toEqual([1, 1]);
      expect(lines[0]).toContain("newer");
    }
  });

  test("every mistake in the configuration at once", () => {
    const { exitCode, lines } = run(["serve", "--http-port", "99999", "--log-level", "loud"]);
    expect(exitCode).toBe(78);
    expect(lines.length).toBe(3);
  });
});
