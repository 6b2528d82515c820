import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { connectApi } from "../../src/cli/api-client.ts";
import { remove, temporaryDirectory } from "../bench/processes.ts";
import { freePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { createWebhookReceiver } from "../support/webhook-receiver.ts";

const DEVICES = 5;
/** Messages of a device that are acknowledged in each life of the gateway, at the least. */
const PER_LIFETIME = 10;
const HOUR_MS = 3_600_000;
/** Seconds of the gateway that pass in a real one. */
const FAST = 1_500;
const WALL_BEGUN = Date.parse("2026-03-01T00:00:00Z");

/** What the gateway's time has come to over all of its lives. */
let passedMs = 0;

const running = new Set<{ kill(signal: number): void }>();
afterAll(() => {
  for (const child of running) child.kill(9);
});

async function start(directory: string, times: number) {
  const wall = String(WALL_BEGUN + passedMs);
  const begun = performance.now();
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "webhook-kill-child.ts"), directory, wall, String(times)],
    { stdout: "pipe", stderr: "ignore" },
  );
  running.add(child);
  let text = "";
  for await (const part of child.stdout) {
    text += new TextDecoder().decode(part);
    if (text.includes("\n")) break;
  }
  return {
    url: /ready (\S+)/.exec(text)?.[1] ?? "",
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
      running.delete(child);
      passedMs += Math.ceil((performance.now() - begun) * times);
    },
  };
}

interface Reporter {
  readonly name: number;
  readonly token: string;
  /** The number of its next message, and how many were acknowledged. */
  next: number;
  acknowledged: number;
}

/** Each device reports, one message after the other, until it is told to stop or the gateway is gone; what got no answer goes again. */
function report(url: string, devices: readonly Reporter[], signal: AbortSignal): Promise<unknown> {
  return Promise.all(
    devices.map(async (device) => {
      while (!signal.aborted) {
        const body = JSON.stringify({ device: device.name, n: device.next });
        const sent = fetch(`${url}/api/v1/${device.token}/telemetry`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
        });
        const response = await sent.catch(() => undefined);
        if (response === undefined) return;
        if (response.status === 200) device.acknowledged = device.next++;
        await Bun.sleep(15);
      }
    }),
  );
}

test("a target is down for an hour and the gateway is killed twice meanwhile: everything acknowledged arrives, in order per device", async () => {
  const directory = temporaryDirectory();
  const port = await freePort();
  // Set up at the usual pace: the codes of a sign-in are good for a minute.
  let gateway = await start(directory, 1);
  const api = await connectApi({
    url: gateway.url,
    email: "owner@plant.example",
    password: "a long enough password 7",
  });
  const steps = [
    { type: "webhook_forward", url: `http://127.0.0.1:${port}/`, secret: "s", timeoutMs: 60_000 },
  ];
  const { pipelineId } = await api.post<{ pipelineId: string }>("/api/data-pipelines", { name: "p", steps });
  await api.post(`/api/data-pipelines/${pipelineId}/start`, {});
  const devices: Reporter[] = [];
  for (let name = 0; name < DEVICES; name++) {
    const created = await api.post<{ credentials: { token: string } }>("/api/devices", {
      name: `d${name}`,
      deviceType: "t",
    });
    devices.push({ name, token: created.credentials.token, next: 0, acknowledged: -1 });
  }
  await gateway.kill();

  // An hour in three lives; each but the last ends in the middle of whatever it does.
  for (let run = 0; run < 3; run++) {
    gateway = await start(directory, FAST);
    const stop = new AbortController();
    const reporting = report(gateway.url, devices, stop.signal);
    await Bun.sleep(HOUR_MS / 3 / FAST);
    const enough = PER_LIFETIME * (run + 1) - 1;
    await until(() => devices.every(({ acknowledged }) => acknowledged >= enough));
    if (run === 2) {
      stop.abort();
      await reporting;
    }
    await gateway.kill();
    await reporting;
  }
  expect(passedMs).toBeGreaterThanOrEqual(HOUR_MS);

  // The target is back, and the gateway is in less of a hurry: a minute's timeout must be long enough for a real answer.
  gateway = await start(directory, 100);
  const receiver = createWebhookReceiver(port);
  const last = () =>
    devices.map(({ name }) =>
      Math.max(
        -1,
        ...receiver.received
          .filter(({ body }) => body.telemetry.device === name)
          .map(({ body }) => body.telemetry.n),
      ),
    );
  await until(() => last().every((n, index) => n >= (devices[index]?.acknowledged ?? 0)));
  for (const { name, acknowledged } of devices) {
    expect(acknowledged).toBeGreaterThanOrEqual(3 * PER_LIFETIME - 1);
    const numbers: number[] = receiver.received
      .filter(({ body }) => body.telemetry.device === name)
      .map(({ body }) => body.telemetry.n);
    let newest = -1;
    // Again is possible, in the order in which it was; ahead of one that has not come yet is not.
    for (const n of numbers) {
      expect(n).toBeLessThanOrEqual(newest + 1);
      newest = Math.max(newest, n);
    }
    expect(newest).toBeGreaterThanOrEqual(acknowledged);
  }
  await receiver.stop();
  await gateway.kill();
  remove(directory);
});
