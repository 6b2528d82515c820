import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let fixture: TestApp;
let owner: string;
beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

interface BulkInput {
  readonly csv?: string | Uint8Array;
  readonly rows?: unknown;
  readonly query?: string;
  readonly token?: string;
}
const call = (subject: "import" | "validate", { csv, rows, query = "", token = owner }: BulkInput) =>
  fixture.call("POST", `/api/devices/bulk/${subject}${query}`, {
    token,
    ...(csv === undefined ? { body: { rows } } : { raw: csv, headers: { "content-type": "text/csv" } }),
  });
const device = async (deviceId: string) =>
  (await fixture.call("GET", `/api/devices/${deviceId}`, { token: owner })).body;
const attributes = async (deviceId: string, scope: string) => {
  const path = `/api/devices/${deviceId}/attributes?scope=${scope}`;
  const entries: { key: string; value: unknown }[] = (await fixture.call("GET", path, { token: owner })).body;
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
};
const countDevices = async (token = owner) =>
  Number((await fixture.call("GET", "/api/devices?limit=1", { token })).headers.get("x-total-count"));

test.each([
  ["of delimiters", ",".repeat(100_000)],
  ["of delimiters after a quote", `"name"${",".repeat(100_000)}`],
  ["below a header", `name,deviceType\n${"a,".repeat(1_001)}`],
])("a row %s has too many columns", async (_, csv) => {
  const { status, body } = await call("validate", { csv });
  expect([status, body.message]).toEqual([400, "A row has more than 1000 columns. Check the delimiter."]);
});

