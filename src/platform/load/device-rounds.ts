import type { DeviceId } from "../../lib/core/ids.ts";
import { type FairShare, workShare } from "./fair-share.ts";

interface DeviceRoundsDeps {
  readonly devices: () => Iterable<DeviceId>;
  readonly visit: (deviceId: DeviceId) => void;
  readonly isRunning: () => boolean;
  readonly onError: (error: unknown) => void;
  readonly share?: Pick<FairShare, "pause">;
}

/**
 * Visits many devices in turns, because sending to or evaluating thousands in one turn holds up all other work. A request for a round in progress adds
 * one more round after it, however many requests there are.
 */
export class DeviceRounds {
  /** Rounds in progress, by name, with whether one more is due. */
  readonly #rounds = new Map<string, { isDue: boolean }>();
  readonly #deps: DeviceRoundsDeps;

  constructor(deps: DeviceRoundsDeps) {
    this.#deps = deps;
  }

  /** Starts a round of the devices that `isMeant` selects. */
  start(name: string, isMeant: (deviceId: DeviceId) => boolean): void {
    const inProgress = this.#rounds.get(name);
    if (inProgress !== undefined) {
      inProgress.isDue = true;
      return;
    }
    const round = { isDue: true };
    this.#rounds.set(name, round);
    this.#run(name, round, isMeant).catch(this.#deps.onError);
  }

  async #run(
    name: string,
    round: { isDue: boolean },
    isMeant: (deviceId: DeviceId) => boolean,
  ): Promise<void> {
    try {
      while (round.isDue) {
        round.isDue = false;
        for (const deviceId of this.#deps.devices()) {
          const turn = (this.#deps.share ?? workShare).pause();
          if (turn !== undefined) await turn;
          if (!this.#deps.isRunning()) return;
          if (isMeant(deviceId)) this.#deps.visit(deviceId);
        }
      }
    } finally {
      // Before this function returns, so that a request in the same turn starts another round.
      this.#rounds.delete(name);
    }
  }
}
