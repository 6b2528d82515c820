import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import type { Logger } from "../../platform/core/log.ts";
import {
  type Command,
  CommandFailure,
  type CommandResponse,
  type CommandTransport,
} from "../commands/commands.types.ts";
import type { Integration } from "../integrations/integrations.resource.ts";
import { type CommandTarget, commandMessage, hasCommands } from "./command-messages.ts";

/** Part of the command engine that this transport reports to. */
interface AnsweredCommands {
  answered(deviceId: DeviceId, rpcId: number, response: CommandResponse): boolean;
  /** Requeues commands that were sent to the device. */
  left(deviceId: DeviceId): void;
}

interface BrokerCommandsDeps {
  readonly commands: AnsweredCommands;
  /** Returns the device's name in its topics; undefined if the device belongs to no integration. */
  readonly externalIdOf: (deviceId: DeviceId) => string | undefined;
  /** Returns the saved id of the integration through which the device was last seen. */
  readonly savedIntegrationOf: (deviceId: DeviceId) => string | undefined;
  readonly saveIntegration: (deviceId: DeviceId, integrationId: string) => void;
  readonly find: (tenantId: TenantId, integrationId: string) => Integration | undefined;
  readonly metricType: (integration: Integration, externalId: string, name: string) => number | undefined;
  readonly announcedCommand: (
    integration: Integration,
    externalId: string,
    key: string,
  ) => ReturnType<NonNullable<CommandTarget["announced"]>>;
  readonly publish: (integrationId: string, message: BrokerMessage) => Promise<void>;
  readonly now: () => number;
  readonly log: Logger;
}

const CACHED_MAX = 100_000;

export const isInUse = ({ status, settings }: Integration): boolean =>
  (status === "active" || status === "error") && settings.mqtt !== undefined;

const takesCommands = (integration: Integration): boolean =>
  isInUse(integration) && hasCommands(integration.settings.format);

/** Returns whether an integration sends commands or attributes to its devices. */
const hasWayBack = (integration: Integration): boolean =>
  takesCommands(integration) ||
  (isInUse(integration) && integration.settings.mqtt?.attributesTopic !== undefined);

/**
 * Transport of commands to devices of a broker: Tasmota, Zigbee2MQTT, Shelly, Sparkplug. A command is successful once the broker has it,
 * as these devices report their new state as telemetry. Without a connection, the command waits.
 */
export class BrokerCommands implements CommandTransport {
  readonly #deps: BrokerCommandsDeps;
  /** Device → id of its saved integration; avoids a look-up for most messages. */
  readonly #saved = new Map<DeviceId, string>();

  constructor(deps: BrokerCommandsDeps) {
    this.#deps = deps;
  }

  /** Saves the integration through which a device was seen, for commands and attributes to the device. */
  seen(integration: Integration, deviceId: DeviceId): void {
    const { integrationId } = integration;
    if (this.#saved.get(deviceId) === integrationId || !hasWayBack(integration)) return;
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
      const target = {
        settings: integration.settings,
        externalId,
        now: this.#deps.now(),
        announced: (key: string) => this.#deps.announcedCommand(integration, externalId, key),
        metricType: (name: string) => this.#deps.metricType(integration, externalId, name),
      };
      void this.#publish(integration, command, commandMessage(target, command));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#fail(command, error);
    }
    return true;
  }

  /** Returns false, because nothing is kept for a device: a published command is finished immediately, and an unpublished command is sent again. */
  keepsFor(): boolean {
    return false;
  }

  #integrationOf(tenantId: TenantId, deviceId: DeviceId): Integration | undefined {
    const saved = this.#deps.savedIntegrationOf(deviceId);
    const integration = saved === undefined ? undefined : this.#deps.find(tenantId, saved);
    return integration !== undefined && takesCommands(integration) ? integration : undefined;
  }

  async #publish({ integrationId }: Integration, command: Command, message: BrokerMessage): Promise<void> {
    const { commands, publish, log } = this.#deps;
    const { deviceId, rpcId } = command;
    try {
      await publish(integrationId, message);
      commands.answered(deviceId, rpcId, { published: message.topic });
    } catch (error) {
      if (error instanceof DomainError && error.kind === "invalid") return this.#fail(command, error);
      log.info("command waits for the broker", { integrationId, deviceId, error });
      commands.left(deviceId);
    }
  }

  /** Fails the command in a microtask, after the caller of `send` has recorded it as sent. */
  #fail({ deviceId, rpcId }: Command, error: DomainError): void {
    queueMicrotask(() => void this.#deps.commands.answered(deviceId, rpcId, new CommandFailure(error)));
  }
}
