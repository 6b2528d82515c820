import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** What a stranger writes into the headers of a request decides nothing. */

let fixture: TestApp;

beforeAll(async () => {
  fixture = await createTestApp({ config: { trusted_proxies: "127.0.0.1,::1" } });
});
afterAll(() => fixture.stop());

async function statusLine(head: string): Promise<string> {
  const { hostname, port } = new URL(fixture.app.url);
  const socket = connect(Number(port), hostname);
  socket.write(`${head}\r\nconnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text.split("\r\n")[0] ?? "";
}

test("the host that a proxy names is not that of links in mails", async () => {
  const { user, token } = await fixture.signIn("TENANT_OWNER");
  await fixture.app.services.provider.saveAccount(user.email, "the first password 1");
  await fixture.call("POST", "/idp/forgot", {
    raw: new URLSearchParams({ email: user.email }).toString(),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-forwarded-host": "evil.example",
      "x-forwarded-for": "192.0.2.1",
      "x-forwarded-proto": "https",
    },
  });
  const [mail] = (await fixture.call("GET", `/api/outbox?search=${user.email}`, { token })).body;
  const { text } = await fixture.call("GET", `/api/outbox/${mail.mailId}`, { token });
  expect(text).toContain("/idp/reset?token=");
  expect(text).not.toContain("evil.example");
});

test("a request with two Host headers is refused", async () => {
  const host = `host: ${new URL(fixture.app.url).host}`;
  expect(await statusLine(`GET /healthz HTTP/1.1\r\n${host}`)).toBe("HTTP/1.1 200 OK");
  expect(await statusLine(`GET /healthz HTTP/1.1\r\n${host}\r\nhost: evil.example`)).toStartWith(
    "HTTP/1.1 400",
  );
  expect(await statusLine(`GET /healthz HTTP/1.1\r\n${host}\r\n${host}`)).toStartWith("HTTP/1.1 400");
});

test("answers of the API are no pages, and the console shares no window with other sites", async () => {
  const api = await fixture.call("GET", "/api/devices");
  const health = await fixture.call("GET", "/healthz");
  expect(api.status).toBe(401);
  expect(health.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
  const page = await fixture.call("GET", "/", { headers: { accept: "text/html" } });
  expect(page.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  expect(page.headers.get("permissions-policy")).toContain("camera=()");
});
