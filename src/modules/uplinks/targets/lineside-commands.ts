import { decodeBody } from "../../../lib/body.ts";
import { DomainError, detail, errorReply } from "../../../lib/domain-error.ts";
import { excerpt } from "../../../lib/excerpt.ts";
import { isJsonObject, type JsonValue } from "../../../lib/json.ts";
import { toPlainJson } from "../../../lib/plain-json.ts";
import type { BrokerConnection } from "../../../platform/broker/broker-connection.ts";
import type { TargetContext } from "../uplink.types.ts";
import { type ChildNames, gatewayMessage } from "./child-names.ts";

/** Commands that wait for their device. */
const RUNNING_MAX = 100;

export interface LinesideCommandsDeps {
  readonly context: Pick<TargetContext, "command">;
  readonly names: Pick<ChildNames, "deviceOf">;
}

/** Commands of the upstream server for children: `{"device", "data": {"id", "method", "params"}}`. */
export class LinesideCommands {
  readonly #deps: LinesideCommandsDeps;
  readonly #running = new Set<Promise<void>>();

  constructor(deps: LinesideCommandsDeps) {
    this.#deps = deps;
  }

  /** Resolves when the commands that run have their answers, or after `ms`: the server has them no more. */
  settled(ms: number): Promise<unknown> {
    return Promise.race([Promise.all(this.#running), Bun.sleep(ms)]);
  }

  /** Runs a command and answers it, as long as the connection lasts. Never rejects. */
  async run(connection: BrokerConnection, payload: Uint8Array): Promise<void> {
    const command = commandIn(payload);
    if (command === undefined) return;
    const { device, id } = command;
    const answering = this.#answerTo(connection, command).then((data) =>
      connection.publish(gatewayMessage("rpc", { device, id, data })).catch(() => undefined),
    );
    this.#running.add(answering);
    await answering.finally(() => this.#running.delete(answering));
  }

  async #answerTo(connection: BrokerConnection, command: ChildCommand): Promise<JsonValue> {
    const { context, names } = this.#deps;
    if (this.#running.size >= RUNNING_MAX)
      return errorReply(detail("uplink.commands_limit", { max: RUNNING_MAX }));
    try {
      const deviceId = await names.deviceOf(connection, command.device);
      if (deviceId === undefined || context.command === undefined)
        return errorReply(detail("uplink.device_unknown", { name: excerpt(command.device) }));
      return await context.command(deviceId, command.method, command.params);
    } catch (error) {
      return errorReply(error instanceof DomainError ? error : detail("request.failed"));
    }
  }
}

interface ChildCommand {
  readonly device: string;
  readonly id: number | string;
  readonly method: string;
  readonly params: JsonValue;
}

function commandIn(payload: Uint8Array): ChildCommand | undefined {
  try {
    const body = decodeBody(payload, "AUTO");
    if (!isJsonObject(body) || !isJsonObject(body.data) || typeof body.device !== "string") return undefined;
    const { id, method, params = null } = body.data;
    if (typeof method !== "string" || (typeof id !== "number" && typeof id !== "string")) return undefined;
    return { device: body.device, id, method, params: toPlainJson(params, "command") };
  } catch {
    return undefined;
  }
}
