import { join } from "node:path";
import { slowness } from "../support/machine-speed.ts";

export const STALL_MS_MAX = 100;
/** A collection of garbage that others left may fall into one request, but not into each of three. */
export const TRIES = 3;

export const isStall = (ms: number): boolean => ms > STALL_MS_MAX && ms > STALL_MS_MAX * slowness();

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
    let answer: (longestMs: number) => void = () => undefined;
    const child = Bun.spawn([process.execPath, join(import.meta.dir, "stall-child.ts")], {
      stdio: ["ignore", "ignore", "inherit"],
      ipc: (message: Started | { longestMs: number }) => {
        if ("longestMs" in message) answer(message.longestMs);
        else
          resolve({
            ...message,
            longestTurn: (spinMs = 0) =>
              new Promise((measured) => {
                answer = measured;
                child.send({ spinMs });
              }),
            stop: () => child.kill("SIGKILL"),
          });
      },
    });
  });
}
