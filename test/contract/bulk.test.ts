import { describe, expect, test } from "bun:test";
import { contract, createWorld, keep } from "./client.ts";
import { count, including, listOf, number, text, uuid, without } from "./shapes.ts";

const world = createWorld();
const validate = "POST /api/devices/bulk/validate";
const load = "POST /api/devices/bulk/import";
const csv = (lines: string) => ({ raw: lines, headers: { "content-type": "text/csv" } });
const mixed = "name,deviceType\nok,sensor\n,sensor\n";

describe("the bulk template", () => {
  contract(world, [
    [
      "is a CSV with the columns of the create request",
      "reader GET /api/devices/bulk/template.csv",
      200,
      {
        check: ({ headers, text: body }) => {
          expect(headers.get("content-type")).toStartWith("text/csv");
          const columns = (body.split(/\r?\n/)[0] ?? "")
            .split(/[,;]/)
            .map((column) => column.replaceAll('"', ""));
          for (const column of ["name", "deviceType", "assetId", "role", "lorawanDevEui", "token"])
            expect(columns).toContain(column);
        },
      },
    ],
  ]);
});

describe("bulk validation", () => {
  contract(world, [
    [
      "takes JSON rows",
      `rw ${validate}`,
      201,
      { body: { rows: [{ name: "a", deviceType: "s" }] }, is: { valid: true, total: 1, errors: [] } },
    ],
    [
      "takes CSV",
      `rw ${validate}`,
      201,
      { ...csv("name,deviceType\na,s\nb,s\n"), is: { valid: true, total: 2, errors: [] } },
    ],
    [
      "names row and field of an error",
      `rw ${validate}`,
      201,
      {
        ...csv(mixed),
        is: { valid: false, total: 2, errors: listOf({ row: number, field: "name", message: text }) },
      },
    ],
    [
      "finds a DevEUI that is none",
      `rw ${validate}`,
      201,
      {
        body: { rows: [{ name: "a", deviceType: "s", lorawanDevEui: "xyz" }] },
        is: { valid: false, errors: [{ row: number, field: "lorawanDevEui", message: text }] },
      },
    ],
    [
      "finds a DevEUI that is there twice",
      `rw ${validate}`,
      201,
      {
        body: {
          rows: ["a", "b"].map((name) => ({ name, deviceType: "s", lorawanDevEui: "1111111111111111" })),
        },
        is: { valid: false },
      },
    ],
    ["creates nothing", "rw GET /api/devices", 200, { is: without({ deviceType: "s" }) }],
    ["needs rows", `rw ${validate}`, 400, { body: {} }],
    ["needs rows that are a list", `rw ${validate}`, 400, { body: { rows: "x" } }],
    ["takes no XML", `rw ${validate}`, 415, { raw: "<a/>", headers: { "content-type": "application/xml" } }],
    ["refuses a reader", `reader ${validate}`, 403, { body: { rows: [] } }],
  ]);
});

describe("bulk import", () => {
  const created = { deviceId: uuid, name: text };
  contract(world, [
    ["creates nothing when a row is wrong", `rw ${load}`, 400, { ...csv(mixed) }],
    ["has created nothing", "rw GET /api/devices", 200, { is: without({ name: "ok" }) }],
    [
      "creates the good rows with partial=true",
      `rw ${load}?partial=true`,
      201,
      {
        ...csv(mixed),
        is: { created: 1, failed: 1, rows: including({ row: number, ...created, name: "ok" }) },
      },
    ],
    [
      "creates all rows",
      `rw ${load}`,
      201,
      {
        body: {
          rows: [
            { name: "b1", deviceType: "bulk", assetId: "hall" },
            { name: "b2", deviceType: "bulk", role: "GATEWAY" },
          ],
        },
        is: {
          created: 2,
          failed: 0,
          rows: [
            { row: count, ...created },
            { row: count, ...created },
          ],
        },
      },
    ],
    [
      "lists them",
      "rw GET /api/devices?deviceType=bulk",
      200,
      { is: [{ name: "b1", assetId: "hall" }, { name: "b2" }] },
    ],
    [
      "sets tokens and attributes",
      `rw ${load}`,
      201,
      {
        ...csv(
          "name,deviceType,token,attributes.shared.target,attributes.server.site\nb3,bulk3,a-token-of-our-own-0123456789,21.5,north\n",
        ),
        is: {
          created: 1,
          failed: 0,
          rows: [{ ...created, name: "b3", deviceToken: "a-token-of-our-own-0123456789" }],
        },
        check: keep(world, "b3", (body) => body.rows[0].deviceId),
      },
    ],
    [
      "the token signs the device in",
      "anonymous GET /api/v1/a-token-of-our-own-0123456789/attributes?scope=SHARED",
      200,
      { is: including({ key: "target" }) },
    ],
    [
      "the server attribute is set",
      "rw GET /api/devices/{b3}/attributes?scope=SERVER",
      200,
      { is: including({ key: "site", value: "north" }) },
    ],
    [
      "refuses a token that is taken",
      `rw ${load}`,
      400,
      { ...csv("name,deviceType,token\nb4,bulk4,a-token-of-our-own-0123456789\n") },
    ],
    ["refuses a reader", `reader ${load}`, 403, { body: { rows: [{ name: "a", deviceType: "s" }] } }],
  ]);

  test("takes a multipart file", async () => {
    const form = new FormData();
    form.append(
      "file",
      new File(["name,deviceType\nfrom file,filed\n"], "devices.csv", { type: "text/csv" }),
    );
    const response = await fetch(`${world.test.app.url}/api/devices/bulk/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${world.tokens.rw}` },
      body: form,
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ created: 1, failed: 0 });
  });

  test("takes 50,000 rows in a validation", async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `many ${index},mass`).join("\n");
    const { status, body } = await world.ask("rw", validate, csv(`name,deviceType\n${lines}\n`));
    expect([status, body.valid, body.total]).toEqual([201, true, 50_000]);
  });
});
