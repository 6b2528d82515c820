import type { DeviceId } from "../lib/ids.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { Will } from "./packets.ts";

interface DelayedWill {
  readonly device: IngestDevice;
  readonly will: Will;
  /** Monotonic ms. */
  readonly dueAt: number;
}

/** Wills of clients that are gone, until their delay is over or their session ends (MQTT 5, 3.1.3.2.2). */
export class Wills {
  readonly #publish: (device: IngestDevice, will: Will) => void;
  readonly #delayed = new Map<DeviceId, DelayedWill>();

  constructor(publish: (device: IngestDevice, will: Will) => void) {
    this.#publish = publish;
  }

  /** A client went without saying good-bye. */
  left(device: IngestDevice, will: Will, timing: { now: number; sessionExpirySeconds: number }): void {
    const delayMs = Math.min(will.delaySeconds, timing.sessionExpirySeconds) * 1000;
    if (delayMs === 0) this.#publish(device, will);
    else this.#delayed.set(device.deviceId, { device, will, dueAt: timing.now + delayMs });
  }

  /** The device is back: a session taken up again has no will to publish, one that has ended publishes it at once. */
  returned(deviceId: DeviceId, resumed: boolean): void {
    const delayed = this.#delayed.get(deviceId);
    this.#delayed.delete(deviceId);
    if (delayed !== undefined && !resumed) this.#publish(delayed.device, delayed.will);
  }

  forget(deviceId: DeviceId): void {
    this.#delayed.delete(deviceId);
  }

  tick(now: number): void {
    for (const [deviceId, { device, will, dueAt }] of this.#delayed) {
      if (dueAt > now) continue;
      this.#delayed.delete(deviceId);
      this.#publish(device, will);
    }
  }
}
