import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

/** Names of the protocols: fault source, command transport and first path segment. */
export type FieldProtocolName = "modbus" | "s7" | "bacnet" | "opcua";

export type FieldValue = number | string | boolean;

/** Value of a key at the device's time (epoch ms); without one, at the time of receipt. */
export interface FieldPoint {
  readonly key: string;
  readonly value: FieldValue;
  readonly sampledAt?: number | undefined;
}

/** Stored connection settings common to all protocols. */
export interface FieldConnection {
  readonly connectionId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly enabled: boolean;
  /** IP address or host name. */
  readonly host: string;
  readonly port: number;
  /** Pause between two requests, in ms. */
  readonly pauseMs?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Value of a device: its location (fields of the protocol) and its telemetry key. */
export interface FieldEntry {
  readonly key: string;
  /** Polling interval in ms; default: the unit's interval. */
  readonly intervalMs?: number;
  /** True if commands may write the entry. */
  readonly writable?: boolean;
}

/** Entries that a connection reads for one device. */
export interface FieldUnit {
  readonly connectionId: string;
  readonly deviceId: DeviceId;
  readonly intervalMs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Open connection of a protocol. */
export interface FieldLine {
  readonly isOpen: boolean;
  /** True once the peer has answered on this connection. */
  readonly hasResponded: boolean;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  /** Error that ended the connection. */
  readonly failure: Error | undefined;
  /** Called with the name of a changed value, as returned by `changeOf`. */
  onChange?: (change: string) => void;
  close(): void;
}

export const CONNECTION_STATES = ["off", "connecting", "connected", "waiting"] as const;

/** Current state of a connection. Times are epoch ms. */
export interface ConnectionState {
  /** `waiting`: for the next attempt. */
  readonly status: (typeof CONNECTION_STATES)[number];
  readonly since: number;
  readonly problem: Text | null;
  readonly nextAttemptAt: number | null;
}

/** Activity of a unit since the gateway started. Times are epoch ms. */
export interface UnitHealth {
  readonly lastReadAt: number | null;
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
  /** Numbers of answered and unanswered requests. */
  readonly answered: number;
  readonly failed: number;
  /** Newest value of each key. */
  readonly values: ReadonlyMap<string, FieldValue>;
  /** Keys of the entries refused by the device, with its error codes. */
  readonly refused: ReadonlyMap<string, number>;
  /** Notes on entries that were read, by key. */
  readonly notes: ReadonlyMap<string, Text>;
  /** Number of entries whose changes the device reports; the others are polled. */
  readonly reported: number;
}
