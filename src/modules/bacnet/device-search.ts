import { isIPv4 } from "node:net";
import { INSTANCE_MAX } from "../../lib/bacnet/bacnet-objects.ts";
import { conflict, invalid } from "../../lib/core/domain-error.ts";
import {
  BACNET_PORT,
  type FoundBacnetDevice,
  ownBroadcasts,
  searchBacnet,
} from "../../platform/bacnet/bacnet-discovery.ts";
import type { OutboundAddresses } from "../../platform/network/outbound-address.ts";
import { conflictOf } from "../field/field.service.ts";
import type { Principal } from "../users/users.types.ts";
import { bacnetErrors } from "./bacnet.errors.ts";
import { bacnetProtocol } from "./bacnet.protocol.ts";

const WAIT_MS = 3_000;

interface SearchInput {
  readonly address?: string;
  readonly port?: number;
  readonly isBbmd?: boolean;
  readonly low?: number;
  readonly high?: number;
}

export type DeviceSearch = (principal: Principal, input: SearchInput) => Promise<FoundBacnetDevice[]>;

/** Searches for devices, one search at a time, because all responses arrive at one port. */
export function createDeviceSearch(addresses: OutboundAddresses): DeviceSearch {
  let isRunning = false;
  return async ({ tenantId, devices }, input) => {
    if (devices !== "all") throw bacnetErrors.needsAllDevices();
    if (isRunning) throw conflict("bacnet.search_running");
    const { address, port = BACNET_PORT, isBbmd = false, low = 0, high = INSTANCE_MAX } = input;
    const rule = addresses.of(tenantId);
    isRunning = true;
    try {
      const asked = address === undefined ? ownBroadcasts() : [address];
      const found = await Promise.all(asked.map((host) => rule.resolve(host, port)));
      const usable = found.flat().filter((host) => isIPv4(host));
      if (address !== undefined && usable.length === 0) throw invalid("bacnet.needs_ipv4");
      return await searchBacnet({ addresses: usable, port, isBbmd, low, high, waitMs: WAIT_MS });
    } catch (error) {
      throw conflictOf(error, bacnetProtocol);
    } finally {
      isRunning = false;
    }
  };
}
