/**
 * A load of small HTTP posts over kept-alive connections, one request at a time each: requests are encoded once, answers are only
 * counted. Runs as a process of its own; prints one JSON line.
 *
 * Arguments: host port seconds connections content-type (with further header lines, if any), then path, U+0001 and body for each kind of request, used in turn; `#TS#` in a body becomes a
 * timestamp of its own (13 digits).
 */

import { FIRST_TS } from "./load-packets.ts";

const [
  host = "127.0.0.1",
  port = "0",
  seconds = "5",
  connections = "64",
  contentType = "application/json",
  ...requests
] = process.argv.slice(2);
const WARM_UP_MS = 1_000;

interface Client {
  readonly request: Buffer;
  readonly tsAt: number;
  sequence: number;
  sentAt: number;
}

let measuring = false;
let stopped = false;
let answered = 0;
let refused = 0;
const latencies: number[] = [];

function encode(spec: string): Client {
  const [path = "/", body = ""] = spec.split("\u0001");
  const filled = body.replace("#TS#", String(FIRST_TS));
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(filled)}\r\n\r\n`;
  const request = Buffer.from(head + filled);
  return { request, tsAt: request.indexOf(String(FIRST_TS)), sequence: 0, sentAt: 0 };
}

function send(socket: Bun.Socket<Client>): void {
  const client = socket.data;
  let ts = FIRST_TS + client.sequence++;
  for (let digit = 12; digit >= 4 && client.tsAt >= 0; digit--) {
    client.request[client.tsAt + digit] = 48 + (ts % 10);
    ts = Math.floor(ts / 10);
  }
  client.sentAt = performance.now();
  socket.write(client.request);
}

for (let index = 0; index < Number(connections); index++) {
  const socket = await Bun.connect<Client>({
    hostname: host,
    port: Number(port),
    data: encode(requests[index % requests.length] ?? ""),
    socket: {
      data(from, data) {
        // Answers are small and come whole: one chunk is one answer. "HTTP/1.1 2…" has its class at byte 9.
        if (data[9] !== 0x32) refused++;
        if (measuring) {
          answered++;
          latencies.push(performance.now() - from.data.sentAt);
        }
        if (!stopped) send(from);
      },
    },
  });
  send(socket);
}
await Bun.sleep(WARM_UP_MS);
measuring = true;
const startedAt = performance.now();
await Bun.sleep(Number(seconds) * 1000);
stopped = true;
const elapsed = (performance.now() - startedAt) / 1000;
latencies.sort((a, b) => a - b);
const quantile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
console.log(
  JSON.stringify({
    messagesPerSecond: answered / elapsed,
    messages: answered,
    seconds: elapsed,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    refused,
  }),
);
process.exit(0);
