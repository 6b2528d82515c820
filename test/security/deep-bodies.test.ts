import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let token: string;

beforeAll(async () => {
  fixture = await createTestApp();
  ({ token } = await fixture.signIn("TENANT_OWNER"));
});
afterAll(() => fixture.stop());

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(fixture.app.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
  return { status: response.status, body: await response.json() };
}
const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

test.each(["/api/auth/exchange", "/api/auth/signup", "/api/auth/resend-otp"])(
  "POST %s does not look at a body that is nested thousands of times, which anybody could send",
  async (path) => {
    expect(await post(path, `{"code":${nested(30_000)}}`)).toEqual({
      status: 400,
      body: {
        statusCode: 400,
        error: "Bad Request",
        message: "The body is nested too deeply.",
        code: "body.too_deep",
        params: {},
      },
    });
  },
);

test.each(["/api/rule-chains", "/api/device-profiles", "/api/devices", "/api/data-pipelines/preview"])(
  "nor does POST %s, in whatever field it stands",
  async (path) => {
    const body = `{"name":${nested(50_000)},"config":${nested(50_000)}}`;
    const response = await post(path, body, { authorization: `Bearer ${token}` });
    expect(response).toMatchObject({ status: 400, body: { message: "The body is nested too deeply." } });
  },
);

test("brackets in texts are no nesting, and what is no JSON is refused as such", async () => {
  const text = JSON.stringify(`\\"${"[".repeat(500)}`);
  const { body } = await post("/api/auth/exchange", `{"code":${text}}`);
  expect(body.message).not.toContain("nested");
  expect((await post("/api/auth/exchange", "{")).body.message).toStartWith(
    "The request body is not well-formed.",
  );
  expect((await post("/api/auth/exchange", "")).status).toBe(400);
});

test("an operation that takes no body is not kept from its work by a type without one", async () => {
  const headers = { authorization: `Bearer ${token}` };
  expect((await post("/api/auth/logout", "", headers)).status).toBe(200);
});
