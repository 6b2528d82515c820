import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { apiRows, expectErrorBody } from "../support/api-rows.ts";
import { createTestApp, PASSWORD, type TestApp } from "../support/test-app.ts";

const PNG = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]).toString("base64")}`;
const svg = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`;
const SVG = svg(
  '<?xml version="1.0"?><!-- made by hand --><svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>',
);
const asItCame = { name: null, logo: null, colors: null };

let fixture: TestApp;
let host: string;
let guest: string;
let reader: string;
let plain: string;

beforeAll(async () => {
  fixture = await createTestApp();
  const { services } = fixture.app;
  const owner = { email: "host@plant.example", password: PASSWORD, fullName: "Host", tenantName: "Plant" };
  await services.setup.createOwner(owner);
  const { code } = await services.provider.signIn({ ...owner, address: "test" });
  host = (await services.identity.exchange(code, undefined)).accessToken;
  guest = (await fixture.signIn("TENANT_ADMIN", { tenant: "guest" })).token;
  reader = (await fixture.signIn("TENANT_READ_ONLY", { tenant: "guest" })).token;
  plain = (await fixture.signIn("TENANT_OWNER", { tenant: "plain", plan: "basic" })).token;
});
afterAll(() => fixture.stop());

const put = (token: string, body: unknown) => fixture.call("PUT", "/api/tenant/branding", { token, body });
const shown = async () => (await fixture.call("GET", "/api/branding")).body;
const seenBy = async (token: string) => (await fixture.call("GET", "/api/tenant/branding", { token })).body;

beforeEach(async () => {
  for (const token of [host, guest]) await put(token, {});
});

test("is nobody's until somebody sets it", async () => {
  expect(await shown()).toEqual(asItCame);
  expect(await seenBy(guest)).toEqual({ whitelabelEnabled: true, branding: {}, appearance: asItCame });
  expectErrorBody(await fixture.call("GET", "/api/branding/logo"), 404);
});

