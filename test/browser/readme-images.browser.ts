// Makes the pictures of the README from the running product, so that they show what it really looks like. They change with every
// run (times, curves), so it is done on demand only: LINESIDE_README_IMAGES=1 bun test ./test/browser/readme-images.browser.ts
import { expect, test } from "bun:test";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import mqtt from "mqtt";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { furnish, type PlantDevice, readingsAt } from "./support/plant.ts";
import { startApp } from "./support/running-app.ts";
import { openBrowser } from "./support/watched-browser.ts";

const IMAGES = join(import.meta.dir, "../../docs/images");
const BYTES_MAX = 170_000;
const LIVE_SECONDS = 20;

async function runDevices(mqttPort: number, devices: PlantDevice[]): Promise<() => Promise<void>> {
  const clients = await Promise.all(
    devices.map(({ token }) => mqtt.connectAsync(`mqtt://127.0.0.1:${mqttPort}`, { username: token })),
  );
  const timer = setInterval(() => {
    for (const [i, client] of clients.entries()) {
      client.publish("v1/devices/me/telemetry", JSON.stringify(readingsAt(Date.now(), i)), { qos: 1 });
    }
  }, 1000);
  return async () => {
    clearInterval(timer);
    await Promise.all(clients.map((client) => client.endAsync(true)));
  };
}

test.if(process.env.LINESIDE_README_IMAGES === "1")(
  "the pictures of the README are taken and small enough",
  async () => {
    await mkdir(IMAGES, { recursive: true });
    const app = await startApp();
    const { page, close } = await openBrowser(app.url);
    await setUpOwner(page, app);
    const devices = await furnish(page, app);
    const endDevices = await runDevices(app.mqttPort, devices.slice(0, 11));
    const device = `/devices/${devices[3]!.deviceId}`;
    const take = async (name: string, theme: string) => {
      const file = join(IMAGES, `${name}-${theme}.png`);
      await page.screenshot({ path: file });
      expect((await stat(file)).size).toBeLessThan(BYTES_MAX);
    };
    const wear = (theme: string) =>
      page.evaluate((value) => localStorage.setItem("lineside.theme", value), theme);
    const shots = {
      overview: "/",
      devices: "/devices",
      device,
      data: `${device}/data`,
      connect: `${device}/connect`,
    };
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(app.url);
    await page.waitForTimeout(LIVE_SECONDS * 1000);
    for (const theme of ["light", "dark"]) {
      await wear(theme);
      for (const [name, path] of Object.entries(shots)) {
        await page.goto(app.url + path);
        await page.waitForTimeout(name === "overview" ? 12_000 : 2500);
        await take(name, theme);
      }
    }
    const demo = (await callApi(page, app, "POST", "/api/demo-plant/start")) as { dashboardId: string };
    await page.waitForTimeout(LIVE_SECONDS * 1000);
    for (const theme of ["light", "dark"]) {
      await wear(theme);
      await page.goto(`${app.url}/dashboards/${demo.dashboardId}`);
      await page.waitForTimeout(2500);
      await take("dashboard", theme);
    }
    await endDevices();
    await close();
    await app.stop();
  },
);
