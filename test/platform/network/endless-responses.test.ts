// HTTP servers that send without end what no limit of headers or bodies sees.
import { expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { createHttpExchange } from "../../../src/modules/outbound/http-exchange.ts";
import { HttpConnection } from "../../../src/modules/uplinks/targets/http-connection.ts";
import type { OutboundAddresses } from "../../../src/platform/network/outbound-address.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** What the buffers of two connections on this machine may hold beyond the limit. */
const TAKEN_BYTES_MAX = 24 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const TIMEOUT_MS = 5_000;

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
/** First bytes of the answer, and what follows without end. */
const floods: Readonly<Record<string, readonly [first: string, rest: string]>> = {
  "100 Continue": ["", "HTTP/1.1 100 Continue\r\n\r\n"],
  "103 Early Hints": ["", "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"],
  "blank lines": ["", "\r\n"],
  headers: ["HTTP/1.1 200 OK\r\n", "X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n"],
  "a header": ["HTTP/1.1 200 OK\r\nX-A: ", "a"],
  "a status line": ["HTTP/1.1 200 ", "a"],
  trailers: [`${chunked}1\r\na\r\n0\r\n`, "X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n"],
  "a trailer": [`${chunked}1\r\na\r\n0\r\nX-A: `, "a"],
  "a chunk extension": [`${chunked}1;`, "a"],
  "a chunk size": [`${chunked}1\r\na\r\n`, "0"],
  "chunks of one byte": [chunked, "1\r\na\r\n"],
};

async function withServer(
  [first, rest]: readonly [string, string],
  ask: (port: number) => Promise<unknown>,
): Promise<{ outcome: string; bytes: number }> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const chunk = Buffer.from(rest.repeat(Math.ceil(CHUNK_BYTES / rest.length)));
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("data", () => {
      socket.write(first);
      const go = () => {
        while (!socket.destroyed && socket.write(chunk)) bytes += chunk.length;
        if (!socket.destroyed) socket.once("drain", go);
      };
      go();
    });
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const outcome = await ask((server.address() as { port: number }).port).then(String, String);
  for (const socket of sockets) socket.destroy();
  server.close();
  return { outcome, bytes };
}

const resolve = async () => ["127.0.0.1"];
const { signal } = new AbortController();

async function askAsUplink(port: number): Promise<string> {
  const url = `http://127.0.0.1:${port}/`;
  const context = { uplinkId: "u", authorities: undefined, resolve, now: Date.now };
  const connection = new HttpConnection({ url, tls: null, timeoutMs: TIMEOUT_MS, context });
  try {
    return (await connection.request({ headers: {}, body: "{}" }, signal)).body.toString().slice(0, 1);
  } finally {
    connection.close();
  }
}

async function askAsWebhook(port: number): Promise<string> {
  const clock = new FakeClock();
  const addresses = { of: () => ({ resolve }) } as unknown as OutboundAddresses; // all that is asked
  const exchange = createHttpExchange({ addresses, clock });
  const tenantId = "t" as TenantId;
  const url = `http://127.0.0.1:${port}/`;
  const request = { tenantId, url, method: "POST", headers: new Map(), body: "{}", timeoutMs: TIMEOUT_MS };
  const overdue = setTimeout(() => clock.advance(TIMEOUT_MS), TIMEOUT_MS);
  const { body } = await exchange(request, signal).finally(() => clearTimeout(overdue));
  return body.toString().slice(0, 1);
}

for (const [who, ask] of Object.entries({ "an uplink": askAsUplink, "a webhook": askAsWebhook }))
  test.each(Object.entries(floods))(
    `${who} leaves a server that answers with %s without end`,
    async (_, flood) => {
      const { outcome, bytes } = await withServer(flood, ask);
      expect(outcome).toMatch(/too long|HTTP|Overflow|overflow|^a?$/);
      expect(outcome).not.toContain("no answer");
      expect(bytes).toBeLessThan(TAKEN_BYTES_MAX);
    },
  );