test("of the gateway's own tenant is what everybody sees before sign-in, and who has none after it", async () => {
  const branding = { name: "Acme", primaryColor: "#0E5A6B", logo: PNG };
  const response = await put(host, branding);
  expect(response.status).toBe(200);
  expect(response.body.branding).toEqual({ ...branding, primaryColor: "#0e5a6b" });
  const appearance = await shown();
  expect(appearance).toEqual({
    name: "Acme",
    logo: expect.stringMatching(/^\/api\/branding\/logo\?v=[0-9a-f]{12}$/),
    colors: {
      light: { primary: "#0e5a6b", onPrimary: "#ffffff" },
      dark: {
        primary: expect.stringMatching(/^#[0-9a-f]{6}$/),
        onPrimary: expect.stringMatching(/^#(0{6}|f{6})$/),
      },
    },
  });
  for (const token of [guest, plain]) expect((await seenBy(token)).appearance).toEqual(appearance);
});

test("of another tenant is what its own people see, and nobody else", async () => {
  await put(host, { name: "Acme" });
  await put(guest, { name: "Guest", logo: SVG });
  expect((await seenBy(reader)).appearance).toEqual({ name: "Guest", logo: SVG, colors: null });
  expect(await shown()).toEqual({ ...asItCame, name: "Acme" });
  expect((await seenBy(plain)).appearance).toEqual({ ...asItCame, name: "Acme" });
});

test("is what the sign-in page and the others before it look like", async () => {
  const plainPage = await fixture.call("GET", "/idp/authorize");
  expect(plainPage.text).toContain("Lineside");
  await put(host, { name: "Acme <b>&</b> Söhne", primaryColor: "#aa0000", logo: SVG });
  for (const path of ["/idp/authorize", "/idp/forgot", "/idp/reset?token=x"]) {
    const { text, headers } = await fixture.call("GET", path);
    expect(text).toContain("Acme &lt;b&gt;&amp;&lt;/b&gt; Söhne</title>");
    expect(text).toMatch(/<img src="\/api\/branding\/logo\?v=[0-9a-f]{12}" alt="">/);
    expect(text).not.toContain("Lineside");
    expect(headers.get("content-security-policy")).toContain("img-src 'self'");
  }
  const branded = await fixture.call("GET", "/idp/authorize");
  const styleOf = (page: string) => /href="(\/idp\/style\.css\?v=[0-9a-f]+)"/.exec(page)?.[1] ?? "";
  expect(styleOf(branded.text)).not.toBe(styleOf(plainPage.text));
  const { text: styles } = await fixture.call("GET", styleOf(branded.text));
  expect(styles).toContain("--primary:#aa0000;--on-primary:#ffffff");
  const refused = await fixture.call("POST", "/idp/authorize", {
    raw: "email=a%40b.example&password=wrong",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  expect(refused.text).toContain("Acme");
});

test("signs the mails of the gateway, whoever's they are", async () => {
  await put(host, { name: "Acme" });
  await put(guest, { name: "Bank of Elsewhere" });
  const { services } = fixture.app;
  const { user, token } = await fixture.signIn("TENANT_OWNER", { tenant: "guest" });
  services.mail.enqueue({
    tenantId: user.tenantId,
    to: "somebody@one.example",
    template: "password_changed",
    values: { fullName: "", at: "2026-03-01T00:00:00Z" },
  });
  const { body: mails } = await fixture.call("GET", "/api/outbox", { token });
  const { body } = await fixture.call("GET", `/api/outbox/${mails[0].mailId}`, { token });
  expect(body.text).toEndWith("-- \nAcme\n");
  expect(body.text).not.toContain("Elsewhere");
});

test("is set as a whole: what is left out is as the product comes", async () => {
  await put(host, { name: "Acme", primaryColor: "#aa0000" });
  await put(host, { primaryColor: "#aa0000" });
  expect(await shown()).toMatchObject({ name: null });
  await fixture.call("DELETE", "/api/tenant-attributes/branding", { token: host });
  expect(await shown()).toEqual(asItCame);
});

test("is the tenant attribute `branding`, of which only what is right is shown", async () => {
  const set = (value: unknown) =>
    fixture.call("POST", "/api/tenant-attributes", { token: host, body: { key: "branding", value } });
  expect(
    (await set({ name: "By hand", primaryColor: "red", logo: "https://elsewhere.example/x.png", other: 1 }))
      .status,
  ).toBe(200);
  expect(await shown()).toEqual({ ...asItCame, name: "By hand" });
  await set({ name: 7, primaryColor: { a: 1 }, logo: ["x"] });
  expect(await shown()).toEqual(asItCame);
});

test("on a plan that no longer includes it is kept and not shown", async () => {
  const { services } = fixture.app;
  const { user, token } = await fixture.signIn("TENANT_OWNER", { tenant: "moved", plan: "basic" });
  const before = await seenBy(token);
  expect(before).toMatchObject({ whitelabelEnabled: false, appearance: asItCame });
  expect(() => services.branding.set(user.tenantId as never, { name: "x" })).toThrow("whitelabeling");
});

describe("the logo", () => {
  test("comes with its type, for ever where its version is named, and as a document can do nothing", async () => {
    for (const [logo, type] of [
      [PNG, "image/png"],
      [SVG, "image/svg+xml"],
    ] as const) {
      await put(host, { logo });
      const { logo: address } = await shown();
      const response = await fetch(`${fixture.app.url}${address}`);
      expect(response.headers.get("content-type")).toBe(type);
      expect(response.headers.get("cache-control")).toContain("immutable");
      expect(response.headers.get("content-security-policy")).toContain("sandbox");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      const encoded = Buffer.from(await response.arrayBuffer()).toString("base64");
      expect(`data:${type};base64,${encoded}`).toBe(logo);
    }
    const other = await fixture.call("GET", "/api/branding/logo?v=old");
    expect(other.headers.get("cache-control")).toBe("public, no-cache");
  });

  const tooLarge = Buffer.concat([Buffer.from(PNG.slice(22), "base64"), Buffer.alloc(102_400)]).toString(
    "base64",
  );
  const bad: Record<string, string> = {
    "an address elsewhere": "https://elsewhere.example/logo.png",
    "an address on the gateway": "/api/devices",
    "a page": `data:text/html;base64,${Buffer.from("<h1>").toString("base64")}`,
    "no base64": "data:image/png;base64,<>",
    "a JPEG that is a PNG": PNG.replace("png", "jpeg"),
    "more than 100 KiB": `data:image/png;base64,${tooLarge}`,
    "an SVG that is none": svg("<html><svg></svg></html>"),
    "an SVG with a script": svg("<svg><script>alert(1)</script></svg>"),
    "an SVG with an event handler": svg('<svg onload="alert(1)"></svg>'),
    "an SVG that loads something": svg('<svg><image href="https://elsewhere.example/x.png"/></svg>'),
    "an SVG with an entity": svg('<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>'),
    "an SVG with a link": svg('<svg><a xlink:href="javascript:alert(1)"><rect/></a></svg>'),
    "an SVG that imports a style": svg('<svg><style>@import "//elsewhere.example/x.css";</style></svg>'),
    "an SVG whose style loads something": svg(
      "<svg><style>rect{fill:url( 'https://elsewhere.example/x.svg#a')}</style></svg>",
    ),
    "an SVG with an attribute that loads something": svg(
      '<svg><rect style="background:URL(//elsewhere.example/x)"/></svg>',
    ),
    "an SVG that hides it by CSS": svg(
      String.raw`<svg><style>@\69mport "//elsewhere.example/x"</style></svg>`,
    ),
    "an SVG that hides it by XML": svg('<svg><rect fill="&#x75;rl(https://elsewhere.example/x)"/></svg>'),
    "an SVG that hides it by a comment": svg("<svg><style>@imp<!-- -->ort 'x.css'</style></svg>"),
    "an SVG that hides it by a section": svg("<svg><style>@imp<![CDATA[ort 'x.css']]></style></svg>"),
    "an SVG that loads by an animation": svg(
      '<svg><image><set attributeName="href" to="https://elsewhere.example/x"/></image></svg>',
    ),
  };
  test("that is an SVG whose style names parts of itself is taken", async () => {
    const logo = svg(
      `<svg xmlns="http://www.w3.org/2000/svg"><style>.a{fill:url( "#b" )}</style><path class="a" mask="url(#m)" style="filter:url('#f')"/><rect style="background:url(data:image/png;base64,AA)"/></svg>`,
    );
    expect((await put(host, { logo })).status).toBe(200);
  });
  test.each(Object.entries(bad))("that is %s is refused and changes nothing", async (_name, logo) => {
    await put(host, { logo: PNG, name: "kept" });
    const response = await put(host, { logo });
    expect(response.status).toBe(400);
    expect(response.body.message).toStartWith("`logo` ");
    expect((await shown()).name).toBe("kept");
  });
});

describe("setting it", () => {
  const request = (token: string | undefined, body: unknown) => () => ({
    method: "PUT",
    path: "/api/tenant/branding",
    token,
    body,
  });
  apiRows(
    () => fixture,
    [
      { name: "anonymous is 401", request: request(undefined, {}), status: 401, answer: "none" },
      {
        name: "by who only reads is 403",
        request: () => request(reader, { name: "x" })(),
        status: 403,
        answer: "error",
      },
      {
        name: "on a plan without whitelabeling is 403, and says so",
        request: () => request(plain, { name: "x" })(),
        status: 403,
        answer: ({ body }) => expect(body.message).toContain("whitelabeling"),
      },
      ...(
        [
          ["a name of 41 characters", { name: "x".repeat(41) }, "`name` "],
          ["a name of nothing", { name: "  " }, "`name` "],
          ["a name of two lines", { name: "a\nb" }, "`name` "],
          ["a name that is no text", { name: 5 }, "`name` "],
          ["a color by name", { primaryColor: "red" }, "`primaryColor` "],
          ["a color with more behind it", { primaryColor: "#aabbcc;background:url(x)" }, "`primaryColor` "],
        ] as const
      ).map(([subject, body, message]) => ({
        name: `${subject} is 400 and names the field`,
        request: () => request(host, body)(),
        status: 400,
        answer: (response: { body: { message: string } }) =>
          expect(response.body.message).toStartWith(message),
      })),
    ],
  );

  test("stands in the audit log, without the picture", async () => {
    await put(host, { name: "Acme", logo: PNG });
    const { body } = await fixture.call("GET", "/api/audit?action=branding.set&limit=1", { token: host });
    expect(body[0].after).toEqual({
      name: "Acme",
      logo: expect.stringMatching(/^data:image\/png;base64,.*… \(\d+ characters\)$/),
    });
  });
});
