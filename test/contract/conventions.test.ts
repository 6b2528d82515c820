import { describe, expect, test } from "bun:test";
import { encode } from "cbor-x";
import { type ContractRow, contract, createWorld, type RowDetails } from "./client.ts";

const world = createWorld({
  prepare: async ({ need }) => {
    for (const name of ["alpha", "beta", "gamma"]) {
      await need("rw", "POST /api/devices", { name, deviceType: `type ${name}` });
      await need("rw", "POST /api/dashboards", { name });
      await need("rw", "POST /api/data-pipelines", { name, steps: [] });
      await need("rw", "POST /api/device-profiles", { name });
      await need("rw", "POST /api/rule-chains", {
        name,
        type: "data_generator",
        enabled: true,
        status: "draft",
        config: { intervalSeconds: 60, metrics: [{ key: "a", min: 0, max: 1 }] },
      });
      await need("owner", "POST /api/integrations", { name, type: "HTTP" });
      await need("owner", "POST /api/tenant-attributes", { key: name, value: { a: 1 } });
      await need("owner", "POST /api/api-keys", { name, role: "TENANT_READ_ONLY" });
      await need("rw", "POST /api/scheduler", {
        name,
        enabled: true,
        schedule: { kind: "interval", everyMs: 3_600_000, timezone: "UTC" },
        action: { type: "attributes", deviceType: "none", attributes: { a: 1 } },
      });
      await need("rw", "POST /api/devices/{device}/attributes", {
        scope: "SERVER",
        attributes: { [name]: 1 },
      });
      await need("anonymous", "POST /api/v1/{deviceToken}/telemetry", { payload: { [name]: 1 } });
    }
  },
});

/** Every list, the field that it is sorted by here, and whether it searches. */
const lists: ReadonlyArray<[path: string, sort: string]> = [
  ["/api/devices", "name"],
  ["/api/dashboards", "name"],
  ["/api/data-pipelines", "name"],
  ["/api/device-profiles", "name"],
  ["/api/rule-chains", "name"],
  ["/api/integrations", "name"],
  ["/api/scheduler", "name"],
  ["/api/users", "email"],
  ["/api/api-keys", "name"],
  ["/api/tenant-attributes", "key"],
  ["/api/attributes/keys", "key"],
  ["/api/devices/{device}/attributes", "key"],
  ["/api/devices/{device}/attributes/keys", "key"],
  ["/api/telemetry/keys", "key"],
  ["/api/devices/keys", "key"],
  ["/api/devices/{device}/keys", "key"],
  ["/api/devices/types", "deviceType"],
];
const withQuery = (path: string, query: string) => `owner GET ${path}?${query}`;

