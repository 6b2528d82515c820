import type { DeviceId } from "../../lib/core/ids.ts";
import { TopK } from "../../lib/data/top-k.ts";
import type { Logger } from "../../platform/core/log.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { createPeriodic } from "../../platform/time/periodic.ts";
import type { Reading } from "../telemetry/telemetry.types.ts";
import { type DeviceTrafficTotals, TRAFFIC_MEASURES, type TrafficMeasure } from "./device-traffic.types.ts";
import type { IngestDevice } from "./ingest.types.ts";

/*
 * Traffic per device in the last hour. A message adds to numbers in an array and allocates nothing. Every five minutes, the busiest devices by each
 * measure are kept and the others are dropped. The sum of a device lacks the five-minute periods in which it was dropped; with few devices, all sums
 * are exact.
 */

const INTERVAL_MS = 5 * 60_000;
/** Kept intervals; with the current one, they cover the last hour. */
const INTERVALS_KEPT = 11;
const KEPT_PER_MEASURE = 500;
const SLOTS_AT_START = 256;
const MEASURES = TRAFFIC_MEASURES.length;
const [MESSAGES, VALUES, BYTES, REJECTED] = [0, 1, 2, 3] as const;

type Interval = readonly DeviceTrafficTotals[];

export class DeviceTraffic {
  /** Devices with messages in the current interval, by slot. */
  #devices: IngestDevice[] = [];
  /** Sums of the current interval: `MEASURES` numbers per slot. */
  #sums = new Float64Array(SLOTS_AT_START * MEASURES);
  #interval = 1;
  readonly #past: Interval[] = [];
  readonly #rotating: ReturnType<typeof createPeriodic>;

  constructor({ clock, log }: { clock: Clock; log: Logger }) {
    this.#rotating = createPeriodic({ clock, log, intervalMs: INTERVAL_MS, work: () => this.rotate() });
  }

  start(): void {
    this.#rotating.start();
  }

  stop(): void {
    this.#rotating.stop();
  }

  /** Counts a received message and its bytes, also if it is rejected later. */
  received(device: IngestDevice, bytes: number): void {
    this.#add(device, BYTES, bytes);
  }

  accepted(device: IngestDevice): void {
    this.#add(device, MESSAGES, 1);
  }

  /** Counts the values of an accepted message. */
  readonly stored = (device: IngestDevice, readings: readonly Reading[]): void => {
    let values = 0;
    for (const reading of readings) for (const _ in reading.values) values++;
    this.#add(device, VALUES, values);
  };

  rejected(device: IngestDevice): void {
    this.#add(device, REJECTED, 1);
  }

  /** Starts a new interval. */
  rotate(): void {
    this.#past.push(this.#busiest());
    if (this.#past.length > INTERVALS_KEPT) this.#past.shift();
    this.#interval++;
    this.#devices = [];
    this.#sums = new Float64Array(SLOTS_AT_START * MEASURES);
  }

  /** Returns the devices with traffic, sorted by the measure in descending order. */
  top(by: TrafficMeasure): DeviceTrafficTotals[] {
    const totals = new Map<DeviceId, DeviceTrafficTotals>();
    for (const interval of [...this.#past, this.#busiest()])
      for (const traffic of interval) {
        const total = totals.get(traffic.deviceId);
        if (total === undefined) totals.set(traffic.deviceId, { ...traffic });
        else for (const measure of TRAFFIC_MEASURES) total[measure] += traffic[measure];
      }
    return [...totals.values()].filter((total) => total[by] > 0).sort((left, right) => right[by] - left[by]);
  }

  #add(device: IngestDevice, measure: number, amount: number): void {
    const { traffic } = device;
    const slot = traffic?.interval === this.#interval ? traffic.slot : this.#enter(device);
    this.#sums[slot * MEASURES + measure] = (this.#sums[slot * MEASURES + measure] ?? 0) + amount;
  }

  #enter(device: IngestDevice): number {
    const slot = this.#devices.push(device) - 1;
    device.traffic ??= { interval: 0, slot: 0 };
    device.traffic.interval = this.#interval;
    device.traffic.slot = slot;
    if ((slot + 1) * MEASURES > this.#sums.length) {
      const larger = new Float64Array(2 * this.#sums.length);
      larger.set(this.#sums);
      this.#sums = larger;
    }
    return slot;
  }

  /** Returns the sums of devices that are among the largest by any measure. */
  #busiest(): Interval {
    const slots = new Set<number>();
    for (let measure = 0; measure < MEASURES; measure++) {
      const largest = new TopK(KEPT_PER_MEASURE);
      for (let slot = 0; slot < this.#devices.length; slot++) {
        const sum = this.#sumOf(slot, measure);
        if (sum > 0) largest.add(slot, sum);
      }
      for (const slot of largest.items) slots.add(slot);
    }
    return [...slots].flatMap((slot) => this.#totalsOf(slot) ?? []);
  }

  #totalsOf(slot: number): DeviceTrafficTotals | undefined {
    const device = this.#devices[slot];
    if (device === undefined) return undefined;
    return {
      deviceId: device.deviceId,
      tenantId: device.tenantId,
      messages: this.#sumOf(slot, MESSAGES),
      values: this.#sumOf(slot, VALUES),
      bytes: this.#sumOf(slot, BYTES),
      rejected: this.#sumOf(slot, REJECTED),
    };
  }

  #sumOf = (slot: number, measure: number): number => this.#sums[slot * MEASURES + measure] ?? 0;
}
