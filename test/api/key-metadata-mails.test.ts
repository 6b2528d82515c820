// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of messages
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type MailServer, startMailServer } from "../support/mail-server.ts";
import { createTestApp, type TestApp } from "../support/test-app.ts";

let mails: MailServer;
let fixture: TestApp;
let owner: string;

beforeAll(async () => {
  mails = await startMailServer();
  fixture = await createTestApp({ config: { smtp_url: mails.url } });
  owner = (await fixture.signIn("TENANT_OWNER")).token;
});
afterAll(async () => {
  await fixture.stop();
  await mails.stop();
});

const call = (method: string, path: string, body?: unknown) =>
  fixture.call(method, path, { token: owner, ...(body !== undefined && { body }) });

test("mails have values in the unit and the decimals of their key, in the language of the reader", async () => {
  await call("PATCH", "/api/notifications/settings", { language: "de" });
  const condition = { key: "load", op: "GT", value: 1 };
  const { body: profile } = await call("POST", "/api/device-profiles", {
    name: "meters",
    keyMetadata: [{ key: "load", unit: "kW.h", decimals: 1 }],
    alarmRules: [
      {
        alarmType: "High load",
        createRules: [{ severity: "MAJOR", condition, message: "Load is ${load}" }],
      },
    ],
  });
  const device = await fixture.createDevice(owner, { profileId: profile.profileId });
  await fixture.call("POST", `/api/v1/${device.token}/telemetry`, { body: { load: 1234.5678 } });
  expect((await mails.next()).parsed.text).toContain("Load is 1.234,6 kWh");
  const [alarm] = (await call("GET", `/api/alarms/device/${device.deviceId}`)).body;
  expect(alarm.message).toBe("Load is 1,234.6 kWh");
  expect(alarm.messageParts).toEqual(["Load is ", { value: 1234.5678, unit: "kW.h", decimals: 1 }]);
});
