import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { createTestApp, type TestApp } from "../support/test-app.ts";

/** Names that people give, whatever they name: one visible character or more, and no control characters. */

const nameFields = ["name", "fullName", "tenantName", "childName", "label", "deviceType"];
/** Fields that the service checks, and those that are only compared with a name. */
const uncheckedFields = new Set([
  "PUT /api/tenant/branding name",
  "DELETE /api/tenant tenantName",
  "POST /api/dashboards/for-type deviceType",
  "PUT /api/devices/type-defaults/:deviceType deviceType",
]);
const unprintable = ["a\u0000b", "a\nb", "a\tb", "a\u001bb", "a\u007fb", "a\u0085b"];

let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  fixture = await createTestApp();
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(() => fixture.stop());

function namesIn(schema: TSchema | undefined): [string, TSchema][] {
  if (schema === undefined) return [];
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])] as TSchema[];
  const properties = (schema.properties ?? {}) as Record<string, TSchema>;
  const own = Object.entries(properties).filter(([field]) => nameFields.includes(field));
  return [...own, ...parts.flatMap(namesIn)];
}

test("every request refuses control characters in a name", () => {
  const fields = fixture.app.http.routes.flatMap(({ method, path, hooks }) =>
    namesIn(hooks.body as TSchema | undefined).map(([field, schema]) => ({
      place: `${method} ${path} ${field}`,
      schema,
    })),
  );
  expect(fields.length).toBeGreaterThan(25);
  for (const { place, schema } of fields) {
    if (uncheckedFields.has(place)) continue;
    for (const name of unprintable)
      expect([place, name, Value.Check(schema, name)]).toEqual([place, name, false]);
    expect([place, Value.Check(schema, "Kühler 3 (Süd) 💧")]).toEqual([place, true]);
  }
});

test("a dashboard is not imported under such a name", async () => {
  for (const name of [...unprintable, " "]) {
    const { status, text } = await fixture.call("POST", "/api/dashboards/import", {
      token: owner,
      body: { dashboard: { name } },
    });
    expect([name, status]).toEqual([name, 400]);
    expect(text).not.toContain("a\\");
  }
});

test("a list of devices names the row and the column", async () => {
  const { body } = await fixture.call("POST", "/api/devices/bulk/validate", {
    token: owner,
    body: { rows: [{ name: "a\u0000b", deviceType: "t" }] },
  });
  expect(body).toMatchObject({ valid: false, errors: [{ row: 1, field: "name" }] });
});
