import { afterAll, beforeAll, expect, test } from "bun:test";
import { isInertSvg } from "../../src/lib/strings/inert-svg.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let host: string;
let plain: string;

beforeAll(async () => {
  fixture = await createTestApp();
  host = (await fixture.signIn("TENANT_OWNER", { tenant: "host" })).token;
  plain = (await fixture.signIn("TENANT_OWNER", { tenant: "plain", plan: "basic" })).token;
});
afterAll(() => fixture.stop());

const NS = 'xmlns="http://www.w3.org/2000/svg"';
const address = (text: string) => `data:image/svg+xml;base64,${Buffer.from(text).toString("base64")}`;
const put = (token: string, body: unknown) => fixture.call("PUT", "/api/tenant/branding", { token, body });
const isInert = (text: string) => isInertSvg(new TextEncoder().encode(text));

const hostile: Record<string, string> = {
  "a script under a prefix": `<svg ${NS} xmlns:x="http://www.w3.org/2000/svg"><x:script>alert(1)</x:script></svg>`,
  "a script of HTML": `<svg ${NS} xmlns:h="http://www.w3.org/1999/xhtml"><h:script>alert(1)</h:script></svg>`,
  "a handler after a slash": `<svg/onload="alert(1)" ${NS}/>`,
  "a handler without quotes": `<svg ${NS} onload=alert(1)></svg>`,
  "a handler after a line break": `<svg ${NS}\nonload="alert(1)"/>`,
  "a handler under a prefix": `<svg ${NS} xmlns:x="y" x:onload="alert(1)"/>`,
  "a handler that an animation sets": `<svg ${NS}><set attributeName="onload" to="alert(1)"/></svg>`,
  "a script that is closed in a comment": `<svg ${NS}><!-- --><script>alert(1)</script><!-- --></svg>`,
  "a scheme with a tab in it": `<svg ${NS}><a href="java&#9;script:alert(1)"><rect/></a></svg>`,
  "a reference of an entity": `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg ${NS}>&x;</svg>`,
  "a style sheet of its own": `<?xml-stylesheet href="//elsewhere.example/x.css"?><svg ${NS}/>`,
  "another base": `<svg ${NS} xml:base="//elsewhere.example/"><use href="#a"/></svg>`,
  "another encoding": `<?xml version="1.0" encoding="UTF-7"?><svg ${NS}/>`,
  "an embedded page": `<svg ${NS}><foreignObject><p/></foreignObject></svg>`,
  "an SVG in an SVG": `<svg ${NS}><use href="data:image/svg+xml,x"/></svg>`,
  "a style split by an element": `<svg ${NS}><style>@imp<g/>ort "x"</style></svg>`,
  "an attribute that is not closed": `<svg ${NS} a="`,
  "an element that is not closed": `<svg ${NS}><g></svg>`,
  "two roots": `<svg ${NS}/><svg ${NS}/>`,
};

test.each(Object.entries(hostile))("a logo with %s is refused", async (_name, text) => {
  const response = await put(host, { logo: address(text) });
  expect(response.status).toBe(400);
  expect(response.body.message).toStartWith("`logo` ");
});

test.each([
  `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><svg ${NS}/>`,
  `<svg ${NS} xmlns:i="http://www.inkscape.org/namespaces/inkscape" xmlns:d="http://purl.org/dc/elements/1.1/"><i:view i:zoom="1"/><metadata><d:title>A &amp; B</d:title></metadata></svg>`,
  `<svg ${NS} xmlns:xlink="http://www.w3.org/1999/xlink"><defs><linearGradient id="a"/></defs><use xlink:href="#a"/><path d="M0 0" fill="url(#a)"/></svg>`,
  `<svg ${NS}><style><![CDATA[.a > .b { fill: red }]]></style><text>1 &lt; 2</text></svg>`,
])("a drawing as programs write it is taken: %s", (text) => {
  expect(isInert(text)).toBe(true);
});

test("a logo of comments that makes a backtracking expression double its time is refused at once", async () => {
  const text = `${"<!-- -->\n".repeat(8_000)}<`;
  expect((await put(host, { logo: address(text) })).status).toBe(400);
});

test("the plan is checked before the logo is parsed", async () => {
  expect((await put(plain, { logo: "no image" })).status).toBe(403);
});

test("a logo is checked when it is set, and not again for each page before sign-in", async () => {
  const { branding } = fixture.app.services;
  await put(host, { logo: address(`<svg ${NS}/>`) });
  const first = branding.logo();
  await fixture.call("GET", "/idp/authorize");
  expect(first?.type).toBe("image/svg+xml");
  expect(branding.logo()).toBe(first as never);
  await fixture.call("DELETE", "/api/tenant-attributes/branding", { token: host });
  expect(branding.logo()).toBeUndefined();
});
