import type { DeviceId } from "../../lib/core/ids.ts";
import type { EventBus } from "../../platform/core/event-bus.ts";
import { newId } from "../../platform/core/ids.ts";
import type { Logger } from "../../platform/core/log.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { DomainEvents } from "../events.types.ts";
import type { Principal } from "../users/users.types.ts";
import type { DevicesRepository } from "./devices.repository.ts";
import type { DevicesService } from "./devices.service.ts";
import type { Device, NewDevice } from "./devices.types.ts";
import type { ImportPiece, UnfinishedImportsRepository } from "./unfinished-imports.repository.ts";

/** Devices created per transaction, in less than 10 ms. */
const DEVICES_PER_STEP = 25;

interface DeviceImportsDeps {
  readonly devices: Pick<DevicesService, "createMany" | "ensureRoom">;
  readonly repository: Pick<DevicesRepository, "find" | "delete">;
  readonly unfinished: UnfinishedImportsRepository;
  readonly transact: <Result>(work: () => Result extends Promise<unknown> ? never : Result) => Result;
  readonly events: EventBus<DomainEvents>;
  readonly log: Logger;
}

/** Called for every device within the transaction that creates it. If it throws, the import is rolled back. */
export type EachImported = (device: Device, index: number) => void;

/**
 * Creates thousands of devices in several transactions that let other work run in between, but all or none: the created devices are recorded until
 * the import is complete, and deleted if it fails or the process ends earlier.
 */
export class DeviceImports {
  readonly #deps: DeviceImportsDeps;

  constructor(deps: DeviceImportsDeps) {
    this.#deps = deps;
  }

  /** Deletes the devices of imports interrupted by a crash. */
  start(): void {
    const pieces = this.#deps.unfinished.list();
    if (pieces.length === 0) return;
    const devices = pieces.reduce((sum, { deviceIds }) => sum + deviceIds.length, 0);
    this.#deps.log.warn("interrupted device import rolled back", { devices });
    for (const piece of pieces) this.#takeBack(piece);
  }

  /** @throws DomainError `forbidden` beyond the tenant's plan */
  async create(principal: Principal, givens: readonly NewDevice[], each: EachImported): Promise<Device[]> {
    const { devices, unfinished } = this.#deps;
    const importId = newId();
    const created: Device[] = [];
    const pieces: ImportPiece[] = [];
    devices.ensureRoom(principal.tenantId, givens.length);
    try {
      for (let start = 0; start < givens.length; start += DEVICES_PER_STEP) {
        const later = workShare.pause();
        if (later !== undefined) await later;
        const batch = givens.slice(start, start + DEVICES_PER_STEP);
        const deviceIds: DeviceId[] = [];
        const piece = { importId, piece: pieces.length, deviceIds };
        const devicesOfBatch = devices.createMany(principal, batch, (device, index) => {
          each(device, start + index);
          deviceIds.push(device.deviceId);
          if (deviceIds.length === batch.length) unfinished.add(piece); // in the same transaction
        });
        pieces.push(piece);
        created.push(...devicesOfBatch);
      }
      unfinished.finish(importId);
      return created;
    } catch (error) {
      for (const piece of pieces) {
        const later = workShare.pause();
        if (later !== undefined) await later;
        this.#takeBack(piece);
      }
      throw error;
    }
  }

  #takeBack(piece: ImportPiece): void {
    const { repository, unfinished, transact, events } = this.#deps;
    const deleted = transact(() => {
      const existing = piece.deviceIds.flatMap((deviceId: DeviceId) => repository.find(deviceId) ?? []);
      for (const { deviceId } of existing) repository.delete(deviceId);
      unfinished.deletePiece(piece);
      return existing;
    });
    for (const { tenantId, deviceId } of deleted) events.emit("device.deleted", { tenantId, deviceId });
  }
}
