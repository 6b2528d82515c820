import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";

/** Names of the protocols: source of their faults, way of their commands, first part of their paths. */
export type FieldProtocolName = "modbus" | "s7" | "bacnet" | "opcua";

export type FieldValue = number | string | boolean;

/** A value of a key at a time that the device says, epoch ms, else at that of its receipt. */
export interface FieldPoint {
  readonly key: string;
  readonly value: FieldValue;
  readonly sampledAt?: number | undefined;
}

/** Stored settings of a connection that all protocols have. */
export interface FieldConnection {
  readonly connectionId: string;
  readonly tenantId: TenantId;
  readonly name: string;
  readonly enabled: boolean;
  /** Address or name. */
  readonly host: string;
  readonly port: number;
  /** Pause between two requests, ms. */
  readonly pauseMs?: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A value of a device: where it is (fields of the protocol), and the telemetry key under which it is stored. */
export interface FieldEntry {
  readonly key: string;
  /** Time between two reads; that of the unit by default. */
  readonly intervalMs?: number;
  /** Whether commands may write it. */
  readonly writable?: boolean;
}

/** What a connection reads for one device. */
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
  /** Whether the peer has answered on this connection. */
  readonly hasAnswered: boolean;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;
  /** Error that ended the connection. */
  readonly failure: Error | undefined;
  /** Calls back with what the peer says has changed, as `changeOf` of the protocol names it. */
  onChange?: (change: string) => void;
  close(): void;
}

export const CONNECTION_STATES = ["off", "connecting", "connected", "waiting"] as const;

/** State of a connection now. Times are epoch ms. */
export interface ConnectionState {
  /** `waiting`: until the next attempt. */
  readonly status: (typeof CONNECTION_STATES)[number];
  readonly since: number;
  readonly problem: Text | null;
  readonly nextAttemptAt: number | null;
}

/** What a unit did since the gateway started. Times are epoch ms. */
export interface UnitHealth {
  readonly lastReadAt: number | null;
  readonly lastError: Text | null;
  readonly lastErrorAt: number | null;
  /** Requests that were answered, and that were not. */
  readonly answered: number;
  readonly failed: number;
  /** Newest value of each key. */
  readonly values: ReadonlyMap<string, FieldValue>;
  /** Keys of the entries that the device refuses to read, and its error codes. */
  readonly refused: ReadonlyMap<string, number>;
  /** What the device says about entries that it reads, by their keys. */
  readonly notes: ReadonlyMap<string, Text>;
  /** Entries whose changes the device reports; the others are polled. */
  readonly reported: number;
}
