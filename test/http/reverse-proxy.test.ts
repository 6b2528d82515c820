import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createReverseProxy, findProxy, type ReverseProxy } from "../support/reverse-proxy.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";
import { WebSocketClient } from "../support/websocket-client.ts";

const BASE = "/lineside";
const EMAIL = "user1@one.example";

for (const name of ["nginx", "caddy"] as const) {
  const isMissing = findProxy(name) === null;
  if (isMissing && name === "nginx" && process.env.CI) throw new Error("nginx must be installed in CI");
  describe.skipIf(isMissing)(`behind ${name} as docs/proxy.md has it`, () => {
    let proxy: ReverseProxy;
    let fixture: TestApp;
    let token: string;
    let direct: string;
    let device: { deviceId: string; token: string };

    beforeAll(async () => {
      proxy = await createReverseProxy(name);
      fixture = await createTestApp({
        config: {
          public_url: `https://localhost:${proxy.port}${BASE}`,
          trusted_proxies: "127.0.0.1",
          api_docs: "open",
        },
      });
      direct = `http://127.0.0.1:${fixture.app.http.server?.port}`;
      await proxy.start(Number(new URL(direct).port));
      token = (await fixture.signIn("TENANT_OWNER")).token;
      const { body } = await call("POST", "/api/devices", { name: "press", deviceType: "press" });
      device = { deviceId: body.deviceId, token: body.credentials.token };
    });
    afterAll(async () => {
      await fixture?.stop();
      await proxy?.stop();
    });

    const passing = () => `https://127.0.0.1:${proxy.port}${BASE}`;
    const stripping = () => `https://127.0.0.1:${proxy.strippingPort}${BASE}`;
    const ways = [
      ["passes the base path on", passing],
      ["removes the base path", stripping],
    ] as const;

    const send = (url: string, init: RequestInit = {}) =>
      fetch(url, { redirect: "manual", tls: { ca: proxy.certificate }, ...init });

    async function call(method: string, path: string, body?: unknown, root = passing(), headers = {}) {
      const response = await send(`${root}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
    }

    /** Every address in the attributes of a page that leads to the gateway. */
    const addressesIn = (html: string) =>
      [...html.matchAll(/\b(?:href|src|action)="([^"#]+)"/g)].map(([, address = ""]) => address);

    async function expectWhole(root: string, path: string): Promise<void> {
      const page = await send(`${root}${path}`, { headers: { accept: "text/html" } });
      expect([path, page.status]).toEqual([path, 200]);
      const addresses = addressesIn(await page.text());
      expect(addresses.length).toBeGreaterThan(1);
      for (const address of addresses) {
        expect(address).toStartWith(`${BASE}/`);
        const { status } = await send(new URL(address.replaceAll("&amp;", "&"), root).href);
        expect([address, status]).toEqual([address, 200]);
      }
    }

    test.each(ways)("a proxy that %s serves pages whose every address answers", async (_, root) => {
      for (const path of ["/", "/devices", "/shared", "/docs", "/idp/authorize", "/idp/forgot"])
        await expectWhole(root(), path);
      const shell = await (await send(`${root()}/`)).text();
      expect(shell).toContain(`<meta name="lineside-base" content="${BASE}"`);
    });

    test.each(ways)("a proxy that %s serves what the web app manifest names", async (_, root) => {
      const address = `${root()}/manifest.webmanifest`;
      const manifest = await (await send(address)).json();
      for (const { src } of [...manifest.icons, { src: manifest.start_url }]) {
        const url = new URL(src, address);
        expect(url.pathname).toStartWith(`${BASE}/`);
        expect((await send(url.href)).status).toBe(200);
      }
    });

    test.each(ways)("a proxy that %s keeps the answers to unknown paths", async (_, root) => {
      for (const path of ["/api/nonsense", "/metrics/nonsense", "/idp/nonsense", "/assets/gone.js"]) {
        const response = await send(`${root()}${path}`, { headers: { accept: "*/*" } });
        expect([path, response.status, response.headers.get("content-type")?.split(";")[0]]).toEqual([
          path,
          404,
          "application/json",
        ]);
      }
      expect((await send(`${root()}/readyz`)).status).toBe(200);
    });

    test.each(ways)("a proxy that %s serves API, next pages and the API's own document", async (_, root) => {
      expect((await call("GET", "/api/auth/me", undefined, root())).body.email).toBe(EMAIL);
      for (const number of [1, 2])
        await call("POST", "/api/devices", { name: `${number} ${root()}`, deviceType: "x" });
      const page = await call("GET", "/api/audit?limit=1", undefined, root());
      const next = /<([^>]+)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1] ?? "";
      expect(next).toStartWith(`${BASE}/api/audit?`);
      expect((await call("GET", next.slice(BASE.length), undefined, root())).status).toBe(200);
      const document = await (await send(`${root()}/docs/json`)).json();
      expect(document.servers).toMatchObject([{ url: BASE }]);
    });

    test.each(ways)("a proxy that %s passes WebSockets on", async (_, root) => {
      const socket = await WebSocketClient.open(`${root()}/api/ws`, { tls: { ca: proxy.certificate } });
      socket.send({ type: "auth", token });
      await socket.next("ready");
      await socket.subscribe(["telemetry"], { deviceIds: [device.deviceId] });
      await call("POST", `/api/v1/${device.token}/telemetry`, { temperature: 21 }, root());
      expect(await socket.next("data")).toMatchObject({ values: { temperature: 21 } });
      await socket.close();
    });

    test.each(ways)("a proxy that %s carries the whole sign-in, cookies and redirects", async (_, root) => {
      const form = new URLSearchParams({ email: EMAIL, password: PASSWORD, state: "s" });
      const response = await send(`${root()}/idp/authorize`, { method: "POST", body: form });
      expect(response.status).toBe(303);
      const location = new URL(response.headers.get("location") ?? "", root());
      expect(location.pathname).toBe(`${BASE}/auth/callback`);
      expect(response.headers.getSetCookie()[0]).toContain(`; Path=${BASE}/idp; `);
      expect(response.headers.getSetCookie()[0]).toEndWith("; Secure");
      const code = location.searchParams.get("code");
      const exchanged = await call("POST", "/api/auth/exchange", { code }, root());
      expect(exchanged.body.accessToken).toBeString();
    });

    test.each(ways)("a proxy that %s serves shared dashboards", async (_, root) => {
      const dashboard = await call("POST", "/api/dashboards", { name: "Hall", states: [], widgets: [] });
      const path = `/api/dashboards/${dashboard.body.id}/shares`;
      const share = (await call("POST", path, {}, root())).body;
      const page = await send(`${root()}${share.path}`, { headers: { accept: "text/html" } });
      expect(page.status).toBe(200);
      const headers = { authorization: `Bearer ${share.token}` };
      const opened = await call("POST", "/api/shared/dashboard", {}, root(), headers);
      expect(opened.status).toBe(200);
    });

    test.each(ways)("a proxy that %s takes large bodies", async (_, root) => {
      const rows = Array.from({ length: 150_000 }, (_, row) => `${1_700_000_000_000 + row * 1000},${row}`);
      const body = `ts,temperature\n${rows.join("\n")}\n`;
      expect(body.length).toBeGreaterThan(2_000_000);
      const response = await send(`${root()}/api/devices/${device.deviceId}/telemetry/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "text/csv" },
        body,
      });
      expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    });

    async function addressOfNewestEntry(): Promise<string> {
      return (await call("GET", "/api/audit?limit=1")).body[0].address;
    }
    /** Changes the device from a loopback address other than the trusted proxy's, with a forged header. */
    async function changeFrom(address: string, root: string): Promise<void> {
      const child = Bun.spawn([
        ...["curl", "-sS", "-f", "-X", "PATCH", "--interface", address, "--cacert", proxy.certificateFile],
        ...["-H", `authorization: Bearer ${token}`, "-H", "content-type: application/json"],
        ...["-H", "x-forwarded-for: 203.0.113.9", "-H", "x-forwarded-host: evil.example"],
        ...["-d", JSON.stringify({ label: crypto.randomUUID() }), `${root}/api/devices/${device.deviceId}`],
      ]);
      expect(await child.exited).toBe(0);
    }

    test.each([...ways, ["is bypassed", () => direct] as const])(
      "the audit log has the client's address where the proxy %s, whatever the client claims",
      async (_, root) => {
        await changeFrom("127.0.0.2", root());
        expect(await addressOfNewestEntry()).toBe("127.0.0.2");
      },
    );

    test("links lead to the proxy", async () => {
      const catalog = await call("GET", "/api/v1/connectivity/catalog");
      const http = catalog.body.transports.find(({ id }: { id: string }) => id === "http");
      expect(http.url).toBe(`https://localhost:${proxy.port}${BASE}/api/v1/{deviceToken}/telemetry`);
      const posted = await send(http.url.replace("{deviceToken}", device.token), {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: '{"t":1}',
      });
      expect(posted.status).toBe(200);
    });
  });
}
