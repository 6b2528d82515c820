import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { FeedColumn } from "../telemetry/feeds.types.ts";

/** A device as targets name it. */
export interface UplinkDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly type: string;
  /** Name of the gateway (this installation), so that a central engine can tell sites apart. */
  readonly site: string;
  /** Static tags of the uplink, sorted by name. */
  readonly tags: Readonly<Record<string, string>>;
}

export type UplinkColumn = FeedColumn;

/** Rows of one device: time stamps (epoch ms) are strictly ascending. */
export interface RowsRecord {
  readonly kind: "rows";
  readonly device: UplinkDevice;
  readonly ts: Float64Array;
  readonly columns: readonly UplinkColumn[];
}

/** Values were deleted on the gateway: all of the keys (null: of all keys) in the closed range. */
export interface DeletionRecord {
  readonly kind: "deletion";
  readonly device: UplinkDevice;
  readonly keys: readonly string[] | null;
  readonly from: number;
  readonly to: number;
}

export interface AttributesRecord {
  readonly kind: "attributes";
  readonly device: UplinkDevice;
  readonly scope: "CLIENT" | "SERVER" | "SHARED";
  readonly ts: number;
  /** null: deleted. */
  readonly values: Readonly<Record<string, JsonValue>>;
}

export interface AlarmRecord {
  readonly kind: "alarm";
  readonly device: UplinkDevice;
  readonly alarmId: string;
  readonly type: string;
  readonly severity: AlarmSeverity;
  readonly status: string;
  /** Event that is reported, such as CREATED, SEVERITY_CHANGED, ACKNOWLEDGED or CLEARED. */
  readonly event: string;
  readonly eventId: string;
  readonly message: string;
  readonly ts: number;
}

export interface DeviceRecord {
  readonly kind: "device";
  readonly device: UplinkDevice;
  readonly change: "created" | "updated" | "deleted";
  readonly ts: number;
}

export type UplinkRecord = RowsRecord | DeletionRecord | AttributesRecord | AlarmRecord | DeviceRecord;

/** Records that are sent together and confirmed together, in order. */
export interface Batch {
  /** The same batch has the same id when it is sent again, for targets that remove duplicates. */
  readonly id: string;
  readonly records: readonly UplinkRecord[];
  /** Number of values in the rows. */
  readonly points: number;
}

/** Surroundings that a target may use. */
export interface TargetContext {
  /** Name of the uplink, for client ids and logs. */
  readonly uplinkId: string;
  /**
   * Addresses of a host that may be connected to. Connect to one of these, never to the name itself; for TLS the name stays the server name.
   * @throws DomainError if none may.
   */
  resolve(host: string, port: number): Promise<string[]>;
  /** Certificates in PEM that are trusted instead of the system's. */
  readonly authorities: readonly string[] | undefined;
  now(): number;
  /** Runs a command that the target sends for a device; rejects if the device is unknown or does not answer. */
  command?(deviceId: string, method: string, params: JsonValue): Promise<JsonValue>;
  /** Reports that commands of the target are dropped, because it does not read the refusals of others. */
  commandsUnanswered?(): void;
  /** Reports that a staged batch could not be read, and where it was set aside. */
  setAside?(file: string): void;
}

/**
 * A place that takes batches. One batch at a time is sent unless `inFlightMax` says more; then they are confirmed in any order, and a deletion is
 * sent alone.
 */
export interface Target {
  readonly inFlightMax: number;
  /** Bytes that were handed to the network or the disk since it was created, about. */
  readonly bytesSent: number;
  /** Connects, checks the credentials, creates what is missing (tables, streams, topics). Resolves if a batch could be sent. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the batch is durable at the target, as far as the target can say so. Records that the target has no place for (deletions,
   * alarms, in a pure time-series target) are passed over. The same batch may come again.
   * @throws TargetError
   */
  send(batch: Batch, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
