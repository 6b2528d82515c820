import type { AlarmSeverity } from "../../lib/alarms/severity.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { FeedColumn } from "../telemetry/feeds.types.ts";

/** Device in the form of targets. */
export interface UplinkDevice {
  readonly deviceId: string;
  readonly name: string;
  readonly type: string;
  /** Name of the gateway (this installation), which identifies the site in a central engine. */
  readonly site: string;
  /** Static tags of the uplink, sorted by name. */
  readonly tags: Readonly<Record<string, string>>;
}

export type UplinkColumn = FeedColumn;

/** Rows of one device, with strictly ascending timestamps (epoch ms). */
export interface RowsRecord {
  readonly kind: "rows";
  readonly device: UplinkDevice;
  readonly ts: Float64Array;
  readonly columns: readonly UplinkColumn[];
}

/** Deletion of values on the gateway: the keys (null: all) in the closed range. */
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
  /** Values by name; null for a deleted attribute. */
  readonly values: Readonly<Record<string, JsonValue>>;
}

export interface AlarmRecord {
  readonly kind: "alarm";
  readonly device: UplinkDevice;
  readonly alarmId: string;
  readonly type: string;
  readonly severity: AlarmSeverity;
  readonly status: string;
  /** Reported event, such as CREATED, SEVERITY_CHANGED, ACKNOWLEDGED or CLEARED. */
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

/** Records that are sent and confirmed together, in order. */
export interface Batch {
  /** Id, stable across repetitions, for targets that remove duplicates. */
  readonly id: string;
  readonly records: readonly UplinkRecord[];
  /** Number of values in the rows. */
  readonly points: number;
}

/** Services for targets. */
export interface TargetContext {
  /** Id of the uplink, for client ids and logs. */
  readonly uplinkId: string;
  /**
   * Returns the permitted addresses of a host. Connect to one of these, never to the name itself; for TLS the name stays the server name.
   * @throws DomainError if none is permitted
   */
  resolve(host: string, port: number): Promise<string[]>;
  /** PEM certificates trusted instead of the system's. */
  readonly authorities: readonly string[] | undefined;
  now(): number;
  /** Runs a command that the target sends to a device; rejects if the device is unknown or does not respond. */
  command?(deviceId: string, method: string, params: JsonValue): Promise<JsonValue>;
  /** Reports that commands of the target are dropped, because it does not read refusals. */
  commandsUnanswered?(): void;
  /** Reports that a staged batch was unreadable, and its new path. */
  setAside?(file: string): void;
}

/**
 * Receiver of batches. One batch is in flight unless `inFlightMax` is higher; then batches are confirmed in any order, and a deletion is sent alone.
 */
export interface Target {
  readonly inFlightMax: number;
  /** Approximate bytes passed to the network or the disk since creation. */
  readonly bytesSent: number;
  /** Connects, checks the credentials, and creates missing tables, streams or topics. Resolves if a batch could be sent. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the batch is durable at the target, as far as the target reports it. Records that the target cannot store (deletions or alarms, in
   * a pure time-series target) are skipped. The same batch may be sent again.
   * @throws TargetError
   */
  send(batch: Batch, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
