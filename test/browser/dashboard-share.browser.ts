// Pages of a dashboard, the sets of devices that widgets share, and the link by which others look at it without signing in.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

let app: RunningApp;
let browser: WatchedBrowser;
let guest: WatchedBrowser;
let link: string;
let dashboardId: string;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  guest = await openBrowser(app.url);
  for (const { page } of [browser, guest]) {
    await page.emulateMedia({ reducedMotion: "reduce" });
  }
  await setUpOwner(browser.page, app);
  for (const name of ["Press 1", "Oven 1"]) {
    const deviceType = name.split(" ")[0]?.toLowerCase();
    const created = (await callApi(browser.page, app, "POST", "/api/devices", { name, deviceType })) as {
      credentials: { token: string };
    };
    tokens[name] = created.credentials.token;
    await send(name, { force: 41 });
  }
  const createdItem = (await callApi(browser.page, app, "POST", "/api/dashboards/for-type", {
    deviceType: "press",
    name: "Hall",
  })) as { id: string };
  dashboardId = createdItem.id;
});

afterAll(async () => {
  await guest?.close();
  await browser?.close();
  await app?.stop();
});

const dialog = () => browser.page.getByRole("dialog");

async function send(name: string, values: object): Promise<void> {
  const response = await fetch(`${app.url}/api/v1/${tokens[name]}/telemetry`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  });
  expect(response.status).toBe(200);
}

test("pages are added, renamed, sorted and removed, each with its own widgets", async () => {
  const { page } = browser;
  await page.goto(`${app.url}/dashboards/${dashboardId}?edit=1`);
  await page.getByTestId("widget").first().waitFor();
  const onFirst = await page.getByTestId("widget").count();
  await page.getByRole("button", { name: "Pages and devices" }).click();
  await dialog().getByRole("button", { name: "Add page" }).click();
  await dialog().getByLabel("Name of page 2").fill("Texts");
  await dialog().getByLabel("Name of page 2").press("Enter");
  await dialog().getByRole("button", { name: "Move Texts forward" }).click();
  expect(await dialog().getByLabel("Name of page 1").inputValue()).toBe("Texts");
  await dialog().getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "Texts" }).click();
  expect(await page.getByTestId("widget").count()).toBe(0);
  await page.getByRole("button", { name: "Add widget" }).first().click();
  await dialog()
    .getByRole("button", { name: /^Text or picture/ })
    .click();
  await dialog().getByRole("textbox", { name: /^Text/ }).fill("# Only here");
  await dialog().getByRole("button", { name: "Apply" }).click();
  await page.getByRole("heading", { name: "Only here" }).waitFor();
  await page.getByRole("navigation", { name: "Pages" }).getByRole("button", { name: "Hall" }).click();
  await page.getByRole("heading", { name: "Only here" }).waitFor({ state: "detached" });
  expect(await page.getByTestId("widget").count()).toBe(onFirst);
});

test("changed devices of an alias apply to all its widgets and can be undone", async () => {
  const { page } = browser;
  await page.getByRole("button", { name: "Pages and devices" }).click();
  const remove = dialog().getByRole("button", { name: "Remove press" });
  expect(await remove.isDisabled()).toBe(true);
  await dialog().getByRole("button", { name: "Change the devices of press" }).click();
  await dialog().getByLabel("All of a type", { exact: true }).selectOption("oven");
  await dialog().getByRole("button", { name: "Apply" }).click();
  expect(await dialog().getByLabel("Name of oven").inputValue()).toBe("oven");
  await dialog().getByRole("button", { name: "Close" }).last().click();
  await page.getByText("Oven 1").first().waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Press 1").first().waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Hall is saved.").waitFor();
});

