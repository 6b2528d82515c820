import { describe } from "bun:test";
import { contract, createWorld } from "./client.ts";
import { boolean, including, iso, listOf, object, text, uuid, without } from "./shapes.ts";

const world = createWorld({
  prepare: async ({ test, tokens }) => {
    // A tenant on the plan without whitelabelling, in place of the anonymous client.
    tokens.stranger = (await test.signIn("TENANT_OWNER", { tenant: "small", plan: "basic" })).token;
  },
});
const list = "/api/tenant-attributes";
const attribute = { key: text, value: object, updatedAt: iso };
const value = { color: "#336699", nested: { a: [1] } };

describe("tenant attributes", () => {
  contract(world, [
    [
      "an owner sets one",
      `owner POST ${list}`,
      200,
      { body: { key: "colors", value }, is: { key: "colors", value, updatedAt: iso } },
    ],
    [
      "an administrator sets one",
      `admin POST ${list}`,
      200,
      { body: { key: "footer", value: { text: "hi" } }, is: { ...attribute, key: "footer" } },
    ],
    [
      "setting again replaces",
      `admin POST ${list}`,
      200,
      { body: { key: "footer", value: { text: "ho" } }, is: { key: "footer", value: { text: "ho" } } },
    ],
    ["a read-write user may not set", `rw POST ${list}`, 403, { body: { key: "a", value: {} } }],
    ["a reader may not set", `reader POST ${list}`, 403, { body: { key: "a", value: {} } }],
    [
      "a plan without whitelabelling may not set",
      `stranger POST ${list}`,
      403,
      { body: { key: "a", value: {} } },
    ],
    ["the key is required", `owner POST ${list}`, 400, { body: { value } }],
    ["the value is required", `owner POST ${list}`, 400, { body: { key: "a" } }],
    ["the value is an object, no text", `owner POST ${list}`, 400, { body: { key: "a", value: "x" } }],
    ["the value is an object, no list", `owner POST ${list}`, 400, { body: { key: "a", value: [1] } }],
    ["the key is a text", `owner POST ${list}`, 400, { body: { key: 5, value } }],
    ["everybody reads them", `reader GET ${list}`, 200, { is: listOf(attribute) }],
    ["the list holds what was set", `reader GET ${list}`, 200, { is: including({ key: "colors", value }) }],
    ["another tenant does not see it", `stranger GET ${list}`, 200, { is: without({ key: "colors" }) }],
    ["one is read by key", `rw GET ${list}/colors`, 200, { is: { key: "colors", value, updatedAt: iso } }],
    ["an unknown key is 404", `rw GET ${list}/nothing`, 404],
    ["another tenant's key is 404", `stranger GET ${list}/colors`, 404],
    ["a read-write user may not delete", `rw DELETE ${list}/colors`, 403],
    ["a reader may not delete", `reader DELETE ${list}/colors`, 403],
    ["an administrator deletes", `admin DELETE ${list}/footer`, 200, { is: { success: true } }],
    ["an owner deletes", `owner DELETE ${list}/colors`, 200, { is: { success: true } }],
    ["it is gone", `owner GET ${list}/colors`, 404],
  ]);
});

describe("the tenant profile", () => {
  const profile = { tenantId: uuid, tenantName: text, planName: text, whitelabelEnabled: boolean };
  contract(world, [
    [
      "names tenant and plan to everybody",
      "reader GET /api/tenant/profile",
      200,
      { is: { ...profile, tenantName: "plant", whitelabelEnabled: true } },
    ],
    [
      "tells that the plan has no whitelabelling",
      "stranger GET /api/tenant/profile",
      200,
      { is: { ...profile, tenantName: "small", whitelabelEnabled: false } },
    ],
  ]);
});
