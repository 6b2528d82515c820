import { afterAll, beforeAll, expect, test } from "bun:test";
import { FOREIGN_TOKENS_MAX } from "../../src/modules/devices/chosen-tokens.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** A tenant cannot find out tokens of another tenant's devices by choosing tokens until one is taken. */

let fixture: TestApp;
let ours: string;
let theirs: string;

beforeAll(async () => {
  fixture = await createTestApp();
  ours = (await fixture.signIn("TENANT_OWNER")).token;
  theirs = (await fixture.signIn("TENANT_OWNER", { tenant: "two", plan: "basic" })).token;
});
afterAll(() => fixture.stop());

const create = (token: string, chosen?: string) =>
  fixture.call("POST", "/api/devices", {
    token,
    body: { name: crypto.randomUUID(), deviceType: "sensor", ...(chosen !== undefined && { token: chosen }) },
  });

test("after some tokens of other tenants, a tenant can choose none for an hour, on every way", async () => {
  for (let index = 0; index <= FOREIGN_TOKENS_MAX; index++)
    expect((await create(ours, `token-of-production-line-${index}`)).status).toBe(201);
  const own = (await create(theirs)).body;

  for (let index = 0; index < FOREIGN_TOKENS_MAX - 1; index++) {
    const { status, body } = await create(theirs, `token-of-production-line-${index}`);
    expect([status, body.code]).toEqual([409, "device.token_taken"]);
  }
  const path = `/api/devices/${own.deviceId}/credentials`;
  const put = (chosen?: string) =>
    fixture.call("PUT", path, {
      token: theirs,
      body: { type: "ACCESS_TOKEN", ...(chosen !== undefined && { token: chosen }) },
    });
  expect((await put(`token-of-production-line-${FOREIGN_TOKENS_MAX - 1}`)).status).toBe(409);

  // Tokens that are taken and tokens that are free can no longer be told apart.
  for (const chosen of [`token-of-production-line-${FOREIGN_TOKENS_MAX}`, "nobody-has-this-token"]) {
    for (const response of [await create(theirs, chosen), await put(chosen)]) {
      expect([response.status, response.body.code]).toEqual([429, "device.token_attempts"]);
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  }
  // Random tokens and other tenants are not held up.
  expect((await create(theirs)).status).toBe(201);
  expect((await put()).status).toBe(200);
  expect((await create(ours, "token-that-is-chosen-later")).status).toBe(201);
});

test("tokens of a tenant's own devices may be chosen any number of times", async () => {
  await create(ours, "token-of-an-own-device");
  for (let index = 0; index < FOREIGN_TOKENS_MAX + 2; index++)
    expect((await create(ours, "token-of-an-own-device")).status).toBe(409);
});
