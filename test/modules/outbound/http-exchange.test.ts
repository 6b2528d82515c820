import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { inEnglish } from "../../../src/lib/core/domain-error.ts";
import type { TenantId } from "../../../src/lib/core/ids.ts";
import { networkErrorText } from "../../../src/lib/network/network-error.ts";
import { createHttpExchange } from "../../../src/modules/outbound/http-exchange.ts";
import type { LimitedResponse } from "../../../src/platform/network/limited-http.ts";
import { createOutboundAddresses, RefusedAddress } from "../../../src/platform/network/outbound-address.ts";
import { createAuthority, createServerCertificate } from "../../../src/platform/network/tls-certificates.ts";
import { systemClock } from "../../../src/platform/time/clock.ts";

/** What comes in, as text; answers are written by the test. */
const conversations: string[] = [];
let talk: (socket: Socket, request: string) => void = () => undefined;
let server: Server;
let port: number;
const names: Record<string, string[]> = {};
const sockets = new Set<Socket>();

function listen(created: Server): Promise<number> {
  return new Promise((resolve) => {
    created.listen(0, "127.0.0.1", () => resolve((created.address() as { port: number }).port));
  });
}

function onConnection(socket: Socket): void {
  sockets.add(socket);
  socket.on("error", () => undefined);
  let text = "";
  socket.on("data", (data) => {
    text += data.toString("latin1");
    const end = text.indexOf("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
    if (end < 0 || text.length < end + 4 + length) return;
    conversations.push(text);
    talk(socket, text);
  });
}

beforeAll(async () => {
  server = createServer(onConnection);
  port = await listen(server);
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

const addressesFor = (allow = "127.0.0.0/8") =>
  createOutboundAddresses({
    config: { outbound_allow: allow, outbound_private: "host" },
    ownPorts: () => [],
    isHost: () => true,
    lookup: async (name) => (names[name] ?? []).map((address) => ({ address })),
  });

const exchangeWith = (options: { allow?: string; authorities?: string[] } = {}) =>
  createHttpExchange({
    addresses: addressesFor(options.allow),
    clock: systemClock,
    authorities: options.authorities,
  });

function send(
  url: string,
  options: { allow?: string; authorities?: string[]; timeoutMs?: number; headers?: [string, string][] } = {},
): Promise<LimitedResponse> {
  const { timeoutMs = 5_000, headers = [] } = options;
  return exchangeWith(options)(
    {
      tenantId: "tenant" as TenantId,
      url,
      method: "POST",
      headers: new Map(headers),
      body: '{"ä":1}',
      timeoutMs,
    },
    new AbortController().signal,
  );
}
const failure = (sent: Promise<unknown>) =>
  sent.then(
    () => "",
    (error: unknown) => inEnglish(networkErrorText(error)),
  );

describe("an answer", () => {
  const rows: Array<[name: string, raw: string[], status: number, body: string]> = [
    ["with a length", ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"], 200, "ok"],
    ["in pieces", ["HTT", "P/1.1 20", "1 Created\r\ncontent-le", "ngth: 4\r\n", "\r\nab", "cd"], 201, "abcd"],
    [
      "in chunks",
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", "3;x=y\r\nyes\r\n0\r\n\r\n"],
      200,
      "okyes",
    ],
    [
      "announced first",
      [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 204 None\r\n\r\n",
      ],
      204,
      "",
    ],
    ["of an old server, without a reason", ["HTTP/1.0 500\r\nContent-Length: 0\r\n\r\n"], 500, ""],
  ];
  for (const [name, raw, status, body] of rows)
    test(`${name} is understood`, async () => {
      talk = async (socket) => {
        for (const piece of raw) {
          socket.write(piece);
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const response = await send(`http://127.0.0.1:${port}/`);
      expect(response.status).toBe(status);
      expect(response.body.toString()).toBe(body);
    });

  test("that ends with the connection is understood", async () => {
    talk = (socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nto the end");
    expect((await send(`http://127.0.0.1:${port}/`)).body.toString()).toBe("to the end");
  });

  test("without end is read no further than is of use", async () => {
    talk = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const more = () => {
        while (!socket.destroyed && socket.write("x".repeat(16_384)));
      };
      socket.on("drain", more);
      more();
    };
    const { body } = await send(`http://127.0.0.1:${port}/`);
    expect(body.length).toBe(65_536);
  });

  test("whose status is there counts, whatever becomes of the rest", async () => {
    talk = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nonly this");
    expect((await send(`http://127.0.0.1:${port}/`, { timeoutMs: 200 })).status).toBe(200);
  });

  test("that is no HTTP, or has headers without end, is an error in words", async () => {
    talk = (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n\r\n");
    expect(await failure(send(`http://127.0.0.1:${port}/`))).toBe(
      "The server at this address does not speak HTTP/1.1.",
    );
    talk = (socket) => socket.write(`HTTP/1.1 200 OK\r\n${"X-Name: value\r\n".repeat(10_000)}`);
    expect(await failure(send(`http://127.0.0.1:${port}/`))).toBe(
      "The headers of the response are too long.",
    );
    talk = (socket) => socket.end();
    expect(await failure(send(`http://127.0.0.1:${port}/`))).toBe(
      "The connection was closed before a response came.",
    );
  });

  test("that never comes is an error after the timeout", async () => {
    talk = () => undefined;
    expect(await failure(send(`http://127.0.0.1:${port}/`, { timeoutMs: 100 }))).toBe(
      "There was no response within 100 ms.",
    );
  });
});

test("the request is whole: its path, the name it was meant for, its length in bytes", async () => {
  names["erp.example"] = ["127.0.0.1"];
  talk = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  await send(`http://erp.example:${port}/a%20b?c=d#e`, { headers: [["X-One", "1"]] });
  const [head = "", body] = (conversations.at(-1) ?? "").split("\r\n\r\n");
  expect(head.split("\r\n")).toEqual([
    "POST /a%20b?c=d HTTP/1.1",
    `Host: erp.example:${port}`,
    "Accept: */*",
    "Connection: close",
    "X-One: 1",
    "Content-Length: 8",
  ]);
  expect(Buffer.from(body ?? "", "latin1").toString("utf8")).toBe('{"ä":1}');
});

test("a header cannot bring another one along", async () => {
  const error = await failure(send(`http://127.0.0.1:${port}/`, { headers: [["X-One", "1\r\nX-Two: 2"]] }));
  expect(error).toBe('The connection failed: Invalid character in header content ["X-One"].');
});

test("a name is looked up for each connection, and the connection goes to the address that was judged", async () => {
  const seen: string[] = [];
  talk = (socket) => {
    seen.push(socket.localAddress ?? "");
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  };
  names.rebound = ["127.0.0.1"];
  await send(`http://rebound:${port}/`, { allow: "127.0.0.1" });
  names.rebound = ["127.0.0.2"];
  const refused = await send(`http://rebound:${port}/`, { allow: "127.0.0.1" }).catch(
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(RefusedAddress);
  expect(seen).toEqual(["127.0.0.1"]);
});

test("a redirect is answered with its status and is not followed", async () => {
  const before = conversations.length;
  talk = (socket) =>
    socket.write(
      `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${port}/next\r\nContent-Length: 0\r\n\r\n`,
    );
  expect((await send(`http://127.0.0.1:${port}/`)).status).toBe(302);
  expect(conversations.length).toBe(before + 1);
});

test("a server that switches protocols, or resets the connection, ends the exchange with an error", async () => {
  talk = (socket) =>
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n");
  expect(await failure(send(`http://127.0.0.1:${port}/`))).toBe(
    "The server switched to another protocol than HTTP.",
  );
  talk = (socket) => socket.resetAndDestroy();
  expect(await failure(send(`http://127.0.0.1:${port}/`))).toBe(
    "The connection was closed before a response came.",
  );
});

test("a proxy or an insecure mode in the environment changes nothing", async () => {
  const environment = {
    HTTP_PROXY: "http://127.0.0.1:1",
    http_proxy: "http://127.0.0.1:1",
    https_proxy: "http://127.0.0.1:1",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  };
  const previous = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  try {
    talk = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    expect((await send(`http://127.0.0.1:${port}/`)).status).toBe(200);
    await withTlsServer(async (securePort) => {
      names["erp.example"] = ["127.0.0.1"];
      expect(await failure(send(`https://erp.example:${securePort}/`))).toMatch(/self.signed|certificate/i);
    });
  } finally {
    for (const [name, value] of previous) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});

test("where one address of a name cannot be reached, the next is tried", async () => {
  talk = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  names.two = ["127.0.0.3", "127.0.0.1"];
  expect((await send(`http://two:${port}/`)).status).toBe(200);
  names.two = ["127.0.0.3", "127.0.0.4"];
  expect(await failure(send(`http://two:${port}/`))).toBe(
    "No program accepts connections at this address and port (connection refused).",
  );
});

/** Serves a certificate for `erp.example` as long as the callback runs. */
async function withTlsServer(run: (port: number, authority: string) => Promise<void>): Promise<void> {
  const authority = await createAuthority(Date.now(), "test");
  const serverCertificate = await createServerCertificate(
    authority,
    { dns: ["erp.example"], ip: [] },
    Date.now(),
  );
  const secure = createTlsServer({ cert: serverCertificate.cert, key: serverCertificate.key }, onConnection);
  try {
    await run(await listen(secure as unknown as Server), authority.cert);
  } finally {
    secure.close();
  }
}

test("with TLS the certificate must be the name's, of an authority that is trusted", () =>
  withTlsServer(async (securePort, authority) => {
    talk = (socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    names["erp.example"] = ["127.0.0.1"];
    names["other.example"] = ["127.0.0.1"];
    const urlOf = (name: string) => `https://${name}:${securePort}/`;
    expect((await send(urlOf("erp.example"), { authorities: [authority] })).status).toBe(200);
    expect(await failure(send(urlOf("erp.example")))).toMatch(/certificate|issuer|self.signed|unable/i);
    expect(await failure(send(urlOf("other.example"), { authorities: [authority] }))).toMatch(
      /altname|host ?name|not match|other\.example/i,
    );
    // The address is the right one, and the name is not in the certificate.
    expect(await failure(send(`https://127.0.0.1:${securePort}/`, { authorities: [authority] }))).toMatch(
      /altname/i,
    );
  }));