describe("a list of devices", () => {
  test("as CSV makes each with its fields, token and attributes, and they can send at once", async () => {
    const csv = [
      "name,deviceType,label,tags,role,inactivityTimeoutMs,token,attributes.shared.target,attributes.server.inventory,attributes.shared.on",
      'Press 4,press,"Line 1, west","line-1, critical",,60000,press-4-has-this-token,21.5,DE-4711,true',
      '"Press ""5""",press,,,gateway,,,,"{""a"":[1]}",',
    ].join("\r\n");
    const response = await call("import", { csv });
    expect(response.status).toBe(201);
    expect(response.body).toMatchObject({ created: 2, failed: 0 });
    const [first, second] = response.body.rows;
    expect(first).toEqual({
      row: 1,
      name: "Press 4",
      deviceId: expect.any(String),
      deviceToken: "press-4-has-this-token",
    });
    expect(await device(first.deviceId)).toMatchObject({
      label: "Line 1, west",
      tags: ["line-1", "critical"],
      inactivityTimeoutMs: 60_000,
      role: "DEVICE",
    });
    expect(await attributes(first.deviceId, "SHARED")).toEqual({ target: 21.5, on: true });
    expect(await attributes(first.deviceId, "SERVER")).toMatchObject({ inventory: "DE-4711" });
    expect(await device(second.deviceId)).toMatchObject({ name: 'Press "5"', role: "GATEWAY" });
    expect(await attributes(second.deviceId, "SERVER")).toMatchObject({ inventory: { a: [1] } });
    const sent = await fixture.call("POST", "/api/v1/press-4-has-this-token/telemetry", { body: { a: 1 } });
    expect(sent.status).toBe(200);
  });

  test("with a number as text is refused as JSON, where a cell of a CSV is text anyway", async () => {
    const device = { name: "x", deviceType: "t" };
    const asText = await call("validate", { rows: [{ ...device, inactivityTimeoutMs: "60000" }] });
    expect(asText.body).toMatchObject({ valid: false, errors: [{ field: "inactivityTimeoutMs" }] });
    const asNumber = await call("validate", { rows: [{ ...device, inactivityTimeoutMs: 60_000 }] });
    expect(asNumber.body.valid).toBe(true);
    const csv = "name,deviceType,inactivityTimeoutMs\nx,t,60000\n";
    expect((await call("validate", { csv })).body.valid).toBe(true);
  });

  test("with a type and a role that contradict each other is refused, in either form", async () => {
    const csv = "name,deviceType,type,role\nx,t,GATEWAY,DEVICE\n";
    const rows = [{ name: "x", deviceType: "t", type: "GATEWAY", role: "DEVICE" }];
    for (const candidate of [{ csv }, { rows }]) {
      const { body } = await call("validate", candidate);
      expect(body).toMatchObject({ valid: false, errors: [{ row: 1, field: "type" }] });
      expect((await call("import", candidate)).status).toBe(400);
    }
  });

  test("as a German spreadsheet writes it: semicolons, decimal commas, a byte order mark, or Windows-1252", async () => {
    const text = "Name;DEVICETYPE;label;attributes.shared.soll\r\nKühler;kälte;Größe 3;21,5\r\n;;;\r\n";
    const utf8 = await call("import", { csv: `\uFEFF${text}` });
    expect(await attributes(utf8.body.rows[0].deviceId, "SHARED")).toEqual({ soll: 21.5 });
    const windows = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const { body } = await call("import", { csv: windows });
    expect(body).toMatchObject({ created: 1, rows: [{ name: "Kühler" }] });
    expect(await device(body.rows[0].deviceId)).toMatchObject({ label: "Größe 3", deviceType: "kälte" });
  });

  test("with thousands set apart, as spreadsheets write them on either side of the Channel", async () => {
    const german = await call("import", {
      csv: "name;deviceType;attributes.server.a\nx;t;1.234,5\ny;t;1.234\n",
    });
    const ids = german.body.rows.map(({ deviceId }: { deviceId: string }) => deviceId);
    expect(await attributes(ids[0], "SERVER")).toEqual({ a: 1234.5 });
    expect(await attributes(ids[1], "SERVER")).toEqual({ a: 1234 });
    const english = await call("import", { csv: 'name,deviceType,attributes.server.a\nx,t,"1,234.5"\n' });
    expect(await attributes(english.body.rows[0].deviceId, "SERVER")).toEqual({ a: 1234.5 });
  });

  test("with numbers that can be read in two ways or have a tail is refused by row and column", async () => {
    const csv = "name;deviceType;attributes.server.a;attributes.server.b;inactivityTimeoutMs\n";
    const unclear = `${csv}x;t;1.234;;\ny;t;;12,5;\nz;t;;12,3abc;\nu;t;;13;60.000\n`;
    expect((await call("validate", { csv: unclear })).body).toMatchObject({
      valid: false,
      errors: [
        { row: 1, field: "attributes.server.a", message: expect.stringContaining("1.234 or 1234") },
        {
          row: 3,
          field: "attributes.server.b",
          message: expect.stringContaining("“12,3abc” is not a number"),
        },
        { row: 4, field: "inactivityTimeoutMs", message: expect.stringContaining("60 or 60000") },
      ],
    });
    expect((await call("import", { csv: unclear })).status).toBe(400);
    const point = `${csv}x;t;1.234;;\ny;t;21.5;;\n`;
    const { body } = await call("import", { csv: point });
    expect(await attributes(body.rows[0].deviceId, "SERVER")).toEqual({ a: 1.234 });
  });

  test("is warned of where names are there already or twice, and imports them all the same", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "names" });
    await call("import", { rows: [{ name: "kept", deviceType: "t" }], token });
    const rows = ["new", "kept", "twice", "twice"].map((name) => ({ name, deviceType: "t" }));
    const { body } = await call("validate", { rows, token });
    expect(body).toMatchObject({ valid: true, errors: [] });
    expect(body.warnings).toEqual([
      {
        row: 2,
        field: "name",
        message: "`name` is the name of a device that already exists.",
        code: "rule.name_exists",
        params: {},
      },
      {
        row: 4,
        field: "name",
        message: "`name` is the same as in row 3.",
        code: "rule.same_as_row",
        params: { row: 3 },
      },
    ]);
    expect((await call("import", { rows, token })).body.created).toBe(4);
  });

  test("as a file of a form, and as JSON", async () => {
    const form = new FormData();
    form.set("file", new Blob(["name\tdeviceType\nFrom a form\tt\n"]), "devices.csv");
    const response = await fetch(`${fixture.app.url}/api/devices/bulk/import`, {
      method: "POST",
      headers: { authorization: `Bearer ${owner}` },
      body: form,
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ created: 1, rows: [{ name: "From a form" }] });
    const json = await call("import", {
      rows: [{ name: "j", deviceType: "t", tags: ["a"], lorawanDevEui: null }],
    });
    expect(json.body).toMatchObject({ created: 1 });
  });

  test("names its columns by the template, which is itself a good list", async () => {
    const template = await fixture.call("GET", "/api/devices/bulk/template.csv", { token: owner });
    expect(template.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    const { body } = await call("validate", { csv: template.text });
    expect(body).toEqual({ valid: true, total: 1, errors: [], warnings: [] });
  });
});

