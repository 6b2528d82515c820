import type { ApiClient } from "../../src/cli/api-client.ts";
import { FieldLog, type FieldTrial, fieldTrials, type Held, type Point, pointsOf } from "./field-peers.ts";
import {
  createDevices,
  type Gateway,
  remove,
  residentMb,
  startGateway,
  temporaryDirectory,
  untilIdle,
} from "./processes.ts";
import { fixed, type Row } from "./report.ts";

const INTERVAL_MS = 250;
/** A value that can be read for two intervals is read at least once. */
const READABLE_MS_MIN = 2 * INTERVAL_MS;
const WARMING_MESSAGES = 60;
const SETTLING_MS = 5_000;
/** Time between a read and its timestamp, above which the value is an invented one. */
const LAG_MS_MAX = 1_000;
const OUTAGE_MS = 12_000;
const LONG_OUTAGE_MS = 45_000;
const MEMORY_SECONDS = 5;
const BACK_MS_MAX = 5_000;
const BACK_MS_LIMIT = 90_000;

class Trial {
  readonly #directory = temporaryDirectory();
  readonly #log: FieldLog;
  readonly #rows: Row[] = [];
  #gateway!: Gateway;
  #api!: ApiClient;
  #peer!: Awaited<ReturnType<FieldTrial["start"]>>;
  #path = "";
  #readyAt = 0;
  #deviceId = "";

  constructor(readonly trial: FieldTrial) {
    this.#log = new FieldLog(trial);
  }

  async run(seconds: number, rounds: number): Promise<Row[]> {
    await this.#open();
    await this.#createDevice();
    const baseMb = await this.#connect();
    await Bun.sleep(SETTLING_MS);
    await this.#values(seconds, baseMb);
    await this.#outage("killed, and started again after 12 s", OUTAGE_MS, "killed");
    await this.#outage("killed, and started again after 45 s", LONG_OUTAGE_MS, "killed");
    await this.#outage("stopped for 12 s", OUTAGE_MS, "stopped");
    await this.#outage("stopped for 45 s", LONG_OUTAGE_MS, "stopped");
    await this.#outage("moved to another port", 0, "moved");
    await this.#kills(rounds);
    await this.#audit();
    await this.#log.pause();
    await this.#peer.kill();
    await this.#gateway.kill("SIGTERM");
    remove(this.#directory);
    return this.#rows;
  }

  #row(measure: string, value: string, goal = "–", met?: boolean): void {
    const row = { section: "Field protocols", measure: `${this.trial.name}: ${measure}`, value, goal, met };
    this.#rows.push(row);
    console.error(row.measure, row.value, met === false ? "(not met)" : "");
  }

