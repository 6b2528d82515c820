import type { ApiClient } from "../../cli/api-client.ts";
import { createDevices, remove, startSealingGateway, temporaryDirectory } from "./processes.ts";
import { Content, type Difference, difference } from "./uplink-content.ts";
import { KillLoad } from "./uplink-kill-load.ts";
import { readDevice, type UplinkPeer } from "./uplink-peers.ts";

const DEVICES = 4;
const PAUSE_MS_MAX = 400;
/** A target must have everything after this time. */
const CATCH_UP_MS_MAX = 120_000;

/** A report of an uplink may be this old. */
const REPORT_MS = 1_500;
const SENDING_MS_MAX = 5_000;

/** Describes what a target holds after the rounds, beside what the gateway holds. */
export interface UplinkKillResult extends Difference {
  readonly kills: number;
  /** Values that arrived, and those of them that had arrived before. */
  readonly received: number;
  readonly repeated: number;
  /** Time that the target needed after the last round. */
  readonly catchUpMs: number;
}

interface Uplink {
  readonly uplinkId: string;
  readonly state: string;
  readonly upToDateAt: string | null;
  readonly sentPoints: number;
}

const chance = (max: number) => Bun.sleep(Math.random() * max);

const settings = {
  name: "Kills",
  site: "Plant",
  content: { telemetry: true, attributes: false, alarms: false, devices: false },
};

/** Kills gateway and target at random moments while values are written, sealed, changed and deleted. */
export async function runUplinkKillRounds(
  peer: UplinkPeer,
  {
    rounds,
    pauseMsMax = PAUSE_MS_MAX,
    order = "LIVE_FIRST",
    isNewOnly = false,
  }: { rounds: number; pauseMsMax?: number; order?: string; isNewOnly?: boolean },
): Promise<UplinkKillResult> {
  const directory = temporaryDirectory();
  let gateway = await startSealingGateway(directory);
  let kills = 0;
  const devices = await createDevices(await gateway.signIn(), DEVICES);
  const { uplinkId } = await (await gateway.signIn()).post<Uplink>("/api/uplinks", {
    ...settings,
    order,
    target: peer.target,
  });
  const load = new KillLoad(devices, {
    deletes: peer.takesDeletions,
    changes: peer.takesChanges && !isNewOnly,
    late: !isNewOnly,
  });
  const killGateway = async (stop: () => Promise<void>) => {
    await gateway.kill("SIGKILL");
    await stop();
    kills++;
    gateway = await startSealingGateway(directory);
  };
  for (let round = 0; round < rounds; round++) {
    let stop = await load.start(gateway);
    await chance(pauseMsMax);
    await peer.kill();
    kills++;
    await chance(pauseMsMax);
    gateway.say("compact");
    await chance(pauseMsMax);
    await killGateway(stop);
    stop = await load.start(gateway);
    await chance(pauseMsMax);
    gateway.say("compact");
    await peer.start();
    await chance(pauseMsMax);
    await killGateway(stop);
    stop = await load.start(gateway);
    await sendsAgain(await gateway.signIn(), uplinkId);
    await chance(pauseMsMax);
    gateway.say("compact");
    await chance(pauseMsMax);
    await stop();
  }
  const endedAt = performance.now();
  const api = await gateway.signIn();
  await catchUp(api, uplinkId, () => load.end(gateway));
  const catchUpMs = performance.now() - endedAt;
  if (peer.target.type === "PARQUET") await writeFiles(api, uplinkId);
  const source = new Content();
  for (const { deviceId } of devices)
    await readDevice(api, { deviceId, as: await nameOf(api, peer, deviceId) }, source);
  const target = await peer.read();
  await gateway.kill("SIGTERM");
  remove(directory);
  const { received, repeated } = target;
  return { ...difference(source, target), kills, received, repeated, catchUpMs };
}

/** A target that collects values in files writes them when it is stopped, as far as that is quick. */
async function writeFiles(api: ApiClient, uplinkId: string): Promise<void> {
  for (const enabled of [false, true, false, true, false]) {
    await api.patch(`/api/uplinks/${uplinkId}`, { enabled });
    if (enabled) await Bun.sleep(REPORT_MS);
  }
}

/** A central Lineside knows the name of a device, the others its id. */
async function nameOf(api: ApiClient, { target }: UplinkPeer, deviceId: string): Promise<string> {
  if (target.type !== "LINESIDE") return deviceId;
  return (await api.get<{ name: string }>(`/api/devices/${deviceId}`)).name;
}

/** Values are to be killed on their way, too. */
async function sendsAgain(api: ApiClient, uplinkId: string): Promise<void> {
  const since = performance.now();
  while (performance.now() - since < SENDING_MS_MAX) {
    const { sentPoints } = await api.get<Uplink>(`/api/uplinks/${uplinkId}`);
    if (sentPoints > 0) return;
    await Bun.sleep(20);
  }
}

/** Waits until an uplink has sent everything, a last value included. */
async function catchUp(api: ApiClient, uplinkId: string, writeLast: () => Promise<void>): Promise<void> {
  const since = Date.now();
  await writeLast();
  await Bun.sleep(REPORT_MS);
  for (;;) {
    const uplink = await api.get<Uplink>(`/api/uplinks/${uplinkId}`);
    if (uplink.state === "UP_TO_DATE" && Date.parse(uplink.upToDateAt ?? "") >= since) return;
    if (Date.now() - since > CATCH_UP_MS_MAX) throw new Error(`it is behind: ${JSON.stringify(uplink)}`);
    await Bun.sleep(50);
  }
}
