import { expect, test } from "bun:test";
import { createTestApp } from "../../support/test-app.ts";

test("a message of very many small parts is not kept to test steps with", async () => {
  const fixture = await createTestApp();
  const { token } = await fixture.signIn("TENANT_OWNER");
  const device = await fixture.createDevice(token);
  const { body } = await fixture.call("POST", "/api/data-pipelines", {
    token,
    body: { name: "p", steps: [{ type: "drop_keys", keys: ["noise"] }] },
  });
  await fixture.call("POST", `/api/data-pipelines/${body.pipelineId}/start`, { token });
  const ts = 1_700_000_000_000;
  const newest = async () =>
    (await fixture.call("GET", `/api/data-pipelines/newest-message/${device.deviceId}`, { token })).body
      .message;
  const report = (values: object) =>
    fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { ts, values } });
  await report({ a: 1, b: { c: ["d"] } });
  expect(await newest()).toEqual({ ts, telemetry: { a: 1, b: { c: ["d"] } } });
  await report({ a: 2, b: Array.from({ length: 1_000 }, () => ({})) });
  expect(await newest()).toBeNull();
  await report({ a: 3, text: "t".repeat(20_000) });
  expect(await newest()).toBeNull();
  await report({ a: 4 });
  expect(await newest()).toEqual({ ts, telemetry: { a: 4 } });
  await fixture.stop();
});