  async #open(): Promise<void> {
    this.#gateway = await startGateway(this.#directory, ["--outbound-allow", "127.0.0.1"]);
    this.#readyAt = Date.now();
    this.#api = await this.#gateway.signIn();
  }

  async #launch(): Promise<void> {
    const launchedAt = Date.now();
    this.#peer = await this.trial.start();
    this.#log.begin(this.#peer, launchedAt);
  }

  /** Creates the device, and stores some values of it by HTTP, so that only what the protocol takes is above the base. */
  async #createDevice(): Promise<void> {
    const [device] = await createDevices(this.#api, 1, "trial");
    if (device === undefined) return;
    this.#deviceId = device.deviceId;
    const url = `${this.#gateway.url}/api/v1/${device.token}/telemetry`;
    for (let value = 0; value < WARMING_MESSAGES; value++) {
      await fetch(url, { method: "POST", body: JSON.stringify({ warming: value }) });
      await Bun.sleep(INTERVAL_MS);
    }
  }

  /** Resolves to the resident memory with a connection that is off, in MB. */
  async #connect(): Promise<number> {
    const { path, connection, entries, variables } = this.trial;
    await this.#launch();
    const { connectionId } = await this.#api.post<{ connectionId: string }>(path, {
      ...connection,
      name: "trial",
      enabled: false,
      host: "127.0.0.1",
      port: this.#peer.port,
    });
    this.#path = `${path}/${connectionId}`;
    await this.#api.post(`${this.#path}/units`, {
      deviceId: this.#deviceId,
      intervalMs: INTERVAL_MS,
      [entries]: variables.map(({ entry }) => entry),
    });
    await untilIdle(this.#gateway.pid);
    const baseMb = residentMb(this.#gateway.pid);
    await this.#api.patch(this.#path, { enabled: true });
    return baseMb;
  }

  /** Values of the peer that were stored, of those that it had for a whole interval. */
  async #values(seconds: number, baseMb: number): Promise<void> {
    const from = Date.now();
    // Later, values that are not in blocks yet take memory, whatever protocol they came by.
    const memorySeconds = Math.min(seconds, MEMORY_SECONDS);
    await Bun.sleep(memorySeconds * 1_000);
    const memoryMb = residentMb(this.#gateway.pid) - baseMb;
    await Bun.sleep((seconds - memorySeconds) * 1_000);
    const to = Date.now();
    const { memoryMbMax } = this.trial;
    this.#row(
      `memory above base after ${memorySeconds} s`,
      `${fixed(memoryMb, 1)} MB`,
      `≤ ${memoryMbMax} MB`,
      memoryMb <= memoryMbMax,
    );
    await Bun.sleep(2_000);
    let set = 0;
    let stored = 0;
    let brief = 0;
    for (const { entry } of this.trial.variables) {
      const points = await pointsOf(this.#api, this.#deviceId, entry.key, from);
      for (const held of this.#log.heldOf(entry.key).filter((each) => each.from >= from && each.from < to)) {
        const isStored = points.some(({ ts, value }) => value === held.value && isWithin(ts, held));
        // A busy machine stalls the peer, and then changes the value at once: no read can have found it.
        if (!isStored && this.#log.readableMs(held) < READABLE_MS_MIN) {
          brief++;
          continue;
        }
        set++;
        if (isStored) stored++;
        else {
          const near = points
            .filter(({ ts }) => Math.abs(ts - held.from) < 3_000)
            .map(({ ts, value }) => [ts - held.from, value]);
          console.error(
            this.trial.name,
            entry.key,
            held,
            held.until - held.since,
            "ms: was not stored, among",
            near,
          );
        }
      }
    }
    const more = brief === 0 ? "" : ` (${brief} others could be read for less than ${READABLE_MS_MIN} ms)`;
    this.#row("values stored, of those of the peer", `${stored} of ${set}${more}`, "all", stored === set);
  }

  async #outage(name: string, ms: number, how: "killed" | "stopped" | "moved"): Promise<void> {
    if (how === "stopped") this.#peer.signal("SIGSTOP");
    else {
      await this.#log.pause();
      await this.#peer.kill();
      this.#log.end();
    }
    const goneAt = Date.now();
    await Bun.sleep(ms);
    let backAt = Date.now();
    if (how === "stopped") this.#peer.signal("SIGCONT");
    else if (how === "killed") {
      const launchedAt = Date.now();
      await this.#peer.start();
      backAt = Date.now();
      this.#log.begin(this.#peer, launchedAt);
    } else {
      await this.#launch();
      backAt = Date.now();
      await this.#api.patch(this.#path, { port: this.#peer.port });
    }
    const backMs = await this.#untilValues(backAt);
    let inGap = 0;
    for (const { entry } of ms > 0 ? this.trial.variables : [])
      inGap += (await pointsOf(this.#api, this.#deviceId, entry.key, goneAt + INTERVAL_MS)).filter(
        ({ ts }) => ts < backAt - LAG_MS_MAX,
      ).length;
    if (ms > 0) this.#row(`${name}: values in the gap`, String(inGap), "0", inGap === 0);
    this.#row(
      `${name}: values are back after`,
      `${fixed(backMs / 1_000, 1)} s`,
      "≤ 5 s",
      backMs <= BACK_MS_MAX,
    );
    await Bun.sleep(SETTLING_MS);
  }

  /** Resolves to the time after which every variable has a new value. */
  async #untilValues(from: number): Promise<number> {
    let last = 0;
    for (const { entry } of this.trial.variables)
      for (;;) {
        const [first] = await pointsOf(this.#api, this.#deviceId, entry.key, from);
        last = Math.max(last, (first?.ts ?? Date.now()) - from);
        if (first !== undefined || last > BACK_MS_LIMIT) break;
        await Bun.sleep(50);
      }
    return last;
  }

  async #kills(rounds: number): Promise<void> {
    let slowest = 0;
    for (let round = 0; round < rounds; round++) {
      await Bun.sleep(500 + Math.random() * 1_500);
      await this.#gateway.kill("SIGKILL");
      const startedAt = Date.now();
      await this.#open();
      const startMs = this.#readyAt - startedAt;
      slowest = Math.max(slowest, (await this.#untilValues(startedAt)) - startMs);
    }
    this.#row(
      `gateway killed ${rounds} times: values are back after it is ready, at most`,
      `${fixed(slowest / 1_000, 1)} s`,
      "≤ 5 s",
      slowest <= BACK_MS_MAX,
    );
  }

  /** Compares all that was stored with what the peer had. */
  async #audit(): Promise<void> {
    let count = 0;
    let invented = 0;
    let doubled = 0;
    let lagMs = 0;
    for (const { entry } of this.trial.variables) {
      const held = this.#log.heldOf(entry.key);
      const points = await pointsOf(this.#api, this.#deviceId, entry.key, 0);
      count += points.length;
      for (const [index, point] of points.entries()) {
        const lags = held.filter((each) => each.value === point.value).map((each) => lagOf(point.ts, each));
        const lag = Math.min(Number.POSITIVE_INFINITY, ...lags);
        if (lag > LAG_MS_MAX) {
          invented++;
          console.error(this.trial.name, entry.key, point, "was not a value then; nearest", lag, "ms");
        } else lagMs = Math.max(lagMs, lag);
        // A reported change is read immediately, between two reads of the interval.
        if (entry.cov !== true && isRepeated(points, index)) {
          doubled++;
          const near = points
            .slice(index - POINTS_APART, index + 2)
            .map(({ ts, value }) => [ts - point.ts, value]);
          console.error(this.trial.name, entry.key, point, "is stored twice, among", near);
        }
      }
    }
    this.#row("values that the peer did not have then", `${invented} of ${count}`, "0", invented === 0);
    this.#row("values stored twice", String(doubled), "0", doubled === 0);
    this.#row("timestamp after the value was replaced, at most", `${lagMs} ms`);
  }
}

