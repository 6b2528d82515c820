// A command to a device from the console, whose device answers over HTTP, seen live.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const STEP_MS = 30_000;
let app: RunningApp;
let browser: WatchedBrowser;
let token = "";

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  browser.page.setDefaultTimeout(10_000);
  await setUpOwner(browser.page, app);
  await browser.page.getByRole("button", { name: /Connect a device/ }).click();
  await browser.page.waitForURL(/\/devices\/[^/]+\/connect$/);
  const id = /devices\/([^/]+)\//.exec(browser.page.url())?.[1];
  const device = await callApi(browser.page, app, "GET", `/api/devices/${id}`);
  token = (device as { credentials: { token: string } }).credentials.token;
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

const fetchCommand = async (): Promise<Request> =>
  (await (await fetch(`${app.url}/api/v1/${token}/rpc?timeout=10000`)).json()) as Request;
const answer = (id: number, body: unknown) =>
  fetch(`${app.url}/api/v1/${token}/rpc/${id}`, { method: "POST", body: JSON.stringify(body) });

async function send(method: string, params: string): Promise<void> {
  const { page } = browser;
  await page.getByRole("button", { name: "Send a command" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Method").fill(method);
  await dialog.getByLabel("Parameters (JSON)").fill(params);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
}

test(
  "a command waits, reaches its device, and its answer shows without a reload",
  async () => {
    const { page } = browser;
    await page.getByRole("link", { name: "Commands", exact: true }).click();
    await page.getByText("No commands yet").waitFor();
    await send("setRelay", '{"on": true');
    await page.getByRole("alert").filter({ hasText: "not valid JSON" }).waitFor();
    await page.getByRole("dialog").getByLabel("Parameters (JSON)").fill('{"on": true}');
    await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
    const line = page.getByTestId("commands").getByRole("listitem").first();
    await line.getByText("Waiting").waitFor();
    const request = await fetchCommand();
    expect(request).toMatchObject({ method: "setRelay", params: { on: true } });
    await line.getByText("Sent", { exact: true }).waitFor();
    await answer(request.id, { relay: "closed" });
    await line.getByText("Done").waitFor();
    await line.getByText("closed").waitFor();
  },
  STEP_MS,
);

test(
  "a device that cannot do it says why",
  async () => {
    const { page } = browser;
    await send("open", "");
    const request = await fetchCommand();
    expect(request.params).toEqual({});
    await answer(request.id, { error: "valve is stuck" });
    const line = page.getByTestId("commands").getByRole("listitem").first();
    await line.getByText("Failed").waitFor();
    await line.getByText("valve is stuck").waitFor();
    expect(await page.getByTestId("commands").getByRole("listitem").count()).toBe(2);
  },
  STEP_MS,
);
