import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OpcUaSession } from "../../src/platform/opcua/opcua.calls.ts";
import { OpcUaConnection } from "../../src/platform/opcua/opcua-connection.ts";
import { OpcUaThread } from "../../src/platform/opcua/opcua-thread.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import { type Misconduct, startOpcUaServer } from "./opcua-server.ts";
import { until } from "./until.ts";

interface Settings {
  timeoutMs?: number;
  signal?: AbortSignal;
  session?: Partial<OpcUaSession>;
}

/** The thread, and connections of it to servers of this process. The thread runs all the time: loading its code takes longer than an answer. */
export function opcuaLines() {
  const folder = mkdtempSync(join(tmpdir(), "lineside-opcua-"));
  const thread = new OpcUaThread({ folder, secrets: folder, hostName: "gateway" });
  const started: { stop(): void }[] = [];
  return {
    folder,
    thread,
    async start() {
      thread.acquire();
      await thread.call("certificate", {});
    },
    async serve(misconduct?: Misconduct) {
      const server = await startOpcUaServer(misconduct);
      started.push(server);
      return server;
    },
    async open(port: number, { timeoutMs = 2_000, signal, session }: Settings = {}) {
      const line = await OpcUaConnection.open(thread, {
        host: "127.0.0.1",
        port,
        path: "",
        timeoutMs,
        addresses: { resolve: async () => ["127.0.0.1"] },
        signal: signal ?? new AbortController().signal,
        clock: systemClock,
        session: {
          mode: "NONE",
          policy: "NONE",
          fingerprint: null,
          user: { kind: "ANONYMOUS" },
          ...session,
        },
      });
      started.push({ stop: () => line.close() });
      return line;
    },
    /** Ends servers and connections. */
    clear() {
      for (const each of started.splice(0).toReversed()) each.stop();
    },
    async end() {
      thread.release();
      await until(() => !thread.isRunning);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
