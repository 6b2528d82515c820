import { connect } from "node:net";
import { unavailable } from "../../../lib/domain-error.ts";

const GREETING_BYTES_MAX = 64 * 1024;
const GREETING = /^INFO (\{.*\})\s*\r\n/;

export interface NatsGreeting {
  readonly tls_required?: boolean;
  readonly tls_available?: boolean;
}

/**
 * Reads what a NATS server says first, over a connection of its own. The client keeps the connection to a server that says nothing, whatever its
 * time limit and however it is closed, so it is given only to servers that speak.
 */
export function readGreeting(
  { host, port }: { host: string; port: number },
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<NatsGreeting> {
  const { promise, resolve, reject } = Promise.withResolvers<NatsGreeting>();
  const socket = connect({ host, port });
  let text = "";
  const abort = () => socket.destroy(new Error("aborted"));
  const timer = setTimeout(
    () => socket.destroy(unavailable("network_error.no_answer_within", { ms: timeoutMs })),
    timeoutMs,
  );
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  socket.setEncoding("utf8");
  socket.on("data", (chunk) => {
    text += chunk;
    const found = GREETING.exec(text)?.[1];
    if (found === undefined && text.length < GREETING_BYTES_MAX) return;
    try {
      resolve(JSON.parse(found ?? ""));
      socket.destroy();
    } catch {
      socket.destroy(unavailable("network_error.other", { message: "what answers there is no NATS server" }));
    }
  });
  socket.on("error", reject);
  socket.on("close", () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    reject(unavailable("network_error.reset"));
  });
  return promise;
}
