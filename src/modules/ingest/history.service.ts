import { DomainError, detail, invalid, textOf } from "../../lib/domain-error.ts";
import type { HistoryFormat } from "../../lib/history-format.ts";
import type { DeviceId } from "../../lib/ids.ts";
import { invariant } from "../../lib/invariant.ts";
import { isJsonObject } from "../../lib/json.ts";
import type { KeyMetadataMap } from "../../lib/key-metadata.ts";
import type { Text } from "../../lib/texts/text.ts";
import { fileRules, readFileTime, TimeFault } from "../../lib/timestamp.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventBus } from "../../platform/event-bus.ts";
import type { DeviceDirectory } from "../devices/device-directory.ts";
import type { DevicesService } from "../devices/devices.service.ts";
import type { DomainEvents } from "../events.types.ts";
import type { TelemetryStore } from "../telemetry/store/store.types.ts";
import type { Principal } from "../users/users.types.ts";
import { renderHistory } from "./history-export.ts";
import { type ImportProgress, type ImportResult, type ImportSource, runImport } from "./history-import.ts";
import type { IngestService } from "./ingest.service.ts";
import type { IngestDevice } from "./ingest.types.ts";
import { toReadings } from "./readings.ts";

export interface ExportRequest {
  readonly format: HistoryFormat;
  /** Keys to export; all of them if it is empty. */
  readonly keys: readonly string[];
  /** Whether the column names of CSV end with the unit. */
  readonly hasUnits: boolean;
  /** Epoch ms, both included. */
  readonly from: number;
  readonly to: number;
  /** Ends the work for a reader who has gone. */
  readonly signal: AbortSignal;
}

/** Telemetry of a device's past, in and out as files. */
export function createHistoryService(deps: {
  devices: Pick<DevicesService, "ensureVisible">;
  directory: DeviceDirectory;
  ingest: Pick<IngestService, "history">;
  store: Pick<TelemetryStore, "scan" | "keys">;
  keysOf: (device: IngestDevice) => KeyMetadataMap;
  clock: Clock;
  events: Pick<EventBus<DomainEvents>, "emit">;
}) {
  const unitsOf = (deviceId: DeviceId): KeyMetadataMap | undefined => {
    const device = deps.directory.find(deviceId);
    return device && deps.keysOf(device);
  };
  return {
    /** Returns text in pieces of bounded size, read from the store as they are taken; throws `not_found` and `invalid` immediately. */
    async export(
      principal: Principal,
      deviceId: string,
      { format, keys, hasUnits, from, to, signal }: ExportRequest,
    ): Promise<AsyncGenerator<Uint8Array>> {
      const id = deps.devices.ensureVisible(principal, deviceId);
      if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to) || from < 0 || from > to)
        throw invalid("telemetry.range_invalid");
      const existing = await deps.store.keys({ deviceIds: [id] }, signal);
      const named = new Set(keys);
      const wanted = keys.length === 0 ? existing : existing.filter((key) => named.has(key));
      const chunks =
        wanted.length === 0
          ? none()
          : deps.store.scan({ deviceIds: [id], keys: [...keys], from, to }, signal);
      const stillVisible = whileAllowed(chunks, () => deps.devices.ensureVisible(principal, id));
      const units = hasUnits ? unitsOf(id) : undefined;
      return renderHistory(stillVisible, { format, keys: wanted, units });
    },
    /** Yields after every batch that is on the disk; the return value is the result. */
    import(
      principal: Principal,
      deviceId: string,
      source: ImportSource,
    ): AsyncGenerator<ImportProgress, ImportResult> {
      const device = deps.directory.find(deps.devices.ensureVisible(principal, deviceId));
      invariant(device !== undefined, "a visible device is in the directory");
      const now = deps.clock.now();
      const rules = fileRules({ now });
      const options = {
        timeOf(time: unknown): number {
          const ts = readFileTime(time, rules);
          if (ts instanceof TimeFault) throw new DomainError("invalid", ts.reason);
          return ts;
        },
      };
      return reportingFailures(
        deps.events,
        device,
        runImport(source, {
          now,
          decode(body) {
            if (!isJsonObject(body) || body.ts === undefined) throw invalid("import.ts_missing");
            return toReadings(body, now, options);
          },
          store: (readings) => deps.ingest.history(device, readings),
        }),
      );
    },
  };
}

export type HistoryService = ReturnType<typeof createHistoryService>;

/** Reports an import that failed, or whose rows were not all stored: who started it may not be who looks after the device. */
async function* reportingFailures(
  events: Pick<EventBus<DomainEvents>, "emit">,
  { tenantId, deviceId }: IngestDevice,
  progress: AsyncGenerator<ImportProgress, ImportResult>,
): AsyncGenerator<ImportProgress, ImportResult> {
  const subject = { kind: "device", id: deviceId } as const;
  const report = (text: Text) =>
    events.emit("fault.occurred", { ...text, source: "import", tenantId, subject });
  try {
    const result = yield* progress;
    const [first] = result.errors;
    if (first !== undefined)
      report(detail("fault.import_failed", { failed: result.failed, row: first.row, reason: textOf(first) }));
    return result;
  } catch (error) {
    if (error instanceof DomainError) report(textOf(error));
    throw error;
  }
}

/** Years take a while to read: who may not see the device any more gets no further. */
async function* whileAllowed<Chunk>(chunks: AsyncIterable<Chunk>, check: () => void): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    check();
    yield chunk;
  }
}

async function* none(): AsyncGenerator<never> {}
