import type { DeviceId, TenantId } from "../../lib/ids.ts";
import { workShare } from "../../platform/fair-share.ts";
import type { IngestDevice } from "../ingest/ingest.types.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import type { ReadingTexts } from "./reading-texts.ts";
import { type DeviceData, WaitingReadings, WaitingTotal } from "./waiting-readings.ts";

/** Max. weight of a tenant's readings that wait for their turn: several times that of a single session. */
const WEIGHT_MAX = 32_768;

interface TenantQueue {
  readonly total: WaitingTotal;
  readonly devices: Map<DeviceId, { readonly device: IngestDevice; readonly readings: WaitingReadings }>;
}

/** Hands telemetry to a device's readers, one after the other. */
type Deliver = (device: IngestDevice, data: DeviceData) => Iterable<void>;

/** Distributes accepted messages to live readers: immediately if there is time, else in turns with other tenants. */
export class TelemetryFanOut {
  readonly #texts: ReadingTexts;
  readonly #deliver: Deliver;
  readonly #tenants = new Map<TenantId, TenantQueue>();

  /** @param deliver hands over to one reader per step */
  constructor(texts: ReadingTexts, deliver: Deliver) {
    this.#texts = texts;
    this.#deliver = deliver;
  }

  add(device: IngestDevice, readings: readonly Reading[]): void {
    const existing = this.#tenants.get(device.tenantId);
    const queue = existing ?? { total: new WaitingTotal(this.#texts, WEIGHT_MAX), devices: new Map() };
    const waiting = queue.devices.get(device.deviceId) ?? {
      device,
      readings: new WaitingReadings(queue.total),
    };
    queue.devices.set(device.deviceId, waiting);
    waiting.readings.add({ readings, merged: undefined });
    if (existing !== undefined) return;
    this.#tenants.set(device.tenantId, queue);
    void this.#run(device.tenantId, queue);
  }

  async #run(tenantId: TenantId, { devices }: TenantQueue): Promise<void> {
    const owner = { tenantId, userId: `live ${tenantId}` };
    const turn = workShare.enter(owner);
    if (turn !== undefined) await turn;
    try {
      for (const [deviceId, { device, readings }] of devices) {
        devices.delete(deviceId); // what arrives meanwhile waits behind the other devices
        for (const _ of this.#deliver(device, readings)) {
          const share = workShare.pause(owner);
          if (share !== undefined) await share;
        }
        readings.clear();
      }
    } finally {
      this.#tenants.delete(tenantId);
    }
  }
}
