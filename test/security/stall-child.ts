import { readFileSync } from "node:fs";
import { createTestApp } from "../support/test-app.ts";

/** A gateway that tells its parent how much processor time of its main thread went by between two turns of its event loop. */

/** Nanoseconds that this thread has run (first field of schedstat): the time of other programs does not count. */
const ranNs = (): number => Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ", 1)[0]);

let longestMs = 0;
let last = ranNs();
const turn = (): void => {
  const now = ranNs();
  longestMs = Math.max(longestMs, (now - last) / 1e6);
  last = now;
  setTimeout(turn, 1);
};

const fixture = await createTestApp();
const { token } = await fixture.signIn("TENANT_OWNER");
const ids: Record<string, string> = {};
const create = async (path: string, body: unknown) =>
  (await fixture.call("POST", path, { token, body })).body;
const devices = [];
for (let index = 0; index < 200; index++)
  devices.push(await fixture.createDevice(token, { name: `device ${index}` }));
// Many keys of few values are the dearest to list and to look for.
const values = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, index]));
for (const { token: deviceToken } of devices)
  await fixture.call("POST", `/api/v1/${deviceToken}/telemetry`, { body: values });
ids.deviceId = devices[0]?.deviceId ?? "";
ids.dashboardId = (await create("/api/dashboards", { name: "a" })).id;
ids.pipelineId = (await create("/api/data-pipelines", { name: "a" })).pipelineId;
ids.integrationId = (await create("/api/integrations", { name: "a", type: "HTTP" })).integrationId;
ids.profileId = (await create("/api/device-profiles", { name: "a" })).profileId;
const gateway = await fixture.createDevice(token, { name: "gateway", role: "GATEWAY" });
turn();

process.on("message", (message: { spinMs?: number }) => {
  const end = ranNs() + (message.spinMs ?? 0) * 1e6;
  while (ranNs() < end);
  // Behind the turn that measures what came before.
  setTimeout(() => {
    process.send?.({ longestMs });
    longestMs = 0;
  }, 3);
});
process.send?.({
  url: fixture.app.url,
  mqttPort: fixture.app.mqttPort,
  token,
  ids,
  deviceIds: devices.map(({ deviceId }) => deviceId),
  deviceTokens: [devices[1]?.token, gateway.token],
});
