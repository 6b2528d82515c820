import { expect, test } from "bun:test";
import { connect, type TLSSocket } from "node:tls";
import { connectAsync } from "mqtt";
import { TLS_STRANGERS_MAX } from "../../src/mqtt/mqtt-server.ts";
import { createTestApp } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const BEYOND = 20;

test("the oldest TLS connections of an address that have not signed in are closed, and no clients", async () => {
  const fixture = await createTestApp({ config: { tls: "auto", mqtt_connect_timeout_ms: 60_000 } });
  const port = fixture.app.tlsPorts.mqtt;
  const { token: owner } = await fixture.signIn("TENANT_OWNER");
  const strangers: TLSSocket[] = [];
  try {
    const { token } = await fixture.createDevice(owner);
    const device = await connectAsync(`mqtts://127.0.0.1:${port}`, {
      username: token,
      rejectUnauthorized: false,
      reconnectPeriod: 0,
    });
    let closed = 0;
    for (let count = 0; count < TLS_STRANGERS_MAX + BEYOND; count++) {
      const stranger = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
      stranger.on("error", () => undefined);
      stranger.on("close", () => closed++);
      strangers.push(stranger);
    }
    const secure = () => strangers.filter((stranger) => stranger.getProtocol() === "TLSv1.3").length;
    await until(() => closed >= BEYOND && secure() >= TLS_STRANGERS_MAX);
    expect(closed).toBe(BEYOND);
    expect(strangers.slice(0, BEYOND).every(({ destroyed }) => destroyed)).toBe(true);
    await device.publishAsync("v1/devices/me/telemetry", '{"a":1}', { qos: 1 });
    await device.endAsync();
  } finally {
    for (const stranger of strangers) stranger.destroy();
    await fixture.stop();
  }
});
