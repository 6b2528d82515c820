import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/platform/config/config.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const DAY_MS = 86_400_000;
const root = join(import.meta.dir, "..", "..");

let plain: TestApp;
let careful: TestApp;

beforeAll(async () => {
  plain = await createTestApp();
  careful = await createTestApp({
    config: { api_docs: "signed-in", security_contact: "security@plant.example" },
  });
});
afterAll(async () => {
  await plain.stop();
  await careful.stop();
});

const PATH = "/.well-known/security.txt";

test("a gateway without a contact has no security.txt, nor anything else that is well known", async () => {
  for (const path of [PATH, "/.well-known/other"]) {
    const { status, headers } = await plain.call("GET", path);
    expect([status, headers.get("content-type")]).toEqual([404, expect.stringContaining("json")]);
  }
});

test("security.txt names the contact and ends within a year", async () => {
  const { status, text, headers } = await careful.call("GET", PATH);
  expect([status, headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(text).toMatch(
    /^Contact: mailto:security@plant\.example\nExpires: \S+Z\nPreferred-Languages: en, de\n$/,
  );
  const expires = Date.parse(/Expires: (\S+)/.exec(text)?.[1] ?? "") - Date.now();
  expect(expires).toBeGreaterThan(DAY_MS);
  expect(expires).toBeLessThan(365 * DAY_MS);
});

test("a contact that is written as a URL is published as it is", async () => {
  const app = await createTestApp({ config: { security_contact: "mailto:security@plant.example" } });
  const { text } = await app.call("GET", PATH);
  expect(text).toStartWith("Contact: mailto:security@plant.example\n");
  await app.stop();
});

test.each(["nobody", "http://plant.example", "https://a\nContact: x", "a@b\nc", "https://"])(
  "the contact %j is refused at the start",
  (contact) => {
    expect(() => loadConfig(["--security-contact", contact], {})).toThrow("security_contact");
  },
);

test("the API's document is open unless the setting asks for a sign-in", async () => {
  expect((await plain.call("GET", "/docs/json")).status).toBe(200);
  expect((await careful.call("GET", "/docs/json")).status).toBe(401);
  const { token } = await careful.signIn("TENANT_READ_ONLY");
  const { status, body } = await careful.call("GET", "/docs/json", { token });
  expect([status, Object.keys(body.paths).length > 100]).toEqual([200, true]);
});

test("the page of the document says nothing by itself, and names the session that it reads with", async () => {
  const { status, text } = await careful.call("GET", "/docs");
  expect([status, text.includes("/api/")]).toEqual([200, false]);
});

test("the policy for reports leads to a private report and names no address that nobody reads", () => {
  expect(existsSync(join(root, "SECURITY.md"))).toBe(true);
  const text = readFileSync(join(root, "SECURITY.md"), "utf8");
  expect(text).toContain("Report a vulnerability");
  expect(text).not.toMatch(/[\w.]+@[\w.]+/);
});
