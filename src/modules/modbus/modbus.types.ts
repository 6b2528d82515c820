import type { DeviceId } from "../../lib/core/ids.ts";
import type { RegisterArea } from "../../lib/modbus/modbus-lists.ts";
import type { RegisterSpec, RegisterValue } from "../../lib/modbus/register-values.ts";
import type { Text } from "../../lib/texts/text.ts";

/** A value of a device: where it is, and the telemetry key under which it is stored. */
export interface ModbusRegister extends RegisterSpec {
  readonly key: string;
  /** Time between two reads; that of the unit by default. */
  readonly intervalMs?: number;
  /** Whether commands may write it. */
  readonly writable?: boolean;
}

/** A unit (slave) of a connection, and the device that has its values. */
export interface ModbusUnit {
  readonly modbusUnitId: string;
  readonly connectionId: string;
  readonly deviceId: DeviceId;
  /** Address on the line, 0–255. */
  readonly unitId: number;
  readonly intervalMs: number;
  readonly wordsMax: number;
  readonly gapMax: number;
  readonly registers: readonly ModbusRegister[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type UnitChange = Partial<
  Pick<ModbusUnit, "unitId" | "intervalMs" | "wordsMax" | "gapMax" | "registers">
>;
export type NewUnit = UnitChange & { readonly deviceId: string };

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
  readonly values: ReadonlyMap<string, RegisterValue>;
  /** Keys that the device refuses to read, and its exception codes. */
  readonly refused: ReadonlyMap<string, number>;
}

/** Words or bits of a device as they are now. */
export interface RawRead {
  readonly area: RegisterArea;
  readonly address: number;
  readonly values: readonly number[];
}
