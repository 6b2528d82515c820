import { DomainError, invalid } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { settingOf } from "../../lib/devices/command-setting.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import { sizeOf } from "../../lib/modbus/modbus-lists.ts";
import {
  ensureWritten,
  ILLEGAL_FUNCTION,
  ModbusException,
  readAnswer,
  readRequest,
  writeManyRequest,
  writeRequest,
} from "../../lib/modbus/modbus-pdu.ts";
import { decodeRegister, encodeRegister, RegisterValueError } from "../../lib/modbus/register-values.ts";
import type { ModbusConnection } from "../../platform/modbus/modbus-connection.ts";
import {
  type Command,
  type CommandAnswer,
  CommandFailure,
  type CommandTransport,
} from "../commands/commands.types.ts";
import type { ConnectionRunner } from "./connection-runner.ts";
import { modbusRegisterInvalid } from "./modbus.errors.ts";
import type { ModbusRegister, ModbusUnit } from "./modbus.types.ts";
import { errorTextOf } from "./unit-poller.ts";

interface ModbusCommandsDeps {
  readonly unitOfDevice: (deviceId: DeviceId) => ModbusUnit | undefined;
  readonly runnerOf: (connectionId: string) => ConnectionRunner | undefined;
  readonly answered: (deviceId: DeviceId, rpcId: number, answer: CommandAnswer) => boolean;
}

/** @throws DomainError `invalid` unless the key is a writable register of the unit */
function writableRegister({ registers }: ModbusUnit, key: string): ModbusRegister {
  const register = registers.find((candidate) => candidate.key === key);
  if (register === undefined) throw invalid("modbus.key_unknown", { key });
  if (register.writable !== true) throw invalid("modbus.key_not_writable", { key });
  return register;
}

function wordsFor(register: ModbusRegister, value: JsonValue): number[] {
  try {
    return encodeRegister(register, value);
  } catch (error) {
    if (error instanceof RegisterValueError) throw modbusRegisterInvalid(register.key, error.reason);
    throw error;
  }
}

/** Writes a value with the function for one value. For a unit that does not support it, uses the function for several values from then on. */
async function writeWords(
  connection: ModbusConnection,
  unitId: number,
  { register, words }: { register: ModbusRegister; words: readonly number[] },
): Promise<void> {
  const { area, address } = register;
  const isMany = words.length > 1 || connection.writingMany.has(unitId);
  const request = (isMany ? writeManyRequest : writeRequest)(area, address, words);
  try {
    ensureWritten(request, await connection.request(unitId, request));
  } catch (error) {
    const isUnknown = error instanceof ModbusException && error.exceptionCode === ILLEGAL_FUNCTION;
    if (isMany || !isUnknown) throw error;
    const other = writeManyRequest(area, address, words);
    ensureWritten(other, await connection.request(unitId, other));
    connection.writingMany.add(unitId);
  }
}

/**
 * Writes a value and reads it back. Resolves to what the device has then, which may differ from what was written: a device may limit
 * it or apply it later. The value is `null` where the device refuses to be read.
 */
export async function writeRegister(
  connection: ModbusConnection,
  unitId: number,
  { register, words }: { register: ModbusRegister; words: readonly number[] },
): Promise<JsonValue> {
  const { area, address, key } = register;
  await writeWords(connection, unitId, { register, words });
  const range = { area, address, count: sizeOf(register) };
  try {
    const read = readAnswer(range, await connection.request(unitId, readRequest(range)));
    return { [key]: decodeRegister(register, read) ?? null };
  } catch (error) {
    // The device has the value: many registers can only be written.
    if (error instanceof ModbusException) return { [key]: null };
    throw error;
  }
}

/** Transport of commands to devices behind Modbus: a command writes a register, and its answer is the value that was read back. */
export class ModbusCommands implements CommandTransport {
  readonly #deps: ModbusCommandsDeps;

  constructor(deps: ModbusCommandsDeps) {
    this.#deps = deps;
  }

  send(command: Command): boolean {
    const { deviceId, rpcId } = command;
    const { unitOfDevice, runnerOf, answered } = this.#deps;
    const unit = unitOfDevice(deviceId);
    const runner = unit && runnerOf(unit.connectionId);
    if (unit === undefined || runner?.state.status !== "connected") return false;
    // In a later step: the caller records first that the command was sent.
    void Promise.resolve()
      .then(() => this.#write(runner, unit, command))
      .catch((error) => new CommandFailure(error instanceof DomainError ? error : errorTextOf(error)))
      .then((answer) => answered(deviceId, rpcId, answer));
    return true;
  }

  /** Returns false, because a command that was sent is finished immediately. */
  keepsFor(): boolean {
    return false;
  }

  async #write(runner: ConnectionRunner, unit: ModbusUnit, command: Command): Promise<JsonValue> {
    const { name, value } = settingOf(command);
    const register = writableRegister(unit, name);
    const words = wordsFor(register, value);
    return runner.perform((connection) => writeRegister(connection, unit.unitId, { register, words }));
  }
}
