import { expect, test } from "bun:test";
import { remove, startGateway, temporaryDirectory } from "../bench/processes.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver } from "../support/webhook-receiver.ts";

const ROUNDS = 3;
const DEVICES = 4;
/** Min. downlinks and commands acknowledged to their callers per round. */
const TAKEN_MIN = 8;

test("downlinks and commands that were taken outlive kills: the network server has each in the end, of every device in order", async () => {
  const directory = temporaryDirectory();
  const network = createWebhookReceiver();
  /** What the network server has taken, by device. */
  const queued = new Map<string, number[]>();
  let isDown = false;
  network.answer = ({ path, body }) => {
    if (isDown || Math.random() < 0.1) return new Response("{}", { status: 503 });
    const numbers = queued.get(path) ?? [];
    queued.set(path, numbers);
    numbers.push(Buffer.from(body.queueItem.data, "base64").readUInt32BE());
    return Response.json({ id: crypto.randomUUID() });
  };
  const start = () => startGateway(directory, ["--outbound-allow", "127.0.0.1"]);
  let server = await start();
  let api = await server.signIn();
  const { integrationId } = await api.post<{ integrationId: string }>("/api/integrations", {
    ...{ name: "network", type: "CHIRPSTACK", status: "active" },
    settings_json: { downlink: { url: network.url, apiKey: "k", fPort: 1 } },
  });
  const pathOf = (device: number) => `/api/devices/${device.toString(16).padStart(16, "0")}/queue`;
  /** Those of which the gateway said that it has them, by device. */
  const taken = new Map<string, number[]>();
  let next = 0;
  let isOver = false;

  /** Half of the devices are spoken to by downlinks, the others by commands. */
  async function speak(device: number): Promise<void> {
    const devEui = device.toString(16).padStart(16, "0");
    const isCommanded = device % 2 === 1;
    const created = isCommanded && { ...{ name: devEui, deviceType: "valve" }, lorawanDevEui: devEui };
    const deviceId = created && (await api.post<{ deviceId: string }>("/api/devices", created)).deviceId;
    const numbers: number[] = [];
    taken.set(pathOf(device), numbers);
    while (!isOver) {
      const number = next++;
      const hex = number.toString(16).padStart(8, "0");
      const asked = api;
      try {
        if (isCommanded) await Bun.sleep(10); // a command does not wait for the network server
        if (isCommanded)
          await asked.post(`/api/devices/${deviceId}/commands`, { method: "downlink", params: { hex } });
        else await asked.post(`/api/integrations/${integrationId}/downlink`, { devEui, hex });
        numbers.push(number);
      } catch {
        await Bun.sleep(20); // it was killed, and nobody knows of this one; or there are too many
      }
    }
  }

  const speakers = Array.from({ length: DEVICES }, (_, device) => speak(device));
  const count = () => [...taken.values()].flat().length;
  for (let round = 0; round < ROUNDS; round++) {
    const wanted = count() + TAKEN_MIN;
    isDown = round === 1;
    await until(() => count() >= wanted);
    await server.kill("SIGKILL");
    server = await start();
    api = await server.signIn();
  }
  isOver = true;
  isDown = false;
  await Promise.all(speakers);
  const isIn = ([path, numbers]: [string, number[]]) => {
    const there = new Set(queued.get(path));
    return numbers.every((number) => there.has(number));
  };
  await until(() => [...taken].every(isIn));
  for (const [path, numbers] of taken) {
    const order = numbers.map((number) => queued.get(path)?.indexOf(number) ?? -1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
  await server.kill("SIGTERM");
  await network.stop();
  remove(directory);
});
