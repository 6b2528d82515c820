// Commands that a device profile defines, for forms and buttons.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
let profileId: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
  profileId = (await fixture.call("POST", "/api/device-profiles", { token: owner, body: { name: "pumps" } }))
    .body.profileId;
});
afterAll(() => fixture.stop());

const change = (commands: unknown, token = owner) =>
  fixture.call("PATCH", `/api/device-profiles/${profileId}`, { token, body: { commands } });

const speed = { name: "speed", type: "number", unit: "rpm", minimum: 0, maximum: 3000, default: 1500 };

test.each([
  ["the same method twice", [{ method: "a" }, { method: "a" }]],
  ["an empty method", [{ method: "" }]],
  ["the same parameter twice", [{ method: "a", params: [speed, speed] }]],
  ["a type that does not exist", [{ method: "a", params: [{ name: "x", type: "date" }] }]],
  ["a choice without options", [{ method: "a", params: [{ name: "x", type: "choice" }] }]],
  ["a minimum above the maximum", [{ method: "a", params: [{ ...speed, minimum: 4000 }] }]],
  ["a default beyond the maximum", [{ method: "a", params: [{ ...speed, default: 3001 }] }]],
  ["a default of another type", [{ method: "a", params: [{ ...speed, default: "1500" }] }]],
  [
    "a default that is no option",
    [{ method: "a", params: [{ name: "x", type: "choice", options: ["a"], default: "b" }] }],
  ],
  ["an empty name beside others", [{ method: "a", params: [speed, { name: "", type: "text" }] }]],
  ["51 commands", Array.from({ length: 51 }, (_, index) => ({ method: `m${index}` }))],
  [
    "33 parameters",
    [{ method: "a", params: Array.from({ length: 33 }, (_, i) => ({ ...speed, name: `p${i}` })) }],
  ],
  [
    "more than 32 KiB together",
    Array.from({ length: 50 }, (_, index) => ({
      method: `m${index}`,
      description: "x".repeat(500),
      params: [{ ...speed, label: "y".repeat(100) }],
    })),
  ],
])("commands with %s are refused", async (_, commands) => {
  expect((await change(commands)).status).toBe(400);
});

test("commands are kept, replaced as a whole, and shown; none at first", async () => {
  const path = `/api/device-profiles/${profileId}`;
  expect((await fixture.call("GET", path, { token: owner })).body.commands).toEqual([]);
  const commands = [
    {
      method: "setSpeed",
      name: "Set speed",
      asksFirst: true,
      params: [speed, { name: "mode", type: "choice", options: ["auto", "manual"] }],
    },
    { method: "stop" },
    { method: "POWER", params: [{ name: "", type: "choice", options: ["ON", "OFF"], default: "ON" }] },
  ];
  expect((await change(commands)).body.commands).toEqual(commands);
  expect((await fixture.call("GET", path, { token: owner })).body.commands).toEqual(commands);
  const other = await fixture.call("PATCH", path, { token: owner, body: { description: "x" } });
  expect(other.body.commands).toEqual(commands);
  expect((await change([])).body.commands).toEqual([]);
});

test("readers see them and cannot change them; another site sees nothing", async () => {
  await change([{ method: "stop" }]);
  const { token } = await fixture.signIn("TENANT_READ_ONLY");
  const shown = await fixture.call("GET", `/api/device-profiles/${profileId}`, { token });
  expect(shown.body.commands).toEqual([{ method: "stop" }]);
  expect((await change([], token)).status).toBe(403);
  const stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "other" })).token;
  expect((await change([], stranger)).status).toBe(404);
  expect((await fixture.call("GET", `/api/device-profiles/${profileId}`, { token: stranger })).status).toBe(
    404,
  );
  expect((await change([])).status).toBe(200);
});

test("a change of a version that is no more is refused, and changes nothing", async () => {
  const path = `/api/device-profiles/${profileId}`;
  const read = (await fixture.call("GET", path, { token: owner })).body;
  const headers = { "if-match": `"${read.updatedAt}"` };
  const body = { commands: [{ method: "first" }] };
  expect((await fixture.call("PATCH", path, { token: owner, body, headers })).status).toBe(200);
  const late = await fixture.call("PATCH", path, { token: owner, body: { commands: [] }, headers });
  expect([late.status, late.body.code]).toEqual([412, "request.outdated"]);
  expect((await fixture.call("GET", path, { token: owner })).body.commands).toEqual(body.commands);
});
