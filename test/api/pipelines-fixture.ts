import { afterAll, beforeAll } from "bun:test";
import { createTestApp, type TestApp } from "../support/test-app.ts";

export let fixture: TestApp;
export let owner: string;
export let writer: string;
export let reader: string;
export let limited: string;
export let stranger: string;
export let pipelineId: string;
export let device: { deviceId: string; token: string };
export const path = "/api/data-pipelines";

export const create = async (body: Record<string, unknown>, token = owner) =>
  (await fixture.call("POST", path, { token, body: { name: "p", ...body } })).body;

export const remove = (id: string) => fixture.call("DELETE", `${path}/${id}`, { token: owner });

/** Starts the app of a test file with a user of every role, a device and a pipeline. */
export function usePipelines(): void {
  beforeAll(async () => {
    fixture = await createTestApp();
    owner = (await fixture.signIn("TENANT_OWNER")).token;
    writer = (await fixture.signIn("TENANT_RW")).token;
    reader = (await fixture.signIn("TENANT_READ_ONLY")).token;
    stranger = (await fixture.signIn("TENANT_OWNER", { tenant: "two" })).token;
    device = await fixture.createDevice(owner);
    limited = (await fixture.signIn("TENANT_RW", { devices: [device.deviceId] })).token;
    pipelineId = (await create({ name: "kept" })).pipelineId;
  });
  afterAll(() => fixture.stop());
}
