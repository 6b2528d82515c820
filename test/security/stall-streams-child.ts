import { createTestApp } from "../support/test-app.ts";
import { ranNs, watchLoop } from "./loop-watch.ts";

/** A gateway with many devices and long answers, which tells its parent for how long it held its event loop. */

const DEVICES = 5_000;
const KEYS = 20;
const USERS = 10;

const fixture = await createTestApp();
const owner = (await fixture.signIn("TENANT_OWNER")).token;
const tokens: string[] = [];
for (let index = 0; index < USERS; index++) tokens.push((await fixture.signIn("TENANT_RW")).token);
const create = async (path: string, body: unknown) => {
  const response = await fixture.call("POST", path, { token: owner, body });
  if (response.status >= 300) throw new Error(`${path}: ${response.text.slice(0, 200)}`);
  return response.body;
};
const rows = Array.from({ length: DEVICES }, (_, index) => ({
  name: `device ${index}`,
  deviceType: "sensor",
}));
const { rows: devices } = await create("/api/devices/bulk/import", { rows });
const values = Object.fromEntries(Array.from({ length: KEYS }, (_, key) => [`key${key}`, key + 0.5]));
for (let from = 0; from < DEVICES; from += 100)
  await Promise.all(
    devices
      .slice(from, from + 100)
      .map(({ deviceToken }: { deviceToken: string }) =>
        fixture.call("POST", `/api/v1/${deviceToken}/telemetry`, { body: { values } }),
      ),
  );
const alias = { id: "all", name: "all", type: "deviceType", deviceType: "sensor" };
const widgets = (type: string, count: number, keys: string[]) =>
  Array.from({ length: count }, (_, index) => ({
    widgetId: `w${index}`,
    type,
    name: "",
    config: { aliasId: "all", keys },
  }));
const board = (parts: unknown[]) => ({ name: "board", aliases: [alias], widgets: parts });
const tables = board(widgets("deviceTable", 5, Object.keys(values)));
const { id } = await create("/api/dashboards", tables);
const share = await create(`/api/dashboards/${id}/shares`, {});
const longestMs = watchLoop();

process.on("message", (message: { spinMs?: number }) => {
  const end = ranNs() + (message.spinMs ?? 0) * 1e6;
  while (ranNs() < end);
  // Behind the turn that measures what came before.
  setTimeout(() => process.send?.({ longestMs: longestMs() }), 3);
});
process.send?.({
  url: fixture.app.url,
  tokens,
  share: share.token,
  deviceId: devices[0].deviceId,
  bodies: { tables, maps: board(widgets("map", 30, ["key0"])), board: id, alias },
  deviceIds: devices.map(({ deviceId }: { deviceId: string }) => deviceId),
});
