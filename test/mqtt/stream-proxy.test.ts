// MQTT with TLS through nginx as a TCP proxy, configured as docs/proxy.md says.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectAsync, type IClientOptions } from "mqtt";
import { freePort } from "../support/free-port.ts";
import { documented, findProxy, replaced } from "../support/reverse-proxy.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const MODULE = "/usr/lib/nginx/modules/ngx_stream_module.so";
const nginx = findProxy("nginx");
const isMissing = nginx === null || !existsSync(MODULE);
if (isMissing && process.env.CI) throw new Error("nginx and its stream module must be installed in CI");

describe.skipIf(isMissing)("MQTT through nginx as a TCP proxy", () => {
  const home = mkdtempSync(join(tmpdir(), "lineside-stream-"));
  const file = (name: string) => join(home, name);
  let fixture: TestApp;
  let owner: string;
  let proxy: Bun.Subprocess;
  let url: string;
  let ca: string;

  beforeAll(async () => {
    fixture = await createTestApp({ config: { tls: "auto" } });
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    ca = (await fixture.call("GET", "/api/v1/connectivity/ca.pem")).text;
    const port = await freePort();
    const stream = replaced(documented("nginx-stream"), {
      "listen 8883": `listen 127.0.0.1:${port}`,
      "127.0.0.1:8884": `127.0.0.1:${fixture.app.tlsPorts.mqtt}`,
    });
    const own = `daemon off; master_process off; pid ${file("pid")}; error_log stderr;\nevents {}`;
    writeFileSync(file("nginx.conf"), `load_module ${MODULE};\n${own}\n${stream}`);
    proxy = Bun.spawn([nginx ?? "", "-p", home, "-e", "stderr", "-c", file("nginx.conf")], {
      stdio: ["ignore", "ignore", "ignore"],
    });
    url = `mqtts://localhost:${port}`;
    await until(async () => {
      if (proxy.exitCode !== null) throw new Error("nginx ended");
      const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).catch(
        () => null,
      );
      socket?.end();
      return socket !== null;
    });
  });
  afterAll(async () => {
    proxy.kill();
    await proxy.exited;
    await fixture.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function send(value: number, options: IClientOptions): Promise<void> {
    const client = await connectAsync(url, { ca, reconnectPeriod: 0, ...options });
    await client.publishAsync("v1/devices/me/telemetry", JSON.stringify({ value }), { qos: 1 });
    await client.endAsync();
  }
  const latest = async (deviceId: string) =>
    (await fixture.call("GET", `/api/devices/${deviceId}/telemetry/latest`, { token: owner })).body.values;

  test("a device signs in by its token, and checks the certificate of the gateway", async () => {
    const { deviceId, token } = await fixture.createDevice(owner);
    await send(1, { username: token });
    expect(await latest(deviceId)).toEqual({ value: 1 });
  });

  test("a device signs in by its certificate, because nginx does not end TLS", async () => {
    const { deviceId } = await fixture.createDevice(owner);
    const openssl = Bun.spawnSync([
      ...["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"],
      ...["-subj", "/CN=device", "-keyout", file("key.pem"), "-out", file("cert.pem"), "-days", "30"],
    ]);
    expect(openssl.exitCode).toBe(0);
    const [key, cert] = [readFileSync(file("key.pem")), readFileSync(file("cert.pem"))];
    const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(":", "").toLowerCase();
    const path = `/api/devices/${deviceId}/credentials`;
    await fixture.call("PUT", path, { token: owner, body: { type: "X509", fingerprint } });
    await send(2, { key, cert });
    expect(await latest(deviceId)).toEqual({ value: 2 });
  });
});
