// The log of the running gateway, for its operators.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { configureLogging, createLogger } from "../../src/platform/core/log.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const PATH = "/api/gateway/logs";
const log = createLogger("test of the log");
const written: string[] = [];
let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  configureLogging({ level: "info", format: "text", write: (line) => written.push(line) });
  fixture = await createTestApp({ host: "one" });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(async () => {
  await fixture.stop();
  configureLogging({ level: "error", format: "text", write: () => undefined });
});

const get = (query = "", path = PATH) => fixture.call("GET", `${path}${query}`, { token: owner });

test("lists the newest lines, by level and by a part of the text", async () => {
  log.info("first of two", { value: 1 });
  log.error("second of two", { value: 2 });
  const { body } = await get("?search=of%20two");
  expect(body).toMatchObject([
    { level: "error", logger: "test of the log", text: expect.stringContaining("second of two value=2") },
    { level: "info", logger: "test of the log", text: expect.stringContaining("first of two value=1") },
  ]);
  expect((await get("?search=of%20two&level=warning")).body).toHaveLength(1);
  expect((await get("?search=of%20two&limit=1")).headers.get("x-total-count")).toBe("2");
});

test("keeps the newest 2,000 lines", async () => {
  for (let index = 0; index < 2_100; index++) log.info(`line ${index} of many`);
  const { body } = await get("?search=of%20many&limit=3000");
  expect([body.length, body[0].text.includes("line 2099"), body.at(-1).text.includes("line 100 ")]).toEqual([
    2_000,
    true,
    true,
  ]);
});

test("is downloaded as a text, the oldest line first", async () => {
  log.info("downloaded early");
  log.info("downloaded late");
  const { text, headers } = await get("?search=downloaded", `${PATH}/download`);
  expect(headers.get("content-disposition")).toContain("lineside.log");
  expect(text.trim().split("\n")).toEqual([
    expect.stringContaining("downloaded early"),
    expect.stringContaining("downloaded late"),
  ]);
});

test("has a level that is changed while the gateway runs", async () => {
  log.debug("not written");
  expect(
    (await fixture.call("PUT", `${PATH}/level`, { token: owner, body: { level: "debug" } })).status,
  ).toBe(200);
  log.debug("written");
  expect((await get("", `${PATH}/level`)).body).toEqual({ level: "debug" });
  expect(written.filter((line) => line.includes("written")).length).toBe(1);
  expect((await fixture.call("PUT", `${PATH}/level`, { token: owner, body: { level: "loud" } })).status).toBe(
    400,
  );
  const audited = await fixture.call("GET", "/api/audit?action=log.level", { token: owner });
  expect(audited.body[0]).toMatchObject({ action: "log.level", outcome: "SUCCESS" });
});
