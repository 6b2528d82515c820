// Messages of refused requests say what is wrong, where, and what to do: never a regular expression.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let device: { deviceId: string; token: string };

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  device = await fixture.createDevice(owner);
});
afterAll(() => fixture.stop());

test.each([
  [
    "/api/devices?limit=0",
    "query limit: must be a whole number from 1 to 10000 (at most this many items; 1000 unless given)",
  ],
  [
    "/api/devices?limit=5&offset=-1",
    "query offset: must be a whole number from 0 to 1000000000 (number of items to skip)",
  ],
  ["/api/devices?active=maybe", "query active: must be true or false"],
  [
    "/api/devices?sort=foo",
    "query sort: must be one of name, deviceType, createdAt, lastActivityAt, active, state and key:…",
  ],
  [
    "/api/users?sort=foo",
    "query sort: must be one of fullName, email, role, status, createdAt; - before it reverses the order",
  ],
  [
    "/api/nope",
    "There is nothing at this path. The API documentation, at /docs below the gateway's address, lists all paths.",
  ],
])("GET %s", async (path, message) => {
  const { body } = await fixture.call("GET", path, { token: owner });
  expect(body.message).toBe(message);
});

test.each([
  [
    "/api/devices",
    () => ({ name: "two", deviceType: "a", token: device.token }),
    "token: another device has this access token. Leave it out to get a random one.",
  ],
  [
    "/api/devices",
    () => ({ name: "three", deviceType: "a", parentDeviceId: device.deviceId }),
    "parentDeviceId: is not the id of a device with the role GATEWAY that you have access to",
  ],
  [
    "/api/uplinks",
    () => ({ name: "u", target: { type: "HTTP", url: "ftp://x" } }),
    "target.url: must be an http or https address",
  ],
])("POST %s", async (path, body, message) => {
  const answer = await fixture.call("POST", path, { token: owner, body: body() });
  expect([answer.status < 500, answer.body.message]).toEqual([true, message]);
});

test("a role that may not do something is told the permission", async () => {
  const { token } = await fixture.signIn("TENANT_READ_ONLY");
  const { body } = await fixture.call("POST", "/api/devices", { token, body: { name: "x" } });
  expect(body).toMatchObject({ code: "auth.forbidden", params: { permission: "devices:write" } });
  expect(body.message).toContain("(devices:write)");
});