describe("lists", () => {
  for (const [path, sort] of lists) {
    test(`${path} pages by limit, offset, X-Total-Count and Link`, async () => {
      const all = await world.ask("owner", `GET ${path}?sort=${sort}`);
      expect(all.status).toBe(200);
      expect(all.body.length).toBeGreaterThanOrEqual(3);
      expect(all.headers.get("x-total-count")).toBe(String(all.body.length));
      expect(all.headers.get("link")).toBeNull();
      const first = await world.ask("owner", `GET ${path}?sort=${sort}&limit=2`);
      expect(first.body).toEqual(all.body.slice(0, 2));
      expect(first.headers.get("x-total-count")).toBe(String(all.body.length));
      const next = /<([^>]+)>;\s*rel="?next"?/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
      const { pathname, search } = new URL(next, world.test.app.url);
      const second = await world.ask("owner", `GET ${pathname}${search}`);
      expect(second.body).toEqual(all.body.slice(2, 4));
      const third = await world.ask("owner", `GET ${path}?sort=${sort}&limit=1&offset=2`);
      expect(third.body).toEqual(all.body.slice(2, 3));
    });

    test(`${path} sorts by ${sort}, both ways`, async () => {
      const values = async (order: string) =>
        (await world.need("owner", `GET ${path}?sort=${order}`)).map(
          (item: Record<string, string>) => item[sort],
        );
      const ascending = await values(sort);
      expect(ascending).toEqual([...ascending].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
      expect(await values(`-${sort}`)).toEqual([...ascending].reverse());
    });

    contract(world, [
      ["refuses an unknown sort", withQuery(path, "sort=color"), 400],
      ["refuses a limit of zero", withQuery(path, "limit=0"), 400],
      ["refuses a limit that is no number", withQuery(path, "limit=many"), 400],
      ["refuses a negative offset", withQuery(path, "offset=-1"), 400],
    ]);
  }

  for (const path of [
    "/api/devices",
    "/api/dashboards",
    "/api/data-pipelines",
    "/api/device-profiles",
    "/api/rule-chains",
    "/api/integrations",
    "/api/scheduler",
  ])
    test(`${path} searches by name`, async () => {
      const found = await world.need("owner", `GET ${path}?search=amm`);
      expect(found.map(({ name }: { name: string }) => name)).toEqual(["gamma"]);
    });
});

const json = { "content-type": "application/json" };
const bodies: ReadonlyArray<[who: string, target: string]> = [
  ["rw", "POST /api/devices"],
  ["rw", "PATCH /api/devices/{device}"],
  ["rw", "POST /api/dashboards"],
  ["rw", "POST /api/data-pipelines"],
  ["rw", "POST /api/rule-chains"],
  ["rw", "POST /api/scheduler"],
  ["rw", "POST /api/devices/{device}/attributes"],
  ["rw", "POST /api/v1/telemetry/query"],
  ["owner", "POST /api/integrations"],
  ["owner", "POST /api/tenant-attributes"],
  ["owner", "PATCH /api/alarms/escalation-settings"],
  ["anonymous", "POST /api/auth/exchange"],
];

describe("bodies", () => {
  const types = ["text/plain", "application/xml", "application/merge-patch+json"];
  contract(
    world,
    bodies.flatMap(([who, time]): ContractRow[] => [
      ...types.map(
        (type): ContractRow => [
          `415 for ${type}`,
          `${who} ${time}`,
          415,
          { raw: '{"name":"x"}', headers: { "content-type": type } },
        ],
      ),
      [
        "400 for broken JSON, without an echo",
        `${who} ${time}`,
        400,
        {
          raw: '{"secret word": ',
          headers: json,
          check: ({ text: body }) => expect(body).not.toContain("secret word"),
        },
      ],
      ["400 for null", `${who} ${time}`, 400, { raw: "null", headers: json }],
      ["400 for a list", `${who} ${time}`, 400, { body: [1, 2] }],
    ]),
  );

  test("415 without a content type", async () => {
    const response = await world.ask("rw", "POST /api/devices", {
      raw: new TextEncoder().encode('{"name":"x"}'),
    });
    expect(response.status).toBe(415);
  });

  test("413 for a body that is too large", async () => {
    const response = await world.ask("rw", "POST /api/dashboards", {
      body: { name: "x", settings: { a: "x".repeat(10_000_000) } },
    });
    expect([response.status, response.body.statusCode]).toEqual([413, 413]);
  });
});

describe("CBOR", () => {
  const cbor = (body: unknown): RowDetails => ({
    raw: new Uint8Array(encode(body)),
    headers: { "content-type": "application/cbor" },
  });
  contract(world, [
    [
      "is taken for telemetry",
      "anonymous POST /api/v1/{deviceToken}/telemetry",
      200,
      { ...cbor({ payload: { c1: 1 } }), is: { success: true } },
    ],
    [
      "is taken for a batch",
      "anonymous POST /api/v1/{deviceToken}/telemetry/batch",
      200,
      cbor({ items: [{ ts: 1_700_000_000_000, telemetry: { c2: 2 } }] }),
    ],
    ["is taken for attributes", "anonymous POST /api/v1/{deviceToken}/attributes", 200, cbor({ c3: 3 })],
    [
      "is stored",
      "owner GET /api/devices/{device}/telemetry/latest",
      200,
      { is: { values: { c1: 1, c2: 2 } } },
    ],
    [
      "is refused when broken",
      "anonymous POST /api/v1/{deviceToken}/telemetry",
      400,
      { raw: new Uint8Array([0xff, 0x00]), headers: { "content-type": "application/cbor" } },
    ],
    [
      "carries no infinity",
      "anonymous POST /api/v1/{deviceToken}/telemetry",
      400,
      cbor({ c4: Number.POSITIVE_INFINITY }),
    ],
    ["carries no NaN", "anonymous POST /api/v1/{deviceToken}/telemetry", 400, cbor({ c4: Number.NaN })],
  ]);
});

describe("errors", () => {
  contract(world, [
    [
      "name field and rule",
      "rw POST /api/devices",
      400,
      { body: { name: 5, deviceType: "x" }, is: { statusCode: 400, error: "Bad Request", message: /name/ } },
    ],
    [
      "echo no submitted value",
      "rw POST /api/devices",
      400,
      {
        body: { name: { password: "swordfish 1" }, deviceType: "x" },
        check: ({ text: body }) => expect(body).not.toContain("swordfish"),
      },
    ],
    ["404 for an id that is none", "owner GET /api/devices/not-an-id", 404],
    ["404 for an unknown path below /api", "owner GET /api/nothing/here", 404],
    ...["/metrics/x", "/query/x", "/search", "/write", "/wp-login.php"].map(
      (path): ContractRow => [`404 for ${path}`, `anonymous GET ${path}`, 404],
    ),
  ]);
});
