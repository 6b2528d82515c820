import { expect, test } from "bun:test";
import { createPlansService } from "../../../src/modules/tenants/plans.service.ts";
import { createTestApp } from "../../support/test-app.ts";

const team = { id: "team", name: "Team", limits: { devices: 500, users: 20 } };

test("anybody can read the plans that can be chosen, the built-in one and those of the configuration", async () => {
  const fixture = await createTestApp({ config: { plans: JSON.stringify([team]) } });
  const { status, body } = await fixture.call("GET", "/api/plans");
  expect(status).toBe(200);
  expect(body).toEqual([
    {
      id: "basic",
      name: "Basic",
      whitelabelEnabled: false,
      limits: expect.objectContaining({
        devices: 100,
        users: 10,
        retentionDays: 365,
        messagesPerSecond: 100,
      }),
    },
    {
      id: "team",
      name: "Team",
      whitelabelEnabled: false,
      limits: expect.objectContaining({
        devices: 500,
        users: 20,
        retentionDays: null,
        messagesPerSecond: null,
      }),
    },
  ]);
  await fixture.stop();
});

test("a plan of the configuration can take the place of a built-in one", () => {
  const plans = createPlansService(JSON.stringify([{ id: "basic", name: "Small", limits: { devices: 5 } }]));
  expect(plans.list().map(({ id, name }) => `${id} ${name}`)).toEqual(["basic Small", "onprem On-premises"]);
});

test("a tenant whose plan is gone is not cut short", () => {
  expect(createPlansService(undefined).of("gone").limits.devices).toBeNull();
});

const mistakes: Array<[string, unknown, RegExp]> = [
  ["no JSON", "{", /not valid JSON/],
  ["no array", {}, /must be a JSON array/],
  ["no object", [1], /plans\[0\] must be an object/],
  ["no id", [team, { name: "x" }], /plans\[1\]\.id/],
  ["an id with a space", [{ id: "a b" }], /plans\[0\]\.id/],
  ["a name that is no text", [{ id: "a", name: 1 }], /\.name/],
  ["a limit of zero", [{ id: "a", limits: { devices: 0 } }], /limits\.devices must be a whole number/],
  ["a misspelled limit", [{ id: "a", limits: { device: 1 } }], /unknown field "device"/],
  ["a misspelled field", [{ id: "a", whitelabel: true }], /unknown field "whitelabel"/],
];
for (const [subject, input, message] of mistakes)
  test(`a configuration with ${subject} says what is wrong with it`, () => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    expect(() => createPlansService(text)).toThrow(message);
  });

test("strangers are offered every plan but the unlimited one, unless the operator says otherwise", () => {
  const ids = (offered?: string) =>
    createPlansService(JSON.stringify([team]), offered)
      .offered()
      .map(({ id }) => id);
  expect(ids()).toEqual(["basic", "team"]);
  expect(ids("onprem")).toEqual(["onprem"]);
});

test("strangers may be offered some of the plans, in the order of the configuration", () => {
  const plans = createPlansService(JSON.stringify([team]), "team, basic");
  expect(plans.offered().map(({ id }) => id)).toEqual(["team", "basic"]);
  expect(plans.find("onprem")).toBeDefined();
  for (const wrong of ["gold", "basic,", ""])
    expect(() => createPlansService(undefined, wrong)).toThrow(/"signup_plans" is wrong: there is no plan/);
});
