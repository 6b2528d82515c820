import { connectAsync, type MqttClient } from "mqtt";
import type { ApiClient } from "../../src/cli/api-client.ts";
import type { BenchDevice, Gateway } from "./processes.ts";

const FIRST_TS = Date.UTC(2026, 0, 1);
const STEP_MS = 1_000;
const ROWS = 20;
const LATE_SHARE = 0.15;
const CHANGE_SHARE = 0.1;
const DELETION_SHARE = 0.03;
const MQTT_WINDOW = 8;

export interface LoadOptions {
  readonly deletes: boolean;
  readonly changes: boolean;
  /** Whether some values are older than all values before them. */
  readonly late: boolean;
}

/** Writes new values, late ones, values in the place of others, and deletions, until the gateway is gone or it is stopped. */
export class KillLoad {
  readonly #devices: readonly BenchDevice[];
  readonly #options: LoadOptions;
  /** Numbers the values in the order in which they are written. */
  #written = 0;
  /** Index of a device → rows that it has. */
  readonly #rows: number[];
  #running = false;

  constructor(devices: readonly BenchDevice[], options: LoadOptions) {
    this.#devices = devices;
    this.#options = options;
    this.#rows = devices.map(() => 0);
  }

  /** Rows that were written. */
  get written(): number {
    return this.#written;
  }

  /** Starts the load and returns a function that stops it. */
  async start(gateway: Gateway): Promise<() => Promise<void>> {
    this.#running = true;
    const api = await gateway.signIn();
    const [first, ...others] = this.#devices;
    const client = await connectAsync(`mqtt://127.0.0.1:${gateway.mqttPort}`, {
      username: first?.token ?? "",
      reconnectPeriod: 0,
    });
    client.on("error", () => undefined);
    const ended = Promise.allSettled([
      ...Array.from({ length: MQTT_WINDOW }, () => this.#publish(client)),
      ...others.map((device, index) => this.#post(gateway, api, { device, index: index + 1 })),
    ]);
    return async () => {
      this.#running = false;
      client.end(true);
      await ended;
    };
  }

  /** Writes a last value, by which an uplink that is up to date says so again. */
  async end({ url }: Gateway): Promise<void> {
    const body = JSON.stringify(this.#row(this.#next(0)));
    const headers = { "content-type": "application/json" };
    await fetch(`${url}/api/v1/${this.#devices[0]?.token}/telemetry`, { method: "POST", headers, body });
  }

  async #publish(client: MqttClient): Promise<void> {
    while (this.#running && client.connected)
      await Promise.race([
        client.publishAsync("v1/devices/me/telemetry", JSON.stringify(this.#row(this.#next(0))), { qos: 1 }),
        Bun.sleep(1_000), // a publish of a connection that has ended does not settle
      ]);
  }

  async #post(
    gateway: Gateway,
    api: ApiClient,
    { device, index }: { device: BenchDevice; index: number },
  ): Promise<void> {
    while (this.#running) {
      const chance = Math.random();
      const count = this.#rows[index] ?? 0;
      if (this.#options.deletes && chance < DELETION_SHARE) await this.#delete(api, device, count);
      const items = Array.from({ length: ROWS }, () => {
        const { ts, values } = this.#row(this.#timeOf(index, chance));
        return { ts, telemetry: values };
      });
      const response = await fetch(`${gateway.url}/api/v1/${device.token}/telemetry/batch`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ items }),
      });
      if (response.status !== 200) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  }

  async #delete(api: ApiClient, { deviceId }: BenchDevice, count: number): Promise<void> {
    const from = FIRST_TS + Math.floor(Math.random() * count) * STEP_MS;
    const to = from + Math.floor(Math.random() * 50) * STEP_MS;
    await api.delete(`/api/devices/${deviceId}/telemetry?from=${from}&to=${to}`);
  }

  #timeOf(index: number, chance: number): number {
    const earlier = FIRST_TS + Math.floor(Math.random() * (this.#rows[index] ?? 0)) * STEP_MS;
    const { changes, late } = this.#options;
    if (changes && chance < CHANGE_SHARE) return earlier;
    // Before all others, each at a time of its own.
    if (late && chance < CHANGE_SHARE + LATE_SHARE) return FIRST_TS - 1 - this.#written;
    return this.#next(index);
  }

  #next(index: number): number {
    const row = this.#rows[index] ?? 0;
    this.#rows[index] = row + 1;
    return FIRST_TS + row * STEP_MS;
  }

  #row(ts: number) {
    const n = this.#written++;
    return { ts, values: { n: n + 0.5, s: `value ${n}`, b: n % 2 === 0 } };
  }
}
