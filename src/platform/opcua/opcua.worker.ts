/// <reference lib="webworker" />
import { AsyncLocalStorage } from "node:async_hooks";
import "reflect-metadata"; // before the library, whose parts look for it
import { setErrorLogger, setWarningLogger } from "node-opcua-client";
import { messageOf } from "../../lib/core/error-message.ts";
import { ThreadCalls } from "../load/thread-calls.ts";
import { FAILURE, type OpcUaMainCalls, type OpcUaSession, type OpcUaThreadCalls } from "./opcua.calls.ts";
import { limitDecoding } from "./opcua-decoding.ts";
import { OpcUaIdentity } from "./opcua-identity.ts";
import { listEndpoints, OpcUaLink } from "./opcua-link.ts";

/*
 * Thread for OPC UA. It is a separate bundle, because the library would take 9 MB as a part of the program, and it runs only while a connection is
 * enabled.
 */

// It writes to the console, which the states of connections replace here.
setWarningLogger(() => undefined);
setErrorLogger(() => undefined);
for (const method of ["log", "warn", "error"] as const) console[method] = () => undefined;

/** Keyed by the number of the line. */
const links = new Map<number, OpcUaLink>();
/** Line for which the library currently runs. */
const current = new AsyncLocalStorage<number>();
let identity: OpcUaIdentity | undefined;

function started(): OpcUaIdentity {
  if (identity === undefined) throw new Error("not started");
  return identity;
}

function linkOf(line: number): OpcUaLink {
  const link = links.get(line);
  if (link === undefined) throw new Error("closed");
  return link;
}

/** Delay after which memory for a connection and its first values is no longer needed. */
const SHRINK_AFTER_MS = 2_000;

let shrinking: Timer | undefined;

/** Releases memory left after loading the library and connecting, a fifth of its memory: once after several connections. */
function shrinkLater(): void {
  clearTimeout(shrinking);
  shrinking = setTimeout(() => {
    Bun.gc(true);
    Bun.shrink();
    void calls.call("shrunk", undefined);
  }, SHRINK_AFTER_MS);
}

async function open(line: number, session: OpcUaSession): Promise<void> {
  const link = new OpcUaLink(session, started(), (reason) => {
    if (links.delete(line)) void calls.call("closed", { line, reason });
  });
  links.set(line, link);
  try {
    await current.run(line, () => link.open());
    shrinkLater();
  } catch (error) {
    links.delete(line);
    await link.close();
    throw error;
  }
}

const calls = new ThreadCalls<OpcUaMainCalls, OpcUaThreadCalls>((message) => postMessage(message), {
  async start(options) {
    identity = await OpcUaIdentity.load(options);
  },
  endpoints: ({ url, timeoutMs }) => listEndpoints(url, timeoutMs, started()),
  open: ({ line, session }) => open(line, session),
  read: ({ line, nodes }) => linkOf(line).read(nodes),
  watch: ({ line, items }) => linkOf(line).subscriptions.watch(items),
  changes: ({ line, list }) => linkOf(line).subscriptions.changes(list),
  write: ({ line, node, value }) => linkOf(line).write(node, value),
  callMethod: ({ line, call }) => linkOf(line).call(call),
  browse: ({ line, node, search }) => linkOf(line).browse(node, search),
  describe: ({ line, nodes }) => linkOf(line).describe(nodes),
  async close({ line }) {
    const link = links.get(line);
    links.delete(line);
    await link?.close();
  },
  async certificate({ renews = false }) {
    const own = started();
    if (renews) {
      await own.renew();
      for (const link of links.values()) if (link.isSecure) link.fail(FAILURE.ended);
    }
    return { certificate: own.certificate(), applicationUri: own.applicationUri };
  },
});

limitDecoding(() => links.get(current.getStore() ?? 0)?.fail(FAILURE.tooMuch));

// The library throws from its timers and sockets, where nobody can catch it, if a server sends what it does not expect. The other servers must not suffer.
process.on("uncaughtException", (error) =>
  links.get(current.getStore() ?? 0)?.fail(messageOf(error) || FAILURE.response),
);
// The connection is unknown here: its request times out, which ends the connection.
process.on("unhandledRejection", () => undefined);

addEventListener("message", (event: MessageEvent<unknown>) => calls.receive(event.data));