test("unsaved changes survive a visit to another screen and disappear when they are discarded", async () => {
  const { page } = browser;
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await page.getByLabel("Name", { exact: true }).fill("Half done");
  await page.getByLabel("Name", { exact: true }).press("Enter");
  await page.getByRole("heading", { name: "Half done" }).waitFor();
  await page.getByRole("link", { name: "All dashboards" }).click();
  await page.getByRole("link", { name: "Hall" }).click();
  await page.getByRole("heading", { name: "Half done" }).waitFor();
  await page.getByRole("button", { name: "Discard changes" }).click();
  await page.getByRole("heading", { name: "Hall", exact: true }).waitFor();
  await page.getByRole("link", { name: "All dashboards" }).click();
  await page.getByRole("link", { name: "Hall" }).click();
  await page.getByRole("heading", { name: "Hall", exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
});

test("a link shows the live dashboard, and nothing else, to a visitor who is not signed in", async () => {
  const { page } = browser;
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog().getByLabel("Name or place").fill("Canteen");
  await dialog().getByRole("button", { name: "Create link" }).click();
  const row = dialog().getByTestId("share");
  await row.getByText("Canteen").waitFor();
  link = (await row.getByRole("link").getAttribute("href")) ?? "";
  expect(link).toStartWith(`${app.url}/shared#lss_`);
  const screen = guest.page;
  await screen.goto(link);
  await screen.getByRole("heading", { name: "Hall" }).waitFor();
  await screen.getByRole("button", { name: "Hall" }).click();
  await screen.getByText("41").first().waitFor();
  expect(await screen.locator('main a[href^="/"]').count()).toBe(0);
  expect(await screen.getByRole("button", { name: "Edit" }).count()).toBe(0);
  await send("Press 1", { force: 777 });
  await screen.getByText("777").first().waitFor();
});

test("the shared dashboard shows changes of its editor without a reload", async () => {
  await callApi(browser.page, app, "PATCH", `/api/dashboards/${dashboardId}`, { name: "Hall 7" });
  await guest.page.getByRole("heading", { name: "Hall 7" }).waitFor();
});

test("a link that shows two dashboards in turn goes on with the rest when one is taken out", async () => {
  const { page } = browser;
  const yard = { deviceType: "press", name: "Yard", template: "AUTO", timezone: "UTC" };
  const { id } = (await callApi(page, app, "POST", "/api/dashboards/for-type", yard)) as { id: string };
  await page.goto(`${app.url}/dashboards/${dashboardId}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog().getByLabel("Name or place").fill("Gate");
  await dialog().getByLabel("Show several dashboards in turn").check();
  await dialog().getByLabel("Yard").check();
  await dialog().getByLabel("Seconds for each dashboard").fill("1");
  await dialog().getByRole("button", { name: "Create link" }).click();
  const row = dialog().getByTestId("share").filter({ hasText: "Gate" });
  await row.getByText("In turn, 1 s each: Hall 7, Yard").waitFor();
  const turning = await openBrowser(app.url);
  try {
    const screen = turning.page;
    turning.allowNotFound("/api/shared/dashboard");
    const heading = (name: string) => screen.getByRole("heading", { name, exact: true });
    await screen.goto((await row.getByRole("link").getAttribute("href")) ?? "");
    for (const name of ["Yard", "Hall 7", "Yard"]) await heading(name).waitFor();
    await screen.getByText("777").first().waitFor();
    expect(await screen.getByRole("main").getByRole("button").count()).toBe(0);
    await page.goto(`${app.url}/dashboards/${id}`);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await dialog().getByRole("button", { name: "Remove this dashboard from link Gate" }).click();
    await dialog().getByTestId("share").waitFor({ state: "detached" });
    await heading("Hall 7").waitFor();
    await screen.waitForResponse((response) => response.url().includes("/shared/dashboard") && response.ok());
    await heading("Hall 7").waitFor();
    expect(turning.complaints).toEqual([]);
  } finally {
    await turning.close();
  }
  await callApi(page, app, "DELETE", `/api/dashboards/${id}`);
  await page.goto(`${app.url}/dashboards/${dashboardId}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog().getByRole("button", { name: "Delete link Gate" }).click();
  await row.waitFor({ state: "detached" });
});

for (const appearance of [
  { theme: "light", width: 360, language: "de" },
  { theme: "dark", width: 1440, language: "en" },
] satisfies Appearance[])
  test(`links, pages and the shared dashboard are accessible and keep within ${appearance.width} px, ${appearance.theme}, ${appearance.language}`, async () => {
    const checkScreen = ({ page }: WatchedBrowser, name: string) => expectTidy(page, name, appearance);
    for (const { page } of [browser, guest]) await appear(page, appearance);
    await guest.page.reload();
    await guest.page.getByTestId("widget").first().waitFor();
    await checkScreen(guest, "shared");
    const { page } = browser;
    await page.goto(`${app.url}/dashboards/${dashboardId}`);
    await page.getByRole("button", { name: /^(Share|Teilen)$/ }).click();
    await dialog().getByTestId("share").waitFor();
    await checkScreen(browser, "share-dialog");
    await page.goto(`${app.url}/dashboards/${dashboardId}?edit=1`);
    await page.getByRole("button", { name: /^(Pages and devices|Seiten und Geräte)$/ }).click();
    await dialog().waitFor();
    await checkScreen(browser, "parts-dialog");
  });

test("an open shared dashboard reports that its link was deleted", async () => {
  const { page } = browser;
  await page.goto(`${app.url}/dashboards/${dashboardId}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog().getByRole("button", { name: "Delete link Canteen" }).click();
  await dialog().getByTestId("share").waitFor({ state: "detached" });
  await guest.page.getByRole("heading", { name: "This link has expired" }).waitFor();
  await guest.page.goto(`${app.url}/shared`);
  await guest.page.getByRole("heading", { name: "This link has expired" }).waitFor();
});

test("the pages caused no console error and no request to another host", () => {
  expect(browser.complaints).toEqual([]);
  // The browser itself complains of a link's 401.
  expect(guest.complaints.filter((line) => !line.includes("status of 401"))).toEqual([]);
});
