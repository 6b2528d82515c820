// From the setup link to the demo plant and to a device of one's own, in five steps: each is what a person does, and no more.

import { expect, test } from "bun:test";
import { seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";
import { OWNER } from "./support/first-visit.ts";

const ui = useConsole({ hasOwner: false });
const steps: string[] = [];

const widget = (name: string) => ui.page.getByTestId("widget").and(ui.page.getByLabel(name, { exact: true }));

test("step 1: the owner opens the setup link and fills in the form", async () => {
  const { page } = ui;
  steps.push("set up");
  await page.goto(ui.app.setupLink);
  await page.getByLabel("Your name").fill(OWNER.name);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByLabel("Site or company").fill("Plant North");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Setup complete" }).waitFor();
});

test("step 2: one click starts the demo plant with live charts", async () => {
  const { page } = ui;
  steps.push("demo plant");
  await page.getByRole("button", { name: /^Start the demo plant/ }).click();
  await page.getByRole("heading", { name: "Demo plant", exact: true }).waitFor();
  await widget("Presses: temperature").getByTestId("chart").waitFor();
  expect(await widget("Plant").getByTestId("floor-plan").getByRole("link").count()).toBe(12);
  const power = widget("Power");
  const before = await power.textContent();
  await page.waitForFunction(
    ([label, text]) => document.querySelector(`[aria-label="${label}"]`)?.textContent !== text,
    ["Power", before] as const,
  );
  // A fault comes within seconds, and with it the first alarms.
  await widget("Open alarms").getByRole("link").first().waitFor();
  expect(await seriousFindings(page)).toEqual([]);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/demo.png`, fullPage: true });
});

test("step 3: the owner creates a device", async () => {
  const { page } = ui;
  steps.push("device");
  await page.getByRole("link", { name: "Devices" }).first().click();
  await page.getByRole("button", { name: "Create device" }).click();
  await ui.dialog().getByLabel("Name").fill("My first sensor");
  await page.getByRole("button", { name: "Create and connect" }).click();
  await page.locator('[data-testid="connect-status"][data-state="waiting"]').waitFor();
});

test("step 4: the example command runs as it is shown", async () => {
  const { page } = ui;
  steps.push("mosquitto_pub");
  const command = (await page.getByTestId("snippet").textContent()) ?? "";
  expect(command).toStartWith("mosquitto_pub ");
  const child = Bun.spawn(["sh", "-c", command], { stdout: "pipe", stderr: "pipe" });
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, ""]);
  await page.locator('[data-testid="connect-status"][data-state="receiving"]').waitFor();
});

test("step 5: the values of the device appear on a live chart", async () => {
  const { page } = ui;
  steps.push("chart");
  await page.getByRole("link", { name: "Data", exact: true }).click();
  await page.getByTestId("chart").first().waitFor();
  expect(steps).toHaveLength(5);
});

test("the overview stops the demo plant and removes everything that it created", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Overview" }).first().click();
  const note = page.getByRole("region", { name: "Demo plant" });
  await note.getByText("14 made-up devices").waitFor();
  await note.getByRole("button", { name: "Stop demo plant" }).click();
  await note.getByText("is stopped").waitFor();
  ui.browser.allowNotFound("/api/");
  await note.getByRole("button", { name: "Remove demo plant" }).click();
  await ui.dialog().getByRole("button", { name: "Remove demo plant" }).click();
  await note.waitFor({ state: "detached" });
  await ui.open("/devices");
  await ui.row(/My first sensor/).waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
});

test("the pages caused no console error and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
