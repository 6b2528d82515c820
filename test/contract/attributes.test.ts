import { describe } from "bun:test";
import { contract, createWorld } from "./client.ts";
import { emptyList, including, iso, listOf, oneOf, text, without } from "./shapes.ts";

const world = createWorld({
  prepare: async ({ need }) => {
    await need("rw", "POST /api/devices/{device}/attributes", {
      scope: "SHARED",
      attributes: { target: 21.5, mode: "auto", on: true, plan: { a: [1] } },
    });
    await need("rw", "POST /api/devices/{device}/attributes", {
      scope: "SERVER",
      attributes: { site: "north" },
    });
  },
});

const entries = "/api/devices/{device}/attributes";
const entry = { key: text, scope: oneOf("SERVER", "SHARED", "CLIENT"), updatedAt: iso };
const success = { success: true };
const scopes = ["SERVER", "SHARED", "CLIENT"];

describe("attributes in the user API", () => {
  contract(world, [
    ["lists entries of key, value, scope and updatedAt", `reader GET ${entries}`, 200, { is: listOf(entry) }],
    [
      "keeps numbers",
      `reader GET ${entries}`,
      200,
      { is: including({ ...entry, key: "target", value: 21.5, scope: "SHARED" }) },
    ],
    ["keeps booleans", `reader GET ${entries}`, 200, { is: including({ key: "on", value: true }) }],
    ["keeps objects", `reader GET ${entries}`, 200, { is: including({ key: "plan", value: { a: [1] } }) }],
    [
      "filters by SHARED",
      `reader GET ${entries}?scope=SHARED`,
      200,
      { is: listOf({ ...entry, scope: "SHARED" }) },
    ],
    [
      "filters by SERVER",
      `reader GET ${entries}?scope=SERVER`,
      200,
      { is: including({ key: "site", value: "north" }) },
    ],
    [
      "leaves the other scopes out",
      `reader GET ${entries}?scope=SERVER`,
      200,
      { is: without({ key: "target" }) },
    ],
    [
      "answers an empty list where a scope has none",
      `reader GET ${entries}?scope=CLIENT`,
      200,
      { is: emptyList },
    ],
    ["refuses an invalid scope", `reader GET ${entries}?scope=PRIVATE`, 400],
    ["refuses a scope in lower case", `reader GET ${entries}?scope=shared`, 400],
    ["answers 404 for a device of another tenant", "owner GET /api/devices/{foreign}/attributes", 404],
    ["answers 404 for an unknown device", "owner GET /api/devices/{unknown}/attributes", 404],
    ["answers 404 for a device that is not granted", `limited GET ${entries}`, 404],
    [
      "lists the keys of a device as objects",
      `reader GET ${entries}/keys`,
      200,
      { is: listOf({ key: text }) },
    ],
    [
      "lists the keys of the tenant as objects",
      "reader GET /api/attributes/keys",
      200,
      { is: including({ key: "target" }) },
    ],
    [
      "shows no other tenant's keys",
      "stranger GET /api/attributes/keys",
      200,
      { is: without({ key: "target" }) },
    ],
    [
      "shows a limited user no keys of hidden devices",
      "limited GET /api/attributes/keys",
      200,
      { is: without({ key: "target" }) },
    ],
  ]);

  contract(
    world,
    Object.entries({
      "without a scope": { attributes: { a: 1 } },
      "without attributes": { scope: "SHARED" },
      "with a list as attributes": { scope: "SHARED", attributes: [1] },
      "with a text as attributes": { scope: "SHARED", attributes: "a" },
      "with null as attributes": { scope: "SHARED", attributes: null },
      "with an invalid scope": { scope: "OTHER", attributes: { a: 1 } },
      "with a list as the body": [],
    }).map(([name, body]) => [`refuses a write ${name}`, `rw POST ${entries}`, 400, { body }]),
  );

  contract(
    world,
    scopes.map((scope) => [
      `writes ${scope} and reads it back`,
      `rw POST ${entries}`,
      200,
      {
        body: { scope, attributes: { [`written${scope}`]: [scope, 1] } },
        is: success,
        check: async () => {
          const list = await world.need("rw", `GET ${entries}?scope=${scope}`);
          const item = list.find(({ key }: { key: string }) => key === `written${scope}`);
          if (JSON.stringify(item?.value) !== JSON.stringify([scope, 1]))
            throw new Error(`${scope} holds ${JSON.stringify(list)}`);
        },
      },
    ]),
  );

  contract(world, [
    [
      "refuses a write of a reader",
      `reader POST ${entries}`,
      403,
      { body: { scope: "SHARED", attributes: { a: 1 } } },
    ],
    [
      "answers a write to another tenant's device with 404",
      "owner POST /api/devices/{foreign}/attributes",
      404,
      { body: { scope: "SHARED", attributes: { a: 1 } } },
    ],
    ["refuses to delete in an invalid scope", `rw DELETE ${entries}/PRIVATE/target`, 400],
    ["refuses a reader's delete", `reader DELETE ${entries}/SHARED/target`, 403],
    ["deletes one key of one scope", `rw DELETE ${entries}/SHARED/writtenSHARED`, 200, { is: success }],
    ["has deleted it", `rw GET ${entries}`, 200, { is: without({ key: "writtenSHARED" }) }],
    ["has deleted nothing else", `rw GET ${entries}`, 200, { is: including({ key: "writtenSERVER" }) }],
    [
      "answers a delete on another tenant's device with 404",
      "owner DELETE /api/devices/{foreign}/attributes/SHARED/a",
      404,
    ],
  ]);
});

