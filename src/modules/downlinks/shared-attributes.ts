import { DomainError } from "../../lib/core/domain-error.ts";
import type { DeviceId, TenantId } from "../../lib/core/ids.ts";
import type { BrokerMessage } from "../../platform/broker/broker.types.ts";
import type { Logger } from "../../platform/core/log.ts";
import { DeviceRounds } from "../../platform/load/device-rounds.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { SharedUpdate } from "../attributes/attributes.types.ts";
import type { Integration } from "../integrations/integrations.resource.ts";
import { attributeMessages } from "./command-messages.ts";

interface SharedAttributesDeps {
  readonly externalIdOf: (deviceId: DeviceId) => string | undefined;
  /** Returns the integration that the device was last seen through, if it is running. */
  readonly integrationOf: (deviceId: DeviceId) => Integration | undefined;
  readonly changesSince: (
    device: { readonly tenantId: TenantId; readonly deviceId: DeviceId },
    changeId: number,
  ) => Promise<SharedUpdate | undefined>;
  /** Returns the saved id of the newest change that the broker has. */
  readonly sentChange: (deviceId: DeviceId) => number;
  readonly saveSent: (deviceId: DeviceId, changeId: number) => void;
  readonly publish: (integrationId: string, message: BrokerMessage) => Promise<void>;
  readonly log: Logger;
}

const CHECKED_MAX = 100_000;

/**
 * Sends changes of SHARED attributes to devices of brokers. Unsent changes are sent when the connection is restored, or with the device's next
 * message; the newest sent change is saved.
 */
export class SharedAttributes {
  readonly #deps: SharedAttributesDeps;
  /** Devices with unsent changes. */
  readonly #behind = new Set<DeviceId>();
  /** Devices that had nothing to send at their last check. */
  readonly #checked = new Set<DeviceId>();
  readonly #inFlight = new Set<DeviceId>();
  /** Devices to check again after the messages in flight. */
  readonly #again = new Set<DeviceId>();
  readonly #rounds = new DeviceRounds({
    devices: () => [...this.#behind],
    visit: (deviceId) => this.#send(deviceId),
    isRunning: () => true,
    onError: (error) => this.#deps.log.error("sending shared attributes failed", { error }),
  });

  constructor(deps: SharedAttributesDeps) {
    this.#deps = deps;
  }

  changed(deviceId: DeviceId): void {
    this.#checked.delete(deviceId);
    this.#send(deviceId);
  }

  /** Sends changes that are left from before a restart. */
  seen({ settings }: Integration, deviceId: DeviceId): void {
    if (settings.mqtt?.attributesTopic !== undefined && !this.#checked.has(deviceId)) this.#send(deviceId);
  }

  /** Retries after a connection to a broker may have been restored. */
  retry(): void {
    this.#rounds.start("behind", (deviceId) => this.#behind.has(deviceId));
  }

  /** Checks all devices again, because an integration's topic may have changed. */
  recheck(): void {
    this.#checked.clear();
  }

  #send(deviceId: DeviceId): void {
    if (this.#inFlight.has(deviceId)) {
      this.#again.add(deviceId);
      return;
    }
    this.#inFlight.add(deviceId);
    this.#deliver(deviceId)
      .then(() => {
        this.#behind.delete(deviceId);
        if (this.#checked.size >= CHECKED_MAX) this.#checked.clear();
        this.#checked.add(deviceId);
      })
      .catch((error) => {
        this.#behind.add(deviceId);
        this.#deps.log.info("shared attributes wait for the broker", { deviceId, error });
      })
      .finally(() => {
        this.#inFlight.delete(deviceId);
        if (this.#again.delete(deviceId)) this.#send(deviceId);
      });
  }

  async #deliver(deviceId: DeviceId): Promise<void> {
    const { externalIdOf, integrationOf, changesSince, sentChange, saveSent } = this.#deps;
    for (;;) {
      const integration = integrationOf(deviceId);
      const externalId = externalIdOf(deviceId);
      if (externalId === undefined || integration?.settings.mqtt?.attributesTopic === undefined) return;
      const update = await changesSince({ tenantId: integration.tenantId, deviceId }, sentChange(deviceId));
      if (update === undefined) return;
      for (const message of attributeMessages(
        { settings: integration.settings, externalId },
        update.values,
      )) {
        await this.#publish(integration, message);
        await workShare.pause(); // there may be thousands, and without a connection each is refused immediately
      }
      saveSent(deviceId, update.changeId);
    }
  }

  /** Publishes a message. A message that no broker accepts must not hold up the others. */
  async #publish({ integrationId }: Integration, message: BrokerMessage): Promise<void> {
    try {
      await this.#deps.publish(integrationId, message);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== "invalid") throw error;
      this.#deps.log.warn("sending a shared attribute failed", { integrationId, error });
    }
  }
}
