import { join } from "node:path";
import { slowness } from "../support/machine-speed.ts";

export const STALL_MS_MAX = 100;
/** Garbage that others left may be collected during one attempt, but not during each of three. */
export const TRIES = 3;

export const isStall = (ms: number): boolean => ms > STALL_MS_MAX && ms > STALL_MS_MAX * slowness();

/**
 * Returns the stalls caused by bursts of requests or messages, for each number of simultaneous ones. `prepare` returns the burst and is not
 * measured.
 */
export async function stallsOf(
  gateway: StalledGateway,
  { name, counts }: { name: string; counts: readonly number[] },
  prepare: (atOnce: number) => Promise<() => Promise<unknown>>,
): Promise<string[]> {
  const stalls: string[] = [];
  for (const atOnce of counts) {
    let least = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < TRIES && least > STALL_MS_MAX; attempt++) {
      const burst = await prepare(atOnce);
      await gateway.longestTurn();
      await burst();
      least = Math.min(least, await gateway.longestTurn());
    }
    if (isStall(least)) stalls.push(`${name}, ${atOnce} at once: ${least.toFixed(0)} ms`);
  }
  return stalls;
}

/** Sends a request as the gateway's owner. */
export async function callGateway(gateway: StalledGateway, method: string, path: string, body?: unknown) {
  const response = await fetch(gateway.url + path, {
    method,
    headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text,
  };
}

interface Started {
  readonly url: string;
  readonly mqttPort: number;
  readonly token: string;
  readonly ids: Record<string, string>;
  readonly deviceIds: readonly string[];
  /** Of a device and of a gateway. */
  readonly deviceTokens: readonly [device: string, gateway: string];
}

/** A gateway in a process of its own that measures how long its event loop is held. */
export interface StalledGateway extends Started {
  /** Returns the longest turn since the last call, in ms of processor time, after `spinMs` of idle work. */
  longestTurn(spinMs?: number): Promise<number>;
  stop(): void;
}

export function startStalledGateway(): Promise<StalledGateway> {
  return new Promise((resolve) => {
    let response: (longestMs: number) => void = () => undefined;
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "stall-child.ts")], {
      stdio: ["ignore", "ignore", "inherit"],
      ipc: (message: Started | { longestMs: number }) => {
        if ("longestMs" in message) response(message.longestMs);
        else
          resolve({
            ...message,
            longestTurn: (spinMs = 0) =>
              new Promise((measured) => {
                response = measured;
                child.send({ spinMs });
              }),
            stop: () => child.kill("SIGKILL"),
          });
      },
    });
  });
}
