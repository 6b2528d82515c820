import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createConsoleFiles } from "../../src/http/console.ts";
import { expectErrorBody } from "../support/api-rows.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

const files = createConsoleFiles({ root: "test/support/console" });
const BROWSER = "text/html,application/xhtml+xml,*/*;q=0.8";
const get = (path: string, accept = "*/*") =>
  files.respond(new Request(`http://localhost${path}`, { headers: { accept } }));

describe("the console's files", () => {
  test.each(["*/*", BROWSER])("answer a screen's address with the shell, for %s", async (accept) => {
    const response = get("/devices/0192a0c4/data", accept);
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("console")]);
  });

  test("answer a browser that opens another address with the shell and 404", async () => {
    const response = get("/nonsense", BROWSER);
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("console")]);
    const again = files.respond(
      new Request("http://localhost/nonsense", {
        headers: { accept: BROWSER, "if-none-match": response.headers.get("etag") ?? "" },
      }),
    );
    expect(again.status).toBe(404);
  });

  test("have nothing else", () => {
    for (const path of ["/nonsense", "/assets/gone.js"])
      expect(() => get(path)).toThrow("There is nothing at this path");
    expect(() => get("/assets/gone.js", BROWSER)).toThrow("There is nothing at this path");
  });
});

describe("the gateway", () => {
  let fixture: TestApp;
  beforeAll(async () => {
    fixture = await createTestApp();
  });
  afterAll(() => fixture.stop());

  test.each([
    "/metrics",
    "/search",
    "/write",
    "/nonsense",
    "/devices/a/nonsense",
    "/docs/nonsense.js",
    "/idp/nonsense",
    "/api",
    "/api/nonsense",
    "/assets/gone.js",
    "/.env",
  ])("answers %s with 404 and the error body", async (path) => {
    expectErrorBody(await fixture.call("GET", path), 404);
  });

  test.each(["/api/nonsense", "/idp/nonsense"])("answers a browser at %s alike", async (path) => {
    const response = await fixture.call("GET", path, { headers: { accept: BROWSER } });
    expectErrorBody(response, 404);
  });

  test("answers other methods at an unknown path with the error body", async () => {
    for (const method of ["POST", "PUT", "DELETE"])
      expectErrorBody(await fixture.call(method, "/search"), 404);
  });
});
