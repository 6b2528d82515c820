import { createSocket, type Socket } from "node:dgram";
import { networkInterfaces } from "node:os";
import { INSTANCE_MAX } from "../../lib/bacnet/bacnet-objects.ts";
import { BVLC, parseFrame, parseIAm, registrationFrame, whoIsFrame } from "../../lib/bacnet/bacnet-pdu.ts";
import { conflict, timedOut } from "../../lib/core/domain-error.ts";

/** A device that answered. */
export interface FoundBacnetDevice {
  readonly host: string;
  readonly port: number;
  readonly deviceInstance: number;
  readonly vendorId: number;
  readonly network: number | null;
  /** Address in its network, as hexadecimal digits. */
  readonly mac: string | null;
}

export interface BacnetSearch {
  /** Broadcast address of a network, or the address of a device, router or BBMD. */
  readonly addresses: readonly string[];
  readonly port: number;
  /** Whether the address belongs to a BBMD, where the gateway registers as a foreign device. The BBMD then forwards the request to its networks. */
  readonly isBbmd: boolean;
  readonly low: number;
  readonly high: number;
  readonly waitMs: number;
}

export const BACNET_PORT = 47_808;
const FOUND_MAX = 1_000;
const REGISTRATION_SECONDS = 30;
const RESULT_BYTES = 6;
/** Number of requests, evenly spread over the time, because a message may be lost. */
const ATTEMPTS = 2;

/** Broadcast addresses of the networks of this machine. */
export function ownBroadcasts(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return all.flatMap(({ family, internal, address, netmask }) => {
    if (family !== "IPv4" || internal) return [];
    const mask = netmask.split(".").map(Number);
    return [
      address
        .split(".")
        .map((part, index) => Number(part) | (~(mask[index] ?? 255) & 255))
        .join("."),
    ];
  });
}

/**
 * Listens on the port of BACnet, because many devices respond to that port by broadcast. If another program uses it, listens on any port and
 * receives only unicast responses.
 */
async function openSocket(): Promise<Socket> {
  for (const port of [BACNET_PORT, 0]) {
    const socket = createSocket({ type: "udp4", reuseAddr: true });
    const { promise, resolve } = Promise.withResolvers<boolean>();
    socket.once("error", () => resolve(false));
    socket.bind(port, () => resolve(true));
    if (await promise) {
      socket.setBroadcast(true);
      return socket;
    }
    socket.close();
  }
  throw conflict("bacnet.search_failed");
}

/** Sends Who-Is and returns the devices that responded within the time. @throws DomainError for a BBMD that refuses or does not respond */
export async function searchBacnet(search: BacnetSearch): Promise<FoundBacnetDevice[]> {
  const { isBbmd, low, high, waitMs } = search;
  const socket = await openSocket();
  const { promise: ended, resolve: end, reject } = Promise.withResolvers<void>();
  // A refusal by one address says nothing about the others.
  socket.on("error", () => undefined);
  const found = new Map<string, FoundBacnetDevice>();
  let isRegistered = false;
  socket.on("message", (bytes, { address: host, port: from }) => {
    if (isBbmd && bytes.length === RESULT_BYTES && bytes[1] === BVLC.result) {
      isRegistered = true;
      if (bytes.readUInt16BE(4) !== 0) reject(conflict("bacnet.not_registered", { host }));
      return;
    }
    const device = deviceIn(bytes, { host, port: from });
    if (device === undefined || device.deviceInstance < low || device.deviceInstance > high) return;
    if (found.size < FOUND_MAX) found.set(`${device.host}:${device.port}:${device.deviceInstance}`, device);
    if (low === high) end();
  });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      ask(socket, search);
      const isEnded = await Promise.race([Bun.sleep(waitMs / ATTEMPTS), ended.then(() => true)]);
      if (isEnded === true) break;
    }
  } finally {
    socket.close();
  }
  if (isBbmd && !isRegistered && found.size === 0) throw timedOut("bacnet.no_response", { ms: waitMs });
  return [...found.values()].toSorted((a, b) => a.deviceInstance - b.deviceInstance);
}

function ask(socket: Socket, search: BacnetSearch): void {
  const { addresses, port, isBbmd } = search;
  const broadcasts = ownBroadcasts();
  for (const address of addresses) {
    const isBroadcast = broadcasts.includes(address) || address.endsWith(".255");
    if (isBbmd) socket.send(registrationFrame(REGISTRATION_SECONDS), port, address, () => undefined);
    const kind = isBbmd ? BVLC.distribute : isBroadcast ? BVLC.broadcast : BVLC.unicast;
    socket.send(whoIsFrame(kind, search), port, address, () => undefined);
  }
}

function deviceIn(bytes: Buffer, sender: { host: string; port: number }): FoundBacnetDevice | undefined {
  try {
    const frame = parseFrame(bytes);
    const iAm = frame && parseIAm(frame.apdu);
    if (iAm === undefined || iAm.deviceInstance > INSTANCE_MAX) return undefined;
    const { network, mac } = frame?.source ?? { network: null, mac: null };
    return { ...(frame?.origin ?? sender), ...iAm, network, mac: mac && Buffer.from(mac).toString("hex") };
  } catch {
    return undefined; // not a message of BACnet
  }
}
