import { detail } from "../../../lib/domain-error.ts";
import { messageOf } from "../../../lib/network-error.ts";
import type { BrokerMessage } from "../../../platform/broker/broker.types.ts";
import type { BrokerConnection } from "../../../platform/broker/broker-connection.ts";
import { TargetError } from "../uplink.errors.ts";
import type { UplinkDevice } from "../uplink.types.ts";
import { toPublishError } from "./broker-errors.ts";

/** Client attribute of a child that says which device it stands for. */
export const DEVICE_ID_KEY = "linesideDeviceId";
const SITE_KEY = "linesideSite";

const NAME_CHARACTERS_MAX = 256;
/** The first digits of an id are its time: devices that were imported together share them. The last ones are random. */
const ID_DIGITS = 6;
/** Questions and attributes that wait for their answer. */
const AT_ONCE_MAX = 100;

export interface ChildNamesDeps {
  readonly prefix: string;
  /** Resolves with a client attribute of a child; undefined without one. */
  readonly ask: (connection: BrokerConnection, child: string, key: string) => Promise<unknown>;
}

const utf8 = new TextEncoder();

export const gatewayMessage = (topic: string, body: unknown): BrokerMessage => ({
  topic: `v1/gateway/${topic}`,
  payload: utf8.encode(JSON.stringify(body)),
  qos: 1,
});

/**
 * Names of devices at the upstream server. The first device to use a name claims it there by a client attribute with its id, so a name stays with
 * its device over restarts of both sides without a file here. A second device of the same name gets the last digits of its id behind it.
 */
export class ChildNames {
  readonly #deps: ChildNamesDeps;
  /** Keyed by device id; of this connection. */
  readonly #names = new Map<string, { readonly wanted: string; readonly child: string }>();
  /** Device ids by child name. */
  readonly #devices = new Map<string, string>();

  constructor(deps: ChildNamesDeps) {
    this.#deps = deps;
  }

  /** The next connection asks again. */
  forget(): void {
    this.#names.clear();
    this.#devices.clear();
  }

  /** Returns the name that `claim` has found. */
  nameOf({ deviceId }: UplinkDevice): string {
    return this.#names.get(deviceId)?.child ?? "";
  }

  /** Gives a name up, so that the next device of this name continues its history. */
  release({ deviceId }: UplinkDevice): void {
    const child = this.#names.get(deviceId)?.child;
    this.#names.delete(deviceId);
    if (child !== undefined) this.#devices.delete(child);
  }

  /** Finds names for the devices that have none yet, and tells the server of them. @throws TargetError */
  async claim(connection: BrokerConnection, devices: readonly UplinkDevice[]): Promise<void> {
    const missing = [...new Map(devices.map((device) => [device.deviceId, device])).values()].filter(
      (device) => this.#names.get(device.deviceId)?.wanted !== this.#wantedNameOf(device),
    );
    for (let start = 0; start < missing.length; start += AT_ONCE_MAX) {
      const part = missing.slice(start, start + AT_ONCE_MAX);
      await Promise.all(part.map((device) => this.#claimOne(connection, device)));
    }
  }

  /** Returns the device that a child stands for, of this or an earlier connection. */
  async deviceOf(connection: BrokerConnection, child: string): Promise<string | undefined> {
    const deviceId = this.#devices.get(child);
    if (deviceId !== undefined) return deviceId;
    const claimed = await this.#deps.ask(connection, child, DEVICE_ID_KEY);
    return typeof claimed === "string" && claimed !== "" ? claimed : undefined;
  }

  #wantedNameOf({ name }: UplinkDevice): string {
    return `${this.#deps.prefix}${name}`.slice(0, NAME_CHARACTERS_MAX).toWellFormed();
  }

  async #claimOne(connection: BrokerConnection, device: UplinkDevice): Promise<void> {
    const { deviceId, site, tags } = device;
    const wanted = this.#wantedNameOf(device);
    const child = await this.#findName(connection, device, wanted);
    this.#names.set(deviceId, { wanted, child });
    this.#devices.set(child, deviceId);
    const attributes = { ...tags, [DEVICE_ID_KEY]: deviceId, [SITE_KEY]: site };
    await send(connection, gatewayMessage("attributes", { [child]: attributes }));
  }

  /** Connects as the first child that is not another device's. */
  async #findName(connection: BrokerConnection, device: UplinkDevice, wanted: string): Promise<string> {
    const { deviceId, type } = device;
    const suffixed = [deviceId.slice(-ID_DIGITS), deviceId].map((digits) => {
      const suffix = ` (${digits})`;
      return `${wanted.slice(0, NAME_CHARACTERS_MAX - suffix.length)}${suffix}`;
    });
    let refusal: TargetError | undefined;
    for (const child of [wanted, ...suffixed]) {
      const holder = this.#devices.get(child);
      if (holder !== undefined && holder !== deviceId) continue;
      // Reserved before the first question, so that two devices of one batch do not ask for the same name.
      this.#devices.set(child, deviceId);
      try {
        await send(connection, gatewayMessage("connect", { device: child, type }));
        const claimed = await this.#deps.ask(connection, child, DEVICE_ID_KEY);
        if (typeof claimed !== "string" || claimed === "" || claimed === deviceId) return child;
      } catch (error) {
        if (!(error instanceof TargetError) || error.reaction === "retry") throw error;
        // The server may know a device of this name that is not a child of this gateway.
        refusal = error;
      }
      this.#devices.delete(child);
    }
    // No values are to blame: a person must make room for the device, or let the gateway create it.
    const reason = `${messageOf(refusal?.cause ?? "")} (${wanted})`;
    throw new TargetError("settings", detail("uplink.access_refused", { reason }), refusal);
  }
}

async function send(connection: BrokerConnection, message: BrokerMessage): Promise<void> {
  try {
    await connection.publish(message);
  } catch (error) {
    throw toPublishError(error, message.topic);
  }
}
