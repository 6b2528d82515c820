import { expect, test } from "bun:test";
import { connectAsync } from "mqtt";
import { type Gateway, remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { until } from "../support/until.ts";

interface Device {
  readonly deviceId: string;
  readonly credentials: { readonly token: string };
}
interface Command {
  readonly commandId: string;
  readonly method: string;
  readonly status: string;
  readonly attempts: number;
  readonly response: unknown;
}

const FILTER = "v1/devices/me/rpc/request/+";

/** Connects, takes the commands that come until `count` are there, and answers them if it should. */
async function take(server: Gateway, device: Device, count: number, isResponseing = true) {
  const client = await connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
    username: device.credentials.token,
    reconnectPeriod: 0,
  });
  client.on("error", () => undefined);
  const taken: Array<{ topic: string; method: string }> = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  client.on("message", (topic, payload) => {
    taken.push({ topic, method: JSON.parse(payload.toString()).method });
    if (taken.length === count) resolve();
  });
  await client.subscribeAsync(FILTER, { qos: 1 });
  await promise;
  if (isResponseing)
    for (const { topic, method } of taken)
      await client.publishAsync(topic.replace("request", "response"), JSON.stringify({ did: method }), {
        qos: 1,
      });
  return { taken, client };
}

const history = async (server: Gateway, device: Device) =>
  (await (await server.signIn()).get<Command[]>(`/api/devices/${device.deviceId}/commands`)).toReversed();

test("commands to a device that is away outlive a kill: each delivered once, acknowledged, its history right", async () => {
  const directory = temporaryDirectory();
  let server = await startGateway(directory);
  const api = await server.signIn();
  const device = await api.post<Device>("/api/devices", { name: "valve", deviceType: "valve" });
  const path = `/api/devices/${device.deviceId}/commands`;
  const methods = Array.from({ length: 5 }, (_, index) => `step${index}`);
  for (const method of methods) await api.post(path, { method });

  await server.kill("SIGKILL");
  server = await startGateway(directory);
  expect((await history(server, device)).map(({ status }) => status)).toEqual(methods.map(() => "QUEUED"));
  const first = await take(server, device, methods.length);
  expect(first.taken.map(({ method }) => method)).toEqual(methods);
  await first.client.endAsync();

  // What was answered stays so, and is not sent again.
  await server.kill("SIGKILL");
  server = await startGateway(directory);
  const done = await history(server, device);
  expect(
    done.map(({ method, status, attempts, response }) => ({ method, status, attempts, response })),
  ).toEqual(
    methods.map((method) => ({ method, status: "SUCCESSFUL", attempts: 1, response: { did: method } })),
  );
  await (await server.signIn()).post(path, { method: "last" });
  const second = await take(server, device, 1);
  expect(second.taken.map(({ method }) => method)).toEqual(["last"]);
  await second.client.endAsync();
  await server.kill("SIGTERM");
  remove(directory);
});

test("a command that was delivered and not yet answered when the server was killed can still be answered", async () => {
  const directory = temporaryDirectory();
  let server = await startGateway(directory);
  const api = await server.signIn();
  const device = await api.post<Device>("/api/devices", { name: "slow", deviceType: "valve" });
  const path = `/api/devices/${device.deviceId}/commands`;
  await api.post(path, { method: "move" });
  const { taken, client } = await take(server, device, 1, false);
  await until(async () => (await history(server, device))[0]?.status === "DELIVERED");
  await server.kill("SIGKILL");
  client.end(true);
  server = await startGateway(directory);
  const again = await connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
    username: device.credentials.token,
    reconnectPeriod: 0,
  });
  const topic = taken[0]?.topic.replace("request", "response") ?? "";
  await again.publishAsync(topic, '{"position":7}', { qos: 1 });
  expect((await history(server, device))[0]).toMatchObject({
    status: "SUCCESSFUL",
    attempts: 1,
    response: { position: 7 },
  });
  await again.endAsync();
  await server.kill("SIGTERM");
  remove(directory);
});