describe("what is wrong with a list", () => {
  const mistakes: [string, unknown, { field: string; message: RegExp }][] = [
    ["a name that is missing", { deviceType: "t" }, { field: "name", message: /required/ }],
    [
      "a role that there is not",
      { name: "a", deviceType: "t", role: "HUB" },
      { field: "role", message: /DEVICE, GATEWAY/ },
    ],
    [
      "a dev EUI that is none",
      { name: "a", deviceType: "t", lorawanDevEui: "12" },
      { field: "lorawanDevEui", message: /16 hexadecimal/ },
    ],
    [
      "a token that is too short",
      { name: "a", deviceType: "t", token: "x" },
      { field: "token", message: /20 to 128/ },
    ],
    [
      "a column that there is not",
      { name: "a", deviceType: "t", shade: "red" },
      { field: "shade", message: /not a column/ },
    ],
    [
      "a profile that there is not",
      { name: "a", deviceType: "t", profileId: "none" },
      { field: "profileId", message: /not the ID/ },
    ],
    [
      "a parent that is no gateway",
      { name: "a", deviceType: "t", parentDeviceId: "none" },
      { field: "parentDeviceId", message: /role GATEWAY/ },
    ],
    [
      "a timeout that is not a number",
      { name: "a", deviceType: "t", inactivityTimeoutMs: "soon" },
      { field: "inactivityTimeoutMs", message: /./ },
    ],
    [
      "__proto__ for a column",
      JSON.parse('{"name":"a","deviceType":"t","__proto__":{"x":1}}'),
      { field: "__proto__", message: /not a column/ },
    ],
  ];
  for (const [name, row, { field, message }] of mistakes)
    test(`${name} is told by row and field, and nothing is imported`, async () => {
      const rows = [{ name: "good", deviceType: "t" }, row];
      const { body } = await call("validate", { rows });
      expect(body).toMatchObject({ valid: false, total: 2, errors: [{ row: 2, field }] });
      expect(body.errors[0].message).toMatch(message);
      const before = await countDevices();
      const refused = await call("import", { rows });
      expect(refused.status).toBe(400);
      expect(refused.body.message).toStartWith(`Row 2: \`${field}\` `);
      expect(await countDevices()).toBe(before);
      const partial = await call("import", { rows, query: "?partial=true" });
      expect(partial.body).toMatchObject({ created: 1, failed: 1, rows: [{ name: "good" }, { row: 2 }] });
      expect(partial.body.rows[1].error).toMatch(message);
    });

  test("two rows with one token, or with one that is taken", async () => {
    const taken = await fixture.createDevice(owner);
    const row = (token: string) => ({ name: "a", deviceType: "t", token });
    const { body } = await call("validate", {
      rows: [row("the-same-token-for-two"), row("the-same-token-for-two"), row(taken.token)],
    });
    expect(body.errors).toEqual([
      {
        row: 2,
        field: "token",
        message: "`token` is the same as in row 1.",
        code: "rule.same_as_row",
        params: { row: 1 },
      },
      {
        row: 3,
        field: "token",
        message: "`token` is the access token of another device. Leave it out to get a random token.",
        code: "device.token_taken",
        params: {},
      },
    ]);
  });

  const broken: [string, string][] = [
    ["no rows", "name,deviceType\n"],
    ["an unknown column", "name,deviceType,shade\na,t,red\n"],
    ["a column twice", "name,deviceType,Name\na,t,b\n"],
    ["an open quote", 'name,deviceType\n"a,t\n'],
    ["nothing at all", ""],
  ];
  for (const [name, csv] of broken)
    test(`${name} is 400`, async () => {
      expect((await call("validate", { csv })).status).toBe(400);
      expect((await call("import", { csv })).status).toBe(400);
    });

  test("more cells than columns", async () => {
    const { body } = await call("validate", { csv: "name,deviceType\na,t,1\n" });
    expect(body.errors).toEqual([
      {
        row: 1,
        field: "",
        message: "The row has more cells than there are columns.",
        code: "rule.too_many_cells",
        params: {},
      },
    ]);
  });

  test("another content type is 415, and JSON of another form 400", async () => {
    const response = await fixture.call("POST", "/api/devices/bulk/validate", {
      token: owner,
      raw: "x",
      headers: { "content-type": "text/plain" },
    });
    expect(response.status).toBe(415);
    for (const rows of [undefined, {}, [1], "x"]) expect((await call("validate", { rows })).status).toBe(400);
  });

  test("more devices than the plan allows: told before, and 403 with none made", async () => {
    const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "small", plan: "basic" });
    const plans: { id: string; limits: { devices: number } }[] = (await fixture.call("GET", "/api/plans"))
      .body;
    const limit = plans.find(({ id }) => id === "basic")?.limits.devices ?? 0;
    expect(limit).toBeGreaterThan(0);
    const rows = Array.from({ length: limit + 1 }, (_, index) => ({ name: `d${index}`, deviceType: "t" }));
    const { body } = await call("validate", { rows, token });
    expect(body.errors).toMatchObject([{ row: limit + 1, message: expect.stringContaining("plan") }]);
    expect((await call("import", { rows, token })).status).toBe(403);
    expect(await countDevices(token)).toBe(0);
  });
});

