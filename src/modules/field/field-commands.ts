import { DomainError, detail } from "../../lib/core/domain-error.ts";
import type { DeviceId } from "../../lib/core/ids.ts";
import { settingOf } from "../../lib/devices/command-setting.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { Text } from "../../lib/texts/text.ts";
import {
  type Command,
  CommandFailure,
  type CommandResponse,
  type CommandTransport,
} from "../commands/commands.types.ts";
import type { ConnectionRunner } from "./connection-runner.ts";
import type { FieldKind, FieldProtocol } from "./field.protocol.ts";

interface FieldCommandsDeps<Kind extends FieldKind> {
  readonly protocol: FieldProtocol<Kind>;
  readonly unitOfDevice: (deviceId: DeviceId) => Kind["unit"] | undefined;
  readonly runnerOf: (connectionId: string) => ConnectionRunner<Kind> | undefined;
  readonly answered: (deviceId: DeviceId, rpcId: number, response: CommandResponse) => boolean;
}

/** Command transport to devices behind a field protocol: a command writes an entry and responds with the value read back. */
export class FieldCommands<Kind extends FieldKind> implements CommandTransport {
  readonly #deps: FieldCommandsDeps<Kind>;

  constructor(deps: FieldCommandsDeps<Kind>) {
    this.#deps = deps;
  }

  send(command: Command): boolean {
    const { deviceId, rpcId } = command;
    const { unitOfDevice, runnerOf, answered } = this.#deps;
    const unit = unitOfDevice(deviceId);
    const runner = unit && runnerOf(unit.connectionId);
    if (unit === undefined || runner?.state.status !== "connected") return false;
    // Deferred, because the caller first records that the command was sent.
    void Promise.resolve()
      .then(() => this.#write(runner, unit, command))
      .catch((error) => new CommandFailure(this.#reasonOf(error)))
      .then((response) => answered(deviceId, rpcId, response));
    return true;
  }

  has(command: Command): boolean | undefined {
    const unit = this.#deps.unitOfDevice(command.deviceId);
    return unit && this.#entryOf(unit, settingOf(command).name) !== undefined;
  }

  /** Returns false, because a command is finished as soon as it is sent. */
  keepsFor(): boolean {
    return false;
  }

  async #write(runner: ConnectionRunner<Kind>, unit: Kind["unit"], command: Command): Promise<JsonValue> {
    const { protocol } = this.#deps;
    const setting = settingOf(command);
    return runner.perform(protocol.writing(unit, this.#writableEntry(unit, setting.name), setting));
  }

  /** Returns the reason of a failed write. Without a response, the device may have written the value nevertheless. */
  #reasonOf(error: unknown): DomainError | Text {
    if (error instanceof DomainError && error.kind !== "timed_out") return error;
    const { text, isResponse } = this.#deps.protocol.failureOf(error);
    return isResponse ? text : detail("field.write_unconfirmed", { reason: text });
  }

  #entryOf(unit: Kind["unit"], key: string): Kind["entry"] | undefined {
    const { entriesOf, keysOf } = this.#deps.protocol;
    return entriesOf(unit).find((candidate) => keysOf(candidate).includes(key));
  }

  /** @throws DomainError `invalid` unless the key belongs to a writable entry */
  #writableEntry(unit: Kind["unit"], key: string): Kind["entry"] {
    const { errors } = this.#deps.protocol;
    const entry = this.#entryOf(unit, key);
    if (entry === undefined) throw errors.keyUnknown(key);
    if (entry.writable !== true) throw errors.keyNotWritable(key);
    return entry;
  }
}
