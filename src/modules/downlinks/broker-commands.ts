import { DomainError } from "../../lib/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/ids.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import type { Logger } from "../../platform/log.ts";
import type { Command, CommandTransport } from "../commands/commands.types.ts";
import type { Integration } from "../integrations/integrations.types.ts";
import { commandMessage, hasCommands } from "./command-messages.ts";
import { failureOf } from "./downlink-lifecycle.ts";

/** Commands, as far as brokers carry them. */
interface AnsweredCommands {
  answered(deviceId: DeviceId, rpcId: number, answer: JsonValue): boolean;
  /** Queues again what was sent to the device. */
  left(deviceId: DeviceId): void;
}

interface BrokerCommandsDeps {
  readonly commands: AnsweredCommands;
  /** The name of a device in its topics; undefined for one of no integration. */
  readonly externalIdOf: (deviceId: DeviceId) => string | undefined;
  /** The integration through which the device was heard last, as it was saved. */
  readonly savedIntegrationOf: (deviceId: DeviceId) => string | undefined;
  readonly saveIntegration: (deviceId: DeviceId, integrationId: string) => void;
  readonly list: (tenantId: TenantId) => readonly Integration[];
  readonly publish: (integrationId: string, message: BrokerMessage) => Promise<void>;
  readonly now: () => number;
  readonly log: Logger;
}

const CACHED_MAX = 100_000;

const isSender = ({ status, settings }: Integration): boolean =>
  (status === "active" || status === "error") && settings.mqtt !== undefined && hasCommands(settings.format);

/**
 * Commands to devices of a broker: Tasmota, Zigbee2MQTT, Shelly, Sparkplug. A command is successful once the broker has it: these devices
 * answer in their own topics, as telemetry. Without a connection it waits.
 */
export class BrokerCommands implements CommandTransport {
  readonly #deps: BrokerCommandsDeps;
  /** Device → integration that is saved, so that a message that tells nothing new costs no look-up. */
  readonly #saved = new Map<DeviceId, string>();

  constructor(deps: BrokerCommandsDeps) {
    this.#deps = deps;
  }

  /** A device was heard through an integration: that is the way back. */
  seen(integration: Integration, deviceId: DeviceId): void {
    const { integrationId } = integration;
    if (this.#saved.get(deviceId) === integrationId || !isSender(integration)) return;
    const { savedIntegrationOf, saveIntegration } = this.#deps;
    if (savedIntegrationOf(deviceId) !== integrationId) saveIntegration(deviceId, integrationId);
    if (this.#saved.size >= CACHED_MAX) this.#saved.clear();
    this.#saved.set(deviceId, integrationId);
  }

  send(command: Command): boolean {
    const { deviceId, tenantId } = command;
    const externalId = this.#deps.externalIdOf(deviceId);
    const integration = externalId === undefined ? undefined : this.#integrationOf(tenantId, deviceId);
    if (externalId === undefined || integration === undefined) return false;
    try {
      const target = { settings: integration.settings, externalId, now: this.#deps.now() };
      void this.#publish(integration, command, commandMessage(target, command));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#fail(command, error);
    }
    return true;
  }

  /** What was published is finished at once, and what was not is sent again. */
  keepsFor(): boolean {
    return false;
  }

  #integrationOf(tenantId: TenantId, deviceId: DeviceId): Integration | undefined {
    const senders = this.#deps.list(tenantId).filter(isSender);
    const saved = this.#deps.savedIntegrationOf(deviceId);
    return saved === undefined ? undefined : senders.find(({ integrationId }) => integrationId === saved);
  }

  async #publish({ integrationId }: Integration, command: Command, message: BrokerMessage): Promise<void> {
    const { commands, publish, log } = this.#deps;
    const { deviceId, rpcId } = command;
    try {
      await publish(integrationId, message);
      commands.answered(deviceId, rpcId, { published: message.topic });
    } catch (error) {
      log.info("a command waits for the broker", { integrationId, deviceId, error });
      commands.left(deviceId);
    }
  }

  /** Later: the caller that hands the command over writes first that it was sent. */
  #fail({ deviceId, rpcId }: Command, error: DomainError): void {
    queueMicrotask(() => void this.#deps.commands.answered(deviceId, rpcId, failureOf(error)));
  }
}
