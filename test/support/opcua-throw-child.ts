/**
 * Connects to two OPC UA servers, one of which can take no message, and writes why its connection ended, and what the other one answers.
 * A process of its own: in a test, an error that nobody catches in a thread ends the thread.
 */
import { OpcUaConnection, type OpcUaFailure } from "../../src/platform/opcua/opcua-connection.ts";
import { OpcUaThread } from "../../src/platform/opcua/opcua-thread.ts";
import { systemClock } from "../../src/platform/time/clock.ts";
import { acknowledge, startOpcUaServer } from "./opcua-server.ts";

const thread = new OpcUaThread({
  folder: process.argv[2] ?? "",
  secrets: process.argv[2] ?? "",
  hostName: "gateway",
});
const open = (port: number) =>
  OpcUaConnection.open(thread, {
    host: "127.0.0.1",
    port,
    path: "",
    timeoutMs: 5_000,
    addresses: { resolve: async () => ["127.0.0.1"] },
    signal: new AbortController().signal,
    clock: systemClock,
    session: { mode: "NONE", policy: "NONE", fingerprint: null, user: { kind: "ANONYMOUS" } },
  });
const good = await open((await startOpcUaServer()).port);
const hostile = await startOpcUaServer({ onHello: (socket) => socket.write(acknowledge(0, 0, 0)) });
const failure = await open(hostile.port).catch((error: OpcUaFailure) => error);
console.log((failure as OpcUaFailure).reason.params?.reason);
const [read] = await good.request("read", { nodes: ["ns=1;i=1"] });
console.log(read?.value);
process.exit();
