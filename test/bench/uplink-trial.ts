import type { ApiClient } from "../../src/cli/api-client.ts";
import {
  type BenchDevice,
  createDevices,
  type Gateway,
  remove,
  startSealingGateway,
  temporaryDirectory,
} from "./processes.ts";
import { Content, type Difference, difference } from "./uplink-content.ts";
import type { UplinkPeer } from "./uplink-peer.types.ts";
import { readDevice } from "./uplink-peers.ts";

const DEVICES = 4;
/** A target must have everything after this time. */
const CATCH_UP_MS_MAX = 240_000;
/** A report of an uplink may be this old. */
const REPORT_MS = 1_500;
const SENDING_MS_MAX = 5_000;

/** Final content of a target, compared with that of the gateway. */
export interface UplinkTrialResult extends Difference {
  readonly kills: number;
  /** Values that arrived, and those of them that had arrived before. */
  readonly received: number;
  readonly repeated: number;
  /** Time that the target needed for what was missing at the end. */
  readonly catchUpMs: number;
}

interface Uplink {
  readonly uplinkId: string;
  readonly state: string;
  readonly upToDateAt: string | null;
  readonly sentPoints: number;
}

const settings = {
  name: "Kills",
  site: "Plant",
  content: { telemetry: true, attributes: false, alarms: false, devices: false },
};

/** A gateway with an uplink to a real server, whose contents are compared at the end. */
export class UplinkTrial {
  readonly peer: UplinkPeer;
  readonly devices: readonly BenchDevice[];
  kills = 0;
  readonly #directory: string;
  readonly #uplinkId: string;
  #gateway: Gateway;
  /** Of this run of the gateway: while its disk is full, nobody can sign in. */
  #api: Promise<ApiClient> | undefined;

  private constructor(
    peer: UplinkPeer,
    started: { directory: string; gateway: Gateway; devices: readonly BenchDevice[]; uplinkId: string },
  ) {
    this.peer = peer;
    this.devices = started.devices;
    this.#directory = started.directory;
    this.#gateway = started.gateway;
    this.#uplinkId = started.uplinkId;
  }

  static async start(peer: UplinkPeer, order = "LIVE_FIRST"): Promise<UplinkTrial> {
    const directory = temporaryDirectory();
    const gateway = await startSealingGateway(directory);
    const api = await gateway.signIn();
    const devices = await createDevices(api, DEVICES);
    const { target } = peer;
    const { uplinkId } = await api.post<Uplink>("/api/uplinks", { ...settings, order, target });
    return new UplinkTrial(peer, { directory, gateway, devices, uplinkId });
  }

  get gateway(): Gateway {
    return this.#gateway;
  }

  async killGateway(beforeStart: () => void = () => undefined): Promise<void> {
    await this.#gateway.kill("SIGKILL");
    this.kills++;
    beforeStart();
    this.#api = undefined;
    this.#gateway = await startSealingGateway(this.#directory);
  }

  async killPeer(): Promise<void> {
    await this.peer.kill();
    this.kills++;
  }

  /** Waits until it has sent something since its start, for a while. Returns whether it has. */
  async sends(waitMs = SENDING_MS_MAX): Promise<boolean> {
    return this.#waitFor(await this.#signIn(), waitMs, ({ sentPoints }) => sentPoints > 0);
  }

  /** Waits until the target has failed, for a while. Returns whether it has. */
  async fails(waitMs: number): Promise<boolean> {
    return this.#waitFor(await this.#signIn(), waitMs, ({ state }) => state === "ERROR");
  }

  /** Waits until the target has everything, a last value that is written for that included, and compares. */
  async finish(writeLast: () => Promise<void>): Promise<UplinkTrialResult> {
    const endedAt = performance.now();
    const api = await this.#signIn();
    await this.#catchUp(api, writeLast);
    const catchUpMs = performance.now() - endedAt;
    if (this.peer.target.type === "PARQUET") await this.#writeFiles(api);
    const source = new Content();
    for (const { deviceId } of this.devices)
      await readDevice(api, { deviceId, as: await this.#nameOf(api, deviceId) }, source);
    if (this.peer.takesTexts === false) source.removeKey("s");
    const target = await this.peer.read();
    await this.#gateway.kill("SIGTERM");
    remove(this.#directory);
    const { received, repeated } = target;
    return { ...difference(source, target), kills: this.kills, received, repeated, catchUpMs };
  }

  #signIn(): Promise<ApiClient> {
    this.#api ??= this.#gateway.signIn();
    return this.#api;
  }

  #uplink(api: ApiClient): Promise<Uplink> {
    return api.get<Uplink>(`/api/uplinks/${this.#uplinkId}`);
  }

  async #waitFor(api: ApiClient, waitMs: number, fits: (uplink: Uplink) => boolean): Promise<boolean> {
    const since = performance.now();
    while (performance.now() - since < waitMs) {
      if (fits(await this.#uplink(api))) return true;
      await Bun.sleep(20);
    }
    return false;
  }

  /** A target that collects values in files writes them when it is stopped, as far as that is quick. */
  async #writeFiles(api: ApiClient): Promise<void> {
    for (const enabled of [false, true, false, true, false]) {
      await api.patch(`/api/uplinks/${this.#uplinkId}`, { enabled });
      if (enabled) await Bun.sleep(REPORT_MS);
    }
  }

  /** A central Lineside knows the name of a device, the others its id. */
  async #nameOf(api: ApiClient, deviceId: string): Promise<string> {
    if (this.peer.target.type !== "LINESIDE") return deviceId;
    return (await api.get<{ name: string }>(`/api/devices/${deviceId}`)).name;
  }

  async #catchUp(api: ApiClient, writeLast: () => Promise<void>): Promise<void> {
    const since = Date.now();
    await writeLast();
    await Bun.sleep(REPORT_MS);
    const isDone = ({ state, upToDateAt }: Uplink) =>
      state === "UP_TO_DATE" && Date.parse(upToDateAt ?? "") >= since;
    if (!(await this.#waitFor(api, CATCH_UP_MS_MAX, isDone)))
      throw new Error(`it is behind: ${JSON.stringify(await this.#uplink(api))}`);
  }
}
