import { decodeBody } from "../../../lib/body.ts";
import { detail } from "../../../lib/domain-error.ts";
import { isJsonObject } from "../../../lib/json.ts";
import type { BrokerConnection } from "../../../platform/broker/broker-connection.ts";
import { TargetError } from "../uplink.errors.ts";
import { toPublishError } from "./broker-errors.ts";
import { gatewayMessage } from "./child-names.ts";

const ANSWER_MS_MAX = 15_000;

interface Question {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests for client attributes of children. */
export class ChildQuestions {
  /** Keyed by request id. */
  readonly #open = new Map<number, Question>();
  #lastId = 0;

  /** @throws TargetError */
  async ask(connection: BrokerConnection, child: string, key: string): Promise<unknown> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#open.set(id, { resolve, reject });
    const failed = (reason: ReturnType<typeof detail>) =>
      reject(new TargetError("retry", detail("uplink.unreachable", { reason })));
    const timer = setTimeout(
      () => failed(detail("network_error.no_answer_within", { ms: ANSWER_MS_MAX })),
      ANSWER_MS_MAX,
    );
    const message = gatewayMessage("attributes/request", { id, device: child, client: true, key });
    connection.publish(message).catch((error) => reject(toPublishError(error, message.topic)));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#open.delete(id);
    }
  }

  /** The connection is gone: nothing is answered any more. */
  end(): void {
    const error = new TargetError(
      "retry",
      detail("uplink.unreachable", { reason: detail("broker_error.closed") }),
    );
    for (const { reject } of this.#open.values()) reject(error);
  }

  /** Takes `{"id", "device", "value"}`. */
  answered(payload: Uint8Array): void {
    try {
      const body = decodeBody(payload, "AUTO");
      if (isJsonObject(body)) this.#open.get(Number(body.id))?.resolve(body.value);
    } catch {
      // An answer that cannot be read is none: the question ends with its time.
    }
  }
}
