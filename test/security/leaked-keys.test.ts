import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** An API key of an owner creates nothing that signs in or sends data away by itself after the key was deleted. */

let fixture: TestApp;
let key: string;

beforeAll(async () => {
  fixture = await createTestApp();
  const { token } = await fixture.signIn("TENANT_OWNER");
  const body = { name: "script", role: "TENANT_OWNER" };
  ({ key } = (await fixture.call("POST", "/api/api-keys", { token, body })).body);
});
afterAll(() => fixture.stop());

const refusal = async (method: string, path: string, body?: unknown) => {
  const answer = await fixture.call(method, path, { token: key, ...(body !== undefined && { body }) });
  return [answer.status, answer.body.code];
};

test("a key cannot create, change or delete MQTT clients", async () => {
  const client = {
    name: "x",
    signIn: "PASSWORD",
    username: "x",
    password: "a-long-password",
    subscribe: ["#"],
  };
  for (const [method, path, body] of [
    ["POST", "/api/mqtt/clients", { ...client, publish: [] }],
    ["PATCH", "/api/mqtt/clients/any", { name: "y" }],
    ["DELETE", "/api/mqtt/clients/any", undefined],
  ] as const)
    expect(await refusal(method, path, body)).toEqual([403, "auth.person_needed"]);
});

test("a key cannot create, change, test or delete uplinks", async () => {
  const uplink = { name: "x", target: { kind: "mqtt", url: "mqtt://192.0.2.1" } };
  for (const [method, path, body] of [
    ["POST", "/api/uplinks", uplink],
    ["POST", "/api/uplinks/test", uplink],
    ["PATCH", "/api/uplinks/any", { name: "y" }],
    ["DELETE", "/api/uplinks/any", undefined],
  ] as const)
    expect(await refusal(method, path, body)).toEqual([403, "auth.person_needed"]);
});

test("a key reads both, and publishes messages", async () => {
  for (const path of ["/api/mqtt/clients", "/api/uplinks", "/api/mqtt/topics"])
    expect((await fixture.call("GET", path, { token: key })).status).toBe(200);
  const body = { topic: "plant/hello", payload: "1" };
  expect((await fixture.call("POST", "/api/mqtt/publish", { token: key, body })).status).toBe(200);
});