test("only who may change devices, and sees all of them, imports; who only reads exports without tokens", async () => {
  const rows = [{ name: "a", deviceType: "t" }];
  const reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
  const granted = (await fixture.signIn("TENANT_RW", { devices: [] })).token;
  expect((await call("import", { rows, token: reader })).status).toBe(403);
  expect((await call("import", { rows, token: granted })).status).toBe(403);
  const createdDevice = await fixture.createDevice(owner, { name: "=1+1" });
  const full = await fixture.call("GET", "/api/devices/bulk/export.csv", { token: owner });
  expect(full.text).toContain(createdDevice.token);
  expect(full.text).toMatch(/^'=1\+1,/m);
  const without = await fixture.call("GET", "/api/devices/bulk/export.csv", { token: reader });
  expect(without.text).not.toContain(createdDevice.token);
  expect(without.text.split("\r\n")[0]).not.toContain("token");
  const none = await fixture.call("GET", "/api/devices/bulk/export.csv", { token: granted });
  expect(none.text.trim().split("\r\n")).toHaveLength(1);
});

test("an export leaves out the device with which the gateway reports on itself", async () => {
  const own = await fixture.createDevice(owner, { name: "Own gateway", deviceType: "lineside-gateway" });
  const { text } = await fixture.call("GET", "/api/devices/bulk/export.csv", { token: owner });
  expect(text).not.toContain(own.token);
});

test("what was exported brings deleted devices back with their tokens, tags and addresses", async () => {
  const other = (await fixture.signIn("TENANT_OWNER", { tenant: "copy" })).token;
  const rows = [
    { name: "a, b", deviceType: "t", tags: ["x", "y"], lorawanDevEui: "00112233aabbccdd" },
    { name: "c", deviceType: "t", inactivityTimeoutMs: 5_000, label: "=1+1" },
  ];
  const list = async () =>
    (await fixture.call("GET", "/api/devices", { token: other })).body.map(
      ({ deviceId }: { deviceId: string }) => deviceId,
    );
  const details = async () =>
    Promise.all(
      (await list()).map(async (deviceId: string) => {
        const { body } = await fixture.call("GET", `/api/devices/${deviceId}`, { token: other });
        const { deviceId: _, createdAt: __, updatedAt: ___, ...kept } = body;
        return kept;
      }),
    );
  await call("import", { rows, token: other });
  const before = await details();
  const { text } = await fixture.call("GET", "/api/devices/bulk/export.csv", { token: other });
  const taken = (await call("validate", { csv: text, token: other })).body.errors;
  expect(new Set(taken.map(({ field }: { field: string }) => field))).toContain("token");
  for (const deviceId of await list())
    await fixture.call("DELETE", `/api/devices/${deviceId}`, { token: other });
  const { body } = await call("import", { csv: text, token: other });
  expect(body).toMatchObject({ created: 2, failed: 0 });
  expect(await details()).toEqual(before);
});

test("50,000 rows pass, and half of them wrong is told for each", async () => {
  const { token } = await fixture.signIn("TENANT_OWNER", { tenant: "fleet" });
  const lines = Array.from(
    { length: 50_000 },
    (_, index) => `Sensor ${index},sensor,a-long-token-of-no-${index}`,
  );
  const csv = `name,deviceType,token\n${lines.join("\n")}\n`;
  const { body } = await call("import", { csv, token });
  expect(body).toMatchObject({ created: 50_000, failed: 0 });
  expect(await countDevices(token)).toBe(50_000);
  const again = await call("validate", {
    csv: csv.replaceAll("5,sensor,a-long-token", "5,sensor,a-long-toker"),
    token,
  });
  expect(again.body.errors).toHaveLength(45_000);
});
