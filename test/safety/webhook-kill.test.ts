import { expect, test } from "bun:test";
import { join } from "node:path";
import { connectApi } from "../../src/cli/api-client.ts";
import { remove, temporaryDirectory } from "../../src/tools/bench/processes.ts";
import { freePort } from "../support/free-port.ts";
import { createWebhookReceiver } from "../support/webhook-receiver.ts";

const DEVICES = 5;
/** Seconds of the gateway that pass in a real one. */
const TIMES = 1_000;
const HOUR_MS = 3_600_000;
const begun = Date.now();

const passed = (simulatedMs: number) => Bun.sleep(simulatedMs / TIMES);

async function startFast(directory: string) {
  const child = Bun.spawn(
    [
      process.execPath,
      join(import.meta.dir, "webhook-kill-child.ts"),
      directory,
      String(begun),
      String(TIMES),
    ],
    { stdout: "pipe", stderr: "ignore" },
  );
  let text = "";
  for await (const part of child.stdout) {
    text += new TextDecoder().decode(part);
    if (text.includes("\n")) break;
  }
  const url = /ready (\S+)/.exec(text)?.[1] ?? "";
  return {
    url,
    signIn: () => connectApi({ url, email: "owner@plant.example", password: "a long enough password 7" }),
    async kill() {
      child.kill("SIGKILL");
      await child.exited;
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
        const answer = await sent.catch(() => undefined);
        if (answer === undefined) return;
        if (answer.status === 200) device.acknowledged = device.next++;
        await Bun.sleep(15);
      }
    }),
  );
}

test("a target is down for an hour and the gateway is killed twice meanwhile: everything acknowledged arrives, in order per device", async () => {
  const directory = temporaryDirectory();
  const port = await freePort();
  let gateway = await startFast(directory);
  const api = await gateway.signIn();
  const steps = [
    { type: "webhook_forward", url: `http://127.0.0.1:${port}/`, secret: "s", timeoutMs: 60_000 },
  ];
  const { pipelineId } = await api.post<{ pipelineId: string }>("/api/data-pipelines", { name: "p", steps });
  await api.post(`/api/data-pipelines/${pipelineId}/start`, {});
  const devices: Reporter[] = [];
  for (let name = 0; name < DEVICES; name++) {
    const made = await api.post<{ credentials: { token: string } }>("/api/devices", {
      name: `d${name}`,
      deviceType: "t",
    });
    devices.push({ name, token: made.credentials.token, next: 0, acknowledged: -1 });
  }

  for (let kill = 0; kill < 3; kill++) {
    const stop = new AbortController();
    const reporting = report(gateway.url, devices, stop.signal);
    await passed(HOUR_MS / 3);
    if (kill === 2) stop.abort();
    else {
      await gateway.kill(); // in the middle of whatever it does
      gateway = await startFast(directory);
    }
    await reporting;
  }

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
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline && last().some((n, index) => n < (devices[index]?.acknowledged ?? 0)))
    await Bun.sleep(20);
  for (const { name, acknowledged } of devices) {
    expect(acknowledged).toBeGreaterThan(20);
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
}, 60_000);
