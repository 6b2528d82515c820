import { KillLoad } from "./uplink-kill-load.ts";
import type { UplinkPeer } from "./uplink-peer.types.ts";
import { UplinkTrial, type UplinkTrialResult } from "./uplink-trial.ts";

const PAUSE_MS_MAX = 400;

const chance = (max: number) => Bun.sleep(Math.random() * max);

export interface KillOptions {
  readonly rounds: number;
  readonly pauseMsMax?: number;
  readonly order?: string;
  /** Whether no value is late or written again. */
  readonly isNewOnly?: boolean;
}

/** Kills gateway and target at random moments while values are written, sealed, changed and deleted. */
export async function runUplinkKillRounds(
  peer: UplinkPeer,
  { rounds, pauseMsMax = PAUSE_MS_MAX, order, isNewOnly = false }: KillOptions,
): Promise<UplinkTrialResult> {
  const trial = await UplinkTrial.start(peer, order);
  const load = new KillLoad(trial.devices, {
    deletes: peer.takesDeletions,
    changes: peer.takesChanges && !isNewOnly,
    late: !isNewOnly,
  });
  const killGateway = async (stop: () => Promise<void>) => {
    const killing = trial.killGateway();
    await Promise.all([killing, stop()]);
  };
  for (let round = 0; round < rounds; round++) {
    let stop = await load.start(trial.gateway);
    await chance(pauseMsMax);
    await trial.killPeer();
    await chance(pauseMsMax);
    trial.gateway.say("compact");
    await chance(pauseMsMax);
    await killGateway(stop);
    stop = await load.start(trial.gateway);
    await chance(pauseMsMax);
    trial.gateway.say("compact");
    await peer.start();
    await chance(pauseMsMax);
    await killGateway(stop);
    stop = await load.start(trial.gateway);
    await trial.sends();
    await chance(pauseMsMax);
    trial.gateway.say("compact");
    await chance(pauseMsMax);
    await stop();
  }
  return trial.finish(() => load.end(trial.gateway));
}
