import { expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { remove, startGateway, temporaryDirectory } from "../bench/processes.ts";

interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}

const KEY = "7HK4-WQ2M";

test("a claiming request that was acknowledged, and a claim that was answered, outlive a kill", async () => {
  const directory = temporaryDirectory();
  let server = await startGateway(directory);
  try {
    let api = await server.signIn();
    const device = await api.post<Device>("/api/devices", { name: "Press 1", deviceType: "press" });
    const client = await connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: device.credentials.token,
      reconnectPeriod: 0,
    });
    client.on("error", () => undefined);
    const request = JSON.stringify({ secretKey: KEY, durationMs: 600_000 });
    await client.publishAsync("v1/devices/me/claim", request, { qos: 1 });
    await server.kill("SIGKILL");

    server = await startGateway(directory);
    api = await server.signIn();
    await api.post("/api/devices/claim", { deviceName: "Press 1", secretKey: KEY });
    await server.kill("SIGKILL");

    server = await startGateway(directory);
    api = await server.signIn();
    const claiming = await api.get<{ state: string }>(`/api/devices/${device.deviceId}/claiming`);
    expect(claiming.state).toBe("CLAIMED");
  } finally {
    await server.kill("SIGKILL");
    remove(directory);
  }
});
