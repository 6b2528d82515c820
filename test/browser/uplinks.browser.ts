// An uplink from the console: tested, created, seen to send, paused and deleted.

import { afterAll, expect, test } from "bun:test";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const STEP_MS = 30_000;
const ui = useConsole({ isStill: true, settings: ["--outbound-allow", "127.0.0.1"] });
const received: string[] = [];
const sink = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    received.push(new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(await request.arrayBuffer()))));
    return new Response(null, { status: 204 });
  },
});
afterAll(() => sink.stop(true));

test(
  "a target is tested before the uplink is created",
  async () => {
    const { page } = ui;
    await ui.open("/uplinks");
    await page.getByText("No uplinks yet").waitFor();
    await page.getByRole("link", { name: "Create uplink" }).first().click();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("Central service");
    await page.getByRole("radio", { name: /^HTTP/ }).check();
    await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/");
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText(/nothing listens there/).waitFor();
    await page.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${sink.port}/rows`);
    await page.getByLabel("Token").fill("sesame");
    await page.getByRole("button", { name: "Test connection" }).click();
    await page.getByText("The connection works").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(await overflow(page)).toEqual([0, 0]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Up to date").waitFor();
  },
  STEP_MS,
);

test(
  "the page of an uplink shows what it has sent, and its secret is kept",
  async () => {
    const { page } = ui;
    const { deviceId } = (await ui.call("POST", "/api/devices", { name: "Pump", deviceType: "pump" })) as {
      deviceId: string;
    };
    await ui.call("POST", `/api/devices/${deviceId}/test-telemetry`, {
      protocol: "MQTT",
      payload: { pressure: 4.2 },
    });
    await page
      .getByText("Values sent")
      .locator("..")
      .getByText(/^[1-9]/)
      .waitFor();
    expect(received.some((text) => text.includes('"pressure":4.2'))).toBe(true);
    await page.getByText("Saved. Leave empty to keep it.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused").waitFor();
    await page.getByRole("button", { name: "Start", exact: true }).click();
    await page.getByText("Up to date").waitFor();
  },
  STEP_MS,
);

test(
  "the fields follow the type of the target",
  async () => {
    const { page } = ui;
    await page.getByRole("radio", { name: /^PostgreSQL/ }).check();
    await page.getByRole("textbox", { name: "Database" }).waitFor();
    await page.getByRole("radio", { name: /^Parquet/ }).check();
    await page.getByLabel("Place").selectOption("S3");
    await page.getByRole("textbox", { name: "Access key ID" }).waitFor();
    await page.getByRole("textbox", { name: "Folder" }).waitFor({ state: "detached" });
  },
  STEP_MS,
);

test(
  "an uplink is deleted after a question",
  async () => {
    const { page } = ui;
    await ui.open("/uplinks");
    await page.getByRole("button", { name: "Delete Central service" }).click();
    await ui.dialog().getByRole("button", { name: "Delete" }).click();
    await page.getByText("No uplinks yet").waitFor();
  },
  STEP_MS,
);
