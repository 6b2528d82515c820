import type { Page } from "playwright-core";
import type { RunningApp } from "./running-app.ts";

const NAMES = [
  "Press 1 hydraulics",
  "Press 2 hydraulics",
  "Chiller north",
  "Compressor 4",
  "Oven 2",
  "Hall climate",
];

export interface PlantDevice {
  readonly deviceId: string;
  readonly token: string;
}

async function post(app: RunningApp, path: string, body: unknown, bearer?: string): Promise<Response> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (bearer) headers.authorization = `Bearer ${bearer}`;
  const response = await fetch(app.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** A quarter of an hour of readings every 5 s, with three minutes missing. */
function history(phase: number, now: number) {
  const items = [];
  for (let ts = now - 900_000; ts <= now; ts += 5000) {
    const age = now - ts;
    if (age > 300_000 && age < 480_000) continue;
    const telemetry = {
      temperature: Number((48 + 6 * Math.sin(ts / 200_000 + phase) + Math.sin(ts / 9000)).toFixed(2)),
      pressure: Number((101.3 + 1.5 * Math.cos(ts / 150_000 + phase)).toFixed(2)),
      running: Math.floor(ts / 120_000) % 4 !== 0,
      mode: Math.floor(ts / 400_000) % 2 === 0 ? "AUTO" : "MANUAL",
    };
    items.push({ ts, telemetry });
  }
  return items;
}

/** Some devices with history, attributes and a refused message, made through the public interface as the signed-in person. */
export async function furnish(page: Page, app: RunningApp): Promise<PlantDevice[]> {
  const bearer = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  const made: PlantDevice[] = [];
  for (const [i, name] of NAMES.entries()) {
    const body = {
      name,
      deviceType: name.split(" ")[0]!.toLowerCase(),
      label: `Hall ${(i % 3) + 1}`,
      tags: ["line-1"],
    };
    const answer = await post(app, "/api/devices", body, bearer);
    const device = (await answer.json()) as { deviceId: string; credentials: { token: string } };
    made.push({ deviceId: device.deviceId, token: device.credentials.token });
  }
  for (const [i, { token }] of made.slice(0, 5).entries()) {
    await post(app, `/api/v1/${token}/telemetry/batch`, { items: history(i, Date.now()) });
  }
  const [first] = made;
  const attributes = `/api/devices/${first!.deviceId}/attributes`;
  await post(app, attributes, { scope: "SHARED", attributes: { targetTemperature: 52.5 } }, bearer);
  await post(app, attributes, { scope: "SERVER", attributes: { inventoryNumber: "DE-4711" } }, bearer);
  await post(app, `/api/v1/${first!.token}/telemetry`, "nonsense").catch(() => undefined);
  return made;
}
