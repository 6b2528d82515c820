// Makes the pictures of field connections for the documentation, in both languages; readme-images.browser.ts says how.
import { test } from "bun:test";
import type { Page } from "playwright-core";
import { pythonOfBacpypes, startBacnetSimulator } from "../support/bacnet-simulator.ts";
import { pythonOfAsyncua, startOpcUaSimulator } from "../support/opcua-simulator.ts";
import { pythonOfSnap7, startS7Simulator } from "../support/s7-simulator.ts";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { pageLanguages, SETTLED_MS, screenClip, showIn, take, takesPictures } from "./support/pictures.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser } from "./support/watched-browser.ts";

const fromDevice = { en: "From the device", de: "Vom Gerät" };

/** Runs `takePictures` in a signed-in console that may connect to this machine. */
async function withConsole(takePictures: (page: Page, app: RunningApp) => Promise<void>): Promise<void> {
  const app = await startApp(["--outbound-allow", "127.0.0.1", "--outbound-private", "host"]);
  const { page, close } = await openBrowser(app.url);
  await setUpOwner(page, app);
  await takePictures(page, app);
  await close();
  await app.stop();
}

const connect = async (page: Page, app: RunningApp, protocol: string, connection: object) =>
  (await callApi(page, app, "POST", `/api/${protocol}/connections`, connection)) as { connectionId: string };

test.if(takesPictures && pythonOfAsyncua !== null)("variables of an OPC UA server are shown", async () => {
  const server = await startOpcUaSimulator();
  await withConsole(async (page, app) => {
    const target = { name: "Press line", host: "127.0.0.1", port: server.port, path: "/plant" };
    const { connectionId } = await connect(page, app, "opcua", target);
    for (const language of pageLanguages) {
      await showIn(page, language, 640);
      await page.goto(`${app.url}/opcua/${connectionId}`);
      await page.waitForTimeout(SETTLED_MS);
      await page.getByRole("link", { name: fromDevice[language] }).click();
      const tree = page.getByRole("dialog");
      await tree.getByText("Press 4").click();
      for (const name of [/^pressure/, /^byte/]) await tree.getByRole("checkbox", { name }).check();
      await take(page, "opcua-light", language, screenClip(640));
    }
  });
  await server.end();
});

test.if(takesPictures && pythonOfBacpypes !== null)("objects of a BACnet device are shown", async () => {
  const device = await startBacnetSimulator(1_201);
  await withConsole(async (page, app) => {
    const target = {
      name: "Air handling unit 1",
      host: "127.0.0.1",
      port: device.port,
      deviceInstance: 1_201,
    };
    const { connectionId } = await connect(page, app, "bacnet", target);
    for (const language of pageLanguages) {
      await showIn(page, language, 640);
      await page.goto(`${app.url}/bacnet/${connectionId}`);
      await page.getByRole("link", { name: fromDevice[language] }).click();
      await page
        .getByRole("dialog")
        .getByRole("checkbox", { name: /^Supply temperature/ })
        .check();
      await take(page, "bacnet-light", language, screenClip(640));
    }
  });
  device.kill();
});

test.if(takesPictures && pythonOfSnap7 !== null)("tags of an S7 controller are shown", async () => {
  const controller = await startS7Simulator();
  await withConsole(async (page, app) => {
    const target = { name: "Press line", host: "127.0.0.1", port: controller.port, rack: 0, slot: 1 };
    const { connectionId } = await connect(page, app, "s7", target);
    const device = (await callApi(page, app, "POST", "/api/devices", {
      name: "Press 4",
      deviceType: "press",
    })) as {
      deviceId: string;
    };
    const tags = [
      { key: "pressure", address: "%DB1.DBD4:REAL" },
      { key: "running", address: "%DB1.DBX0.0" },
      { key: "program", address: "%DB1.DBB44:STRING[10]" },
    ];
    const unit = { deviceId: device.deviceId, intervalMs: 1000, tags };
    await callApi(page, app, "POST", `/api/s7/connections/${connectionId}/units`, unit);
    for (const language of pageLanguages) {
      await showIn(page, language);
      await page.goto(`${app.url}/s7/${connectionId}`);
      await take(page, "s7-light", language, screenClip());
    }
  });
  controller.kill();
});