const own = "/api/v1/{deviceToken}/attributes";
const badToken = "/api/v1/no-such-device-token-at-all/attributes";

describe("attributes in the device token API", () => {
  contract(world, [
    [
      "stores client attributes",
      `anonymous POST ${own}`,
      200,
      { body: { firmware: "1.2", cells: 3 }, is: success },
    ],
    [
      "stores them in the scope CLIENT",
      `rw GET ${entries}?scope=CLIENT`,
      200,
      { is: including({ key: "firmware", value: "1.2", scope: "CLIENT" }) },
    ],
    [
      "reads SHARED entries",
      `anonymous GET ${own}?scope=SHARED`,
      200,
      { is: listOf({ ...entry, scope: "SHARED" }) },
    ],
    [
      "reads its SHARED values",
      `anonymous GET ${own}?scope=SHARED`,
      200,
      { is: including({ key: "target", value: 21.5 }) },
    ],
    ["may not read SERVER", `anonymous GET ${own}?scope=SERVER`, 400],
    ["may not read CLIENT by scope", `anonymous GET ${own}?scope=CLIENT`, 400],
    ["refuses an unknown scope", `anonymous GET ${own}?scope=other`, 400],
    ["refuses an invalid token", `anonymous GET ${badToken}`, 400],
    ["refuses an invalid token on a write", `anonymous POST ${badToken}`, 400, { body: { a: 1 } }],
    ["refuses a list", `anonymous POST ${own}`, 400, { body: [1, 2] }],
    ["refuses a text", `anonymous POST ${own}`, 400, { body: "x" }],
    [
      "refuses broken JSON",
      `anonymous POST ${own}`,
      400,
      { raw: "{", headers: { "content-type": "application/json" } },
    ],
    [
      "lists no SERVER attribute without a scope",
      `anonymous GET ${own}`,
      200,
      { is: without({ scope: "SERVER" }) },
    ],
    [
      "answers key lists in sections",
      `anonymous GET ${own}?clientKeys=firmware&sharedKeys=target,mode`,
      200,
      { is: { client: { firmware: "1.2" }, shared: { target: 21.5, mode: "auto" } } },
    ],
    [
      "reads flat values by key",
      `anonymous GET ${own}/flat?scope=SHARED&keys=target,mode`,
      200,
      { is: { target: 21.5, mode: "auto" } },
    ],
    ["needs a scope for the flat read", `anonymous GET ${own}/flat?keys=target`, 400],
    ["needs keys for the flat read", `anonymous GET ${own}/flat?scope=SHARED`, 400],
    ["refuses SERVER in the flat read", `anonymous GET ${own}/flat?scope=SERVER&keys=site`, 400],
    [
      "refuses an invalid token in the flat read",
      `anonymous GET ${badToken}/flat?scope=SHARED&keys=target`,
      400,
    ],
    [
      "leaves keys out that do not exist",
      `anonymous GET ${own}/flat?scope=SHARED&keys=target,nothing`,
      200,
      {
        check: ({ body }) => {
          if (Object.keys(body).join() !== "target") throw new Error(`flat holds ${Object.keys(body)}`);
        },
      },
    ],
  ]);
});
