import type { Page } from "playwright-core";
import type { RunningApp } from "./running-app.ts";

interface Sketch {
  readonly name: string;
  readonly deviceType: string;
  readonly label: string;
  readonly tags: string[];
}

const sketch = (name: string, deviceType: string, label: string, ...tags: string[]): Sketch => ({
  name,
  deviceType,
  label,
  tags,
});

const SKETCHES: Sketch[] = [
  sketch("Press 1 hydraulics", "press", "Hall 1", "line-1", "critical"),
  sketch("Press 2 hydraulics", "press", "Hall 1", "line-1"),
  sketch("Press 3 hydraulics", "press", "Hall 1", "line-2"),
  sketch("Chiller north", "chiller", "Roof", "cooling", "critical"),
  sketch("Chiller south", "chiller", "Roof", "cooling"),
  sketch("Compressor 4", "compressor", "Cellar", "air"),
  sketch("Oven 2", "oven", "Hall 2", "line-2"),
  sketch("Conveyor A", "conveyor", "Hall 2", "line-2"),
  sketch("Conveyor B", "conveyor", "Hall 2", "line-2"),
  sketch("Main meter", "energy-meter", "Transformer room", "energy"),
  sketch("Hall 1 climate", "climate", "Hall 1"),
  sketch("Hall 2 climate", "climate", "Hall 2"),
  sketch("Packing robot", "robot", "Hall 3", "line-3", "critical"),
  sketch("Spare sensor", "sensor", "Store"),
];
/** The last ones have never sent anything. */
const SILENT = 2;

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

export function readingsAt(ts: number, phase: number) {
  return {
    temperature: Number((48 + 6 * Math.sin(ts / 200_000 + phase) + Math.sin(ts / 9000)).toFixed(2)),
    pressure: Number((101.3 + 1.5 * Math.cos(ts / 150_000 + phase)).toFixed(2)),
    speed: Math.round(1450 + 40 * Math.sin(ts / 90_000 + phase) + 6 * Math.sin(ts / 3100)),
    power: Number((18 + 4 * Math.sin(ts / 120_000 + phase) + Math.sin(ts / 5000)).toFixed(2)),
    running: Math.floor(ts / 120_000 + phase) % 4 !== 0,
    mode: Math.floor(ts / 400_000) % 2 === 0 ? "AUTO" : "MANUAL",
  };
}

/** A quarter of an hour of readings every 5 s, with three minutes missing. */
function history(phase: number, now: number) {
  const items = [];
  for (let ts = now - 900_000; ts <= now; ts += 5000) {
    const age = now - ts;
    if (age > 300_000 && age < 480_000) continue;
    items.push({ ts, telemetry: readingsAt(ts, phase) });
  }
  return items;
}

/** Some devices with history, attributes and a refused message, made through the public interface as the signed-in person. */
export async function furnish(page: Page, app: RunningApp): Promise<PlantDevice[]> {
  const bearer = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
  const plantDevices: PlantDevice[] = [];
  for (const body of SKETCHES) {
    const response = await post(app, "/api/devices", body, bearer);
    const device = (await response.json()) as { deviceId: string; credentials: { token: string } };
    plantDevices.push({ deviceId: device.deviceId, token: device.credentials.token });
  }
  for (const [i, { token }] of plantDevices.slice(0, -SILENT).entries()) {
    await post(app, `/api/v1/${token}/telemetry/batch`, { items: history(i, Date.now()) });
  }
  const [first] = plantDevices;
  const attributes = `/api/devices/${first!.deviceId}/attributes`;
  await post(app, attributes, { scope: "SHARED", attributes: { targetTemperature: 52.5 } }, bearer);
  await post(app, attributes, { scope: "SERVER", attributes: { inventoryNumber: "DE-4711" } }, bearer);
  const commands = `/api/devices/${first!.deviceId}/commands`;
  await post(app, commands, { method: "setTarget", params: { celsius: 52.5, ramp: "slow" } }, bearer);
  await post(app, commands, { method: "reboot" }, bearer);
  const response = { success: false, message: "the press is running" };
  await post(app, `/api/devices/${first!.deviceId}/test-ack`, response, bearer);
  await post(app, `/api/v1/${first!.token}/telemetry`, "nonsense").catch(() => undefined);
  return plantDevices;
}
