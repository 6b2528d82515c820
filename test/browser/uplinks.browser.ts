// An uplink from the console: tested, created, seen to send, paused and deleted.

import { afterAll, expect, test } from "bun:test";
import { until } from "../support/until.ts";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

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

test("a target is tested before the uplink is created", async () => {
  const { page } = ui;
  await ui.open("/uplinks");
  await page.getByText("No uplinks yet").waitFor();
  await page.getByRole("link", { name: "Create uplink" }).first().click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Central service");
  await page.getByRole("radio", { name: /^HTTP/ }).check();
  await page.getByRole("textbox", { name: "Address" }).fill("http://127.0.0.1:9/");
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText(/connection refused/).waitFor();
  await page.getByRole("textbox", { name: "Address" }).fill(`http://127.0.0.1:${sink.port}/rows`);
  await page.getByLabel("Token").fill("sesame");
  await page.getByRole("button", { name: "Test connection" }).click();
  await page.getByText("The connection works").waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  expect(await overflow(page)).toEqual([0, 0]);
  await page.getByRole("button", { name: "Create uplink" }).click();
  await page.getByText("Up to date").waitFor();
});

test("the page of an uplink shows what it has sent, and its secret is kept", async () => {
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
  await page.getByText("Saved. Leave the field empty to keep it.").waitFor();
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("Paused").waitFor();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.getByText("Up to date").waitFor();
});

test("the fields follow the type of the target", async () => {
  const { page } = ui;
  await page.getByRole("radio", { name: /^PostgreSQL/ }).check();
  await page.getByRole("textbox", { name: "Database" }).waitFor();
  await page.getByRole("radio", { name: /^Parquet/ }).check();
  await page.getByLabel("Location").selectOption("S3");
  await page.getByRole("textbox", { name: "Access key ID" }).waitFor();
  await page.getByRole("textbox", { name: "Folder" }).waitFor({ state: "detached" });
});

const step = (n: number) => ui.page.getByTestId("step").nth(n);

async function addStep(title: string): Promise<void> {
  await ui.page.getByRole("button", { name: "Add step" }).click();
  await ui.dialog().getByRole("searchbox").fill(title);
  await ui.dialog().getByRole("searchbox").press("Enter");
  await ui.dialog().waitFor({ state: "detached" });
}

interface StoredUplink {
  readonly uplinkId: string;
  readonly site: string;
  readonly steps: unknown;
}
const stored = async () => (await ui.call("GET", "/api/uplinks")) as StoredUplink[];

test("the steps of an uplink are added, checked, moved, saved and removed", async () => {
  const { page } = ui;
  await ui.open("/uplinks");
  await page.getByRole("link", { name: "Central service" }).click();
  await addStep("Rename keys");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Step 1: This field is required.").waitFor();
  await step(0).getByRole("textbox", { name: "mapping, left" }).fill("pressure");
  await step(0).getByRole("textbox", { name: "mapping, right" }).fill("bar");
  await addStep("Scale");
  await step(1).getByRole("combobox", { name: /^Keys/ }).fill("pressure");
  await step(1).getByRole("combobox", { name: /^Keys/ }).press("Enter");
  await step(1)
    .getByLabel(/^Factor/)
    .fill("10");
  await step(1).getByRole("button", { name: "Move Scale up" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Central service is saved.").first().waitFor();
  expect((await stored())[0]?.steps).toEqual([
    { type: "scale_keys", keys: ["pressure"], factor: 10 },
    { type: "rename_keys", mapping: { pressure: "bar" } },
  ]);
  await page.reload();
  await step(1).getByRole("heading", { name: "Rename keys" }).waitFor();
  const devices = (await ui.call("GET", "/api/devices?search=Pump")) as { deviceId: string }[];
  await ui.call("POST", `/api/devices/${devices[0]?.deviceId}/test-telemetry`, {
    protocol: "MQTT",
    payload: { pressure: 4.5 },
  });
  await until(() => received.some((text) => text.includes('"bar":45')));
  await step(0).getByRole("button", { name: "Remove Scale" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => JSON.stringify((await stored())[0]?.steps).startsWith('[{"type":"rename_keys"'));
});

test("a step that sends elsewhere or makes attributes is not offered", async () => {
  await ui.page.getByRole("button", { name: "Add step" }).click();
  await ui.dialog().getByRole("button", { name: "Scale" }).waitFor();
  const titles = await ui.dialog().getByRole("listitem").allTextContents();
  expect(titles.filter((title) => /webhook|attributes/i.test(title))).toEqual([]);
  await ui.dialog().getByRole("button", { name: "Cancel" }).click();
});

test("an emptied site becomes the name of the tenant again", async () => {
  const { page } = ui;
  const site = page.getByRole("textbox", { name: "Site" });
  const name = await site.inputValue();
  expect(name).not.toBe("");
  for (const [entered, saved] of [
    ["Plant North", "Plant North"],
    ["", name],
  ] as const) {
    await site.fill(entered);
    await page.getByRole("button", { name: "Save" }).click();
    await until(async () => (await stored())[0]?.site === saved && (await site.inputValue()) === saved);
  }
});

for (const language of ["en", "de"] as const)
  for (const width of [360, 1440])
    test(`the form with steps is accessible and keeps within ${width} px, ${language}`, async () => {
      const { page } = ui;
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate((spoken) => localStorage.setItem("lineside.language", spoken), language);
      await page.reload();
      await step(0).waitFor();
      await step(0).scrollIntoViewIfNeeded();
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/uplink-${language}-${width}.png` });
      expect(await seriousFindings(page)).toEqual([]);
      expect(await overflow(page)).toEqual([0, 0]);
      await page.evaluate(() => localStorage.setItem("lineside.language", "en"));
    });

test("an uplink is deleted after a question", async () => {
  const { page } = ui;
  await ui.open("/uplinks");
  await page.getByRole("button", { name: "Delete Central service" }).click();
  await ui.dialog().getByRole("button", { name: "Delete" }).click();
  await page.getByText("No uplinks yet").waitFor();
});
