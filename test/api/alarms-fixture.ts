// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of messages
import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;
export let owner: string;
export let writer: string;
export let reader: string;
export let handler: string;
export let limited: string;
export let stranger: string;
let profileId: string;
export let device: { deviceId: string; token: string };
export let alarmId: string;
export const path = "/api/alarms";
export const hot = (above: number) => ({ key: "t", op: "GT", value: above });

export const overheated = {
  alarmType: "Overheated",
  createRules: [
    { severity: "MAJOR", condition: hot(50), message: "${deviceName} is at ${t} °C" },
    { severity: "CRITICAL", condition: hot(80), message: "${t} °C" },
  ],
  clearRule: { condition: { key: "t", op: "LT", value: 40 } },
};

export const get = async (url: string, token = owner) => (await fixture.call("GET", url, { token })).body;

export const patch = (url: string, token = owner, body?: unknown) =>
  fixture.call("PATCH", url, { token, ...(body === undefined ? {} : { body }) });

export const send = (body: unknown, of = device) =>
  fixture.call("POST", `/api/v1/${of.token}/telemetry`, { body });
export const ofDevice = (of = device) => get(`${path}/device/${of.deviceId}`);
export const setRules = (alarmRules: unknown) =>
  patch(`/api/device-profiles/${profileId}`, owner, { alarmRules });

/** Starts the app of a test file with a user of every role and a device with an active alarm. */
export function useAlarms(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    writer = (await fixture.signIn("TENANT_RW")).token;
    const readers = await fixture.signIn("TENANT_READ_ONLY");
    reader = readers.token;
    const handlers = await fixture.signIn("TENANT_READ_ONLY");
    handler = handlers.token;
    await patch(`/api/users/${handlers.user.userId}`, owner, { canAcknowledgeAlarms: true });
    stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    profileId = (await get("/api/device-profiles"))[0].profileId;
    await setRules([overheated]);
    device = await fixture.createDevice(owner, { name: "Kiln" });
    limited = (await fixture.signIn("TENANT_ADMIN", { devices: [] })).token;
    await send({ t: 60 });
    alarmId = (await ofDevice())[0].alarmId;
  });
  afterAll(() => fixture.stop());
}
