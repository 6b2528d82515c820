import { DomainError } from "../lib/domain-error.ts";
import type { IngestDevice } from "../modules/ingest/ingest.types.ts";
import type { MqttServerDeps } from "./mqtt.types.ts";
import type { Will } from "./packets.ts";
import { ingestTopic, longForm } from "./topics.ts";

/** First bytes of a refused body, kept for the person who has to find the mistake. */
const sampleBytes = 256;

/** What devices publish beside the hot lane: requests, answers to commands, and wills. */
export class DeviceMessages {
  readonly #deps: Pick<MqttServerDeps, "ingest" | "log" | "onMessage">;

  constructor(deps: Pick<MqttServerDeps, "ingest" | "log" | "onMessage">) {
    this.#deps = deps;
  }

  /** A topic other than telemetry and attributes; lists and refuses (throws) one that nobody knows. */
  take(device: IngestDevice, topic: string, body: Uint8Array): Promise<void> {
    const handled = this.#deps.onMessage?.(device, longForm(topic), body);
    if (handled !== undefined) return handled;
    const reason = "no such topic for a device to publish to";
    const sample = body.slice(0, sampleBytes);
    this.#deps.ingest.reject(device, { source: "mqtt", where: topic, code: "topic.unknown", reason, sample });
    throw new DomainError("not_found", "topic.unknown", reason);
  }

  /** Takes the same way as any message of the device; nobody waits for its answer. */
  will(device: IngestDevice, { topic, payload }: Will): void {
    if (device.revoked) return;
    const failed = (error: unknown) =>
      this.#deps.log.warn("a will was not taken", { deviceId: device.deviceId, error });
    try {
      const bytes = new TextEncoder().encode(topic);
      const ingest = ingestTopic(bytes, 0, bytes.length);
      const taken =
        ingest === undefined
          ? this.take(device, topic, payload)
          : this.#deps.ingest[ingest](device, payload, "mqtt");
      taken.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