const CLOCK_MS = 5;
const isWithin = (ts: number, { from, to }: Held) => ts >= from - CLOCK_MS && ts <= to + LAG_MS_MAX;
const lagOf = (ts: number, { from, to }: { from: number; to: number }) =>
  ts < from - CLOCK_MS ? Number.POSITIVE_INFINITY : Math.max(0, ts - to);
const POINTS_APART = 5;
/** Reads are an interval apart. One that is late is near the next, and no read too many. */
function isRepeated(points: readonly Point[], index: number): boolean {
  const [earlier, before, point] = [points[index - POINTS_APART], points[index - 1], points[index]];
  if (earlier === undefined || before === undefined || point === undefined) return false;
  const isNear = before.value === point.value && point.ts - before.ts < INTERVAL_MS / 10;
  return isNear && point.ts - earlier.ts < (POINTS_APART - 1.1) * INTERVAL_MS;
}

/** Compares what is stored with what peers of other makers had, through their failures and those of the gateway. */
export async function benchFieldPeers(seconds: number, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  const names = process.env.BENCH_FIELD?.split(",");
  for (const trial of fieldTrials)
    if (trial.hasPeer && names?.includes(trial.name) !== false)
      rows.push(...(await new Trial(trial).run(seconds, rounds)));
  return rows;
}
