import { expect } from "bun:test";
import type { DeviceId, TenantId } from "../../src/lib/core/ids.ts";
import type { ModbusFraming, SerialSettings } from "../../src/lib/modbus/modbus-lists.ts";
import type { RegisterValue } from "../../src/lib/modbus/register-values.ts";
import { ConnectionRunner } from "../../src/modules/field/connection-runner.ts";
import { createModbusProtocol } from "../../src/modules/modbus/modbus.protocol.ts";
import type { ModbusRegister, ModbusUnit } from "../../src/modules/modbus/modbus.types.ts";
import type { FairShare } from "../../src/platform/load/fair-share.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import {
  addressesPdu,
  type ModbusServer,
  responseFrame,
  type Script,
  startModbusServer,
} from "./modbus-server.ts";

const closing: (() => Promise<void>)[] = [];
/** Stops the lines and servers of a test. */
export async function endLines(): Promise<void> {
  for (const close of closing.splice(0).toReversed()) await close();
}

export const registersAt = (...addresses: number[]): ModbusRegister[] =>
  addresses.map((address) => ({ key: `r${address}`, area: "HOLDING_REGISTER", address, type: "UINT16" }));

export const unitOf = (fields: Partial<ModbusUnit> = {}): ModbusUnit => ({
  modbusUnitId: `unit ${fields.unitId ?? 1}`,
  connectionId: "line",
  deviceId: `device ${fields.unitId ?? 1}` as DeviceId,
  unitId: 1,
  intervalMs: 100,
  wordsMax: 125,
  gapMax: 8,
  registers: registersAt(0),
  createdAt: 0,
  updatedAt: 0,
  ...fields,
});

export const server = async (script: Script, framing?: ModbusFraming): Promise<ModbusServer> => {
  const started = await startModbusServer(script, framing);
  closing.push(() => started.stop());
  return started;
};

const noLog = { error: () => undefined } as never;

/** Runs a connection to the server. Lists what was stored, in order. */
export function run(
  { port = 0, path = "127.0.0.1" }: { port?: number; path?: string },
  {
    units = [unitOf()],
    framing = "TCP" as ModbusFraming,
    serial = null as SerialSettings | null,
    timeoutMs = 200,
    clock = systemClock,
    store = async () => undefined,
    share = undefined as Pick<FairShare, "enter"> | undefined,
    resolve = async () => ["127.0.0.1"],
  }: {
    units?: readonly ModbusUnit[];
    framing?: ModbusFraming;
    serial?: SerialSettings | null;
    timeoutMs?: number;
    share?: Pick<FairShare, "enter"> | undefined;
    clock?: typeof systemClock;
    store?: () => Promise<void>;
    resolve?: () => Promise<string[]>;
  } = {},
) {
  const stored: { unitId: number; values: Readonly<Record<string, RegisterValue>> }[] = [];
  const runner = new ConnectionRunner({
    protocol: createModbusProtocol({ isHost: () => true }),
    connection: {
      connectionId: "line",
      tenantId: "tenant" as TenantId,
      name: "line",
      enabled: true,
      host: path,
      port,
      framing,
      serial,
      timeoutMs,
      pauseMs: 0,
      createdAt: 0,
      updatedAt: 0,
    },
    units,
    addresses: { resolve },
    store: async ({ unitId }, points) => {
      if (points.length === 0) return; // a sign of life
      await store();
      const values = Object.fromEntries(points.map(({ key, value }) => [key, value]));
      stored.push({ unitId, values: { ...values } });
    },
    onConnected: () => undefined,
    onFailed: () => undefined,
    ...(share && { share }),
    clock,
    random: () => 0,
    log: noLog,
  });
  closing.push(() => runner.stop());
  runner.start();
  const health = (unitId = 1) => runner.pollerOf(`unit ${unitId}`)?.health;
  return { runner, stored, health };
}

/** Every stored value must be the address of its own register. */
export const ensureTrue = (stored: ReturnType<typeof run>["stored"]) => {
  for (const { values } of stored)
    for (const [key, value] of Object.entries(values))
      expect(`${key}=${value}`).toBe(`${key}=${key.slice(1)}`);
};

export const good =
  (framing: ModbusFraming = "TCP"): Script =>
  (request) =>
    responseFrame(framing, { ...request, pdu: addressesPdu(request) });
