import { DomainError, forbidden } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Will } from "../../lib/mqtt/packets.ts";
import { noProperties } from "../../lib/mqtt/properties.ts";
import type { IngestDevice } from "../../modules/ingest/ingest.types.ts";
import type { Broker } from "../broker/broker.ts";
import type { PublishDelays } from "../broker/publish-delays.ts";
import type {
  MqttApplication,
  MqttHandlers,
  MqttProvisioningSession,
  MqttServerDeps,
  PublishedMessage,
} from "../mqtt.types.ts";
import type { Principal } from "../topics/principal.ts";
import {
  ingestTopic,
  longForm,
  PROVISION_REQUEST,
  PROVISION_RESPONSE,
  unknownTopic,
} from "../topics/topics.ts";
import type { IncomingMessage } from "./publish-intake.ts";

/** Bytes kept of a refused body, for troubleshooting. */
const SAMPLE_BYTES = 256;

export interface MessageDeps
  extends Pick<MqttServerDeps, "ingest" | "log">,
    Pick<MqttHandlers, "onMessage" | "onPublished"> {
  broker(): Broker;
  readonly delays: PublishDelays;
  /** Called when an application has published on a topic of its tenant. */
  onPublished?(tenantId: TenantId, message: PublishedMessage): Promise<void> | undefined;
  /** Called when an application has published on a topic that its key does not permit. */
  onForbidden(principal: Principal, message: IncomingMessage): void;
}

/** Messages of clients outside the fast path: requests and responses of devices, messages of applications, and wills. */
export class IncomingMessages {
  readonly #deps: MessageDeps;

  constructor(deps: MessageDeps) {
    this.#deps = deps;
  }

  /** Resolves when the sender may be acknowledged. @throws DomainError to refuse the message */
  take(principal: Principal, message: IncomingMessage): Promise<void> {
    if (principal.device !== undefined) return this.#fromDevice(principal.device, message);
    if (principal.provisioningSession !== undefined)
      return this.#claim(principal.space, principal.provisioningSession, message);
    const { application } = principal;
    if (application?.mayPublish(message.topic) === true)
      return this.#fromApplication(principal, application, message);
    if (application !== undefined) this.#deps.onForbidden(principal, message);
    throw forbidden("topic.forbidden");
  }

  /** Handles a message of an application. Above its rate, acknowledgements are delayed, so that it publishes no faster; nothing is dropped. */
  #fromApplication(
    { space }: Principal,
    application: MqttApplication,
    message: IncomingMessage,
  ): Promise<void> {
    const { limiter } = application;
    const delay = limiter === undefined ? undefined : this.#deps.delays.pass(limiter, message.payload.length);
    if (delay === undefined) return this.#publish(space, application, message);
    // Copied, because the connection's buffer is reused meanwhile.
    const kept = { ...message, payload: new Uint8Array(message.payload) };
    return delay.then(() => {
      if (application.revoked || application.isReplaced === true) throw forbidden("topic.forbidden");
      return this.#publish(space, application, kept);
    });
  }

  #publish(space: string, { tenantId }: MqttApplication, message: IncomingMessage): Promise<void> {
    const taken = this.#deps.onPublished?.(tenantId, message);
    const published = this.#deps.broker().publish(space, message);
    return taken === undefined ? published : Promise.all([taken, published]).then(() => undefined);
  }

  async #claim(
    space: string,
    provisioningSession: MqttProvisioningSession,
    message: IncomingMessage,
  ): Promise<void> {
    if (message.topic !== PROVISION_REQUEST) throw forbidden("topic.claim_only");
    const payload = await provisioningSession.claim(message.payload.slice());
    const response = { topic: PROVISION_RESPONSE, payload, qos: 1 as const, retain: false };
    await this.#deps.broker().publish(space, { ...response, properties: noProperties, from: undefined });
  }

  /** Handles a will like any message of its client, without an acknowledgement. */
  will(principal: Principal, will: Will): void {
    if (principal.revoked || principal.provisioningSession !== undefined) return;
    const failed = (error: unknown) => {
      // Its errors are listed on its device.
      if (!(error instanceof DomainError) || error.kind === "unavailable")
        this.#deps.log.warn("will message rejected", { space: principal.space, error });
    };
    try {
      this.#takeWill(principal, { ...will, from: undefined }).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #takeWill(principal: Principal, message: IncomingMessage): Promise<void> {
    const bytes = new TextEncoder().encode(message.topic);
    const ingest = ingestTopic(bytes, 0, bytes.length);
    if (principal.device === undefined || ingest === undefined) return this.take(principal, message);
    return this.#deps.ingest[ingest](principal.device, message.payload, "mqtt");
  }

  #fromDevice(device: IngestDevice, { topic, payload }: IncomingMessage): Promise<void> {
    const handled = this.#deps.onMessage?.(device, longForm(topic), payload);
    if (handled !== undefined) return handled;
    const error = new DomainError("not_found", unknownTopic(device, topic));
    const { code, params } = error;
    const sample = payload.slice(0, SAMPLE_BYTES);
    this.#deps.ingest.reject(device, { source: "mqtt", where: topic, code, params, sample });
    throw error;
  }
}
