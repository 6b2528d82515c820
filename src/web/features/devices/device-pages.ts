// The device list, fetched in blocks as they come into view and kept current by the live connection.

import { signal } from "@preact/signals";
import { type DeviceState, withActive } from "../../../lib/devices/device-state.ts";
import type { DeviceRow } from "../../lib/api-types.ts";
import type { DevicesMessage } from "../../lib/realtime-types.ts";
import { blocksOf, type RowsWindow } from "../../lib/rows-window.ts";
import { devicesApi } from "./devices-api.ts";

const BLOCK = 200;
/** Rows per request for selected devices outside the view. */
const SLICE_BLOCK = 2_000;

export interface DeviceFilter {
  readonly search: string;
  readonly deviceType: string;
  readonly state: DeviceState | undefined;
  readonly tag: string;
  readonly parentDeviceId: string;
  readonly role: "DEVICE" | "GATEWAY" | "";
  readonly sort: string;
}

export const noFilter: DeviceFilter = {
  search: "",
  deviceType: "",
  state: undefined,
  tag: "",
  parentDeviceId: "",
  role: "",
  sort: "name",
};

export class DevicePages {
  /** Increases with every change, so that a component that reads it is rendered again. */
  readonly version = signal(0);
  readonly total = signal<number | undefined>(undefined);
  readonly error = signal<unknown>(undefined);
  /** Devices by row number, with holes for rows that are not loaded yet. */
  #rows: (DeviceRow | undefined)[] = [];
  /** Requested or loaded block numbers. */
  readonly #asked = new Set<number>();
  #generation = 0;
  /** Rows in view. */
  #window: RowsWindow = { start: 0, end: 1 };
  readonly filter: DeviceFilter;

  constructor(filter: DeviceFilter) {
    this.filter = filter;
  }

  /** True if alarms and activity of devices change the order. */
  get isByState(): boolean {
    return this.filter.sort.endsWith("state");
  }

  /** True if new values of a key change the order. */
  get isByValue(): boolean {
    return /^-?key:/.test(this.filter.sort);
  }

  row(index: number): DeviceRow | undefined {
    return this.#rows[index];
  }

  /** Returns the rows from `start` to before `end`, after loading missing ones. */
  async slice(start: number, end: number): Promise<readonly DeviceRow[]> {
    const rows = Array.from({ length: end - start }, (_, i) => this.#rows[start + i]);
    const fetched = rows.filter((row) => row !== undefined);
    if (fetched.length === rows.length) return fetched;
    const slice: DeviceRow[] = [];
    for (let offset = start; offset < end; offset += SLICE_BLOCK) {
      const limit = Math.min(SLICE_BLOCK, end - offset);
      slice.push(...(await devicesApi.list({ limit, offset, ...this.filter })).rows);
    }
    return slice;
  }

  need(window: RowsWindow): void {
    this.#window = window;
    for (const block of blocksOf(window, BLOCK)) {
      if (!this.#asked.has(block)) this.#fetch(block);
    }
  }

  /** Discards loaded rows, which remain visible until the new response arrives. */
  refresh(window: RowsWindow = this.#window): void {
    this.#generation++;
    this.#asked.clear();
    const blocks = blocksOf(window, BLOCK);
    for (const block of blocks.length > 0 ? blocks : [0]) this.#fetch(block);
  }

  async #fetch(block: number): Promise<void> {
    const generation = this.#generation;
    this.#asked.add(block);
    try {
      const response = await devicesApi.list({ limit: BLOCK, offset: block * BLOCK, ...this.filter });
      if (generation !== this.#generation) return;
      this.error.value = undefined;
      this.total.value = response.total;
      this.#rows.length = response.total;
      response.rows.forEach((row, i) => {
        this.#rows[block * BLOCK + i] = row;
      });
      this.version.value++;
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#asked.delete(block);
      this.error.value = error;
    }
  }

  /** Applies a message. Returns true if rows appeared, vanished or changed, so that the list must be loaded again. */
  apply(message: DevicesMessage): boolean {
    if (message.event !== "state") return true;
    const index = this.#rows.findIndex((row) => row?.deviceId === message.deviceId);
    const row = this.#rows[index];
    if (!row) return false;
    this.#rows[index] = withActive(row, message.active, message.lastActivityAt);
    this.version.value++;
    return false;
  }
}
