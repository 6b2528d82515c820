// A command to a device from the console, whose device answers over HTTP, seen live.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { expectTidy } from "./support/screenshots.ts";

const ui = useConsole();
let token = "";

beforeAll(async () => {
  const id = await ui.connectDevice();
  const device = await ui.call("GET", `/api/devices/${id}`);
  token = (device as { credentials: { token: string } }).credentials.token;
});

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

const fetchCommand = async (): Promise<Request> =>
  (await (await fetch(`${ui.app.url}/api/v1/${token}/rpc?timeout=10000`)).json()) as Request;
const response = (id: number, body: unknown) =>
  fetch(`${ui.app.url}/api/v1/${token}/rpc/${id}`, { method: "POST", body: JSON.stringify(body) });

async function send(method: string, params: string): Promise<void> {
  const { page } = ui;
  await page.getByRole("button", { name: "Send command" }).click();
  const dialog = ui.dialog();
  await dialog.getByLabel("Method").fill(method);
  await dialog.getByLabel("Parameters (JSON)").fill(params);
  await dialog.getByRole("button", { name: "Send command", exact: true }).click();
}

test("a command waits, reaches its device and shows the answer without a reload", async () => {
  const { page } = ui;
  await page.getByRole("link", { name: "Commands", exact: true }).click();
  await page.getByText("No commands yet").waitFor();
  await send("setRelay", '{"on": true');
  await page.getByRole("alert").filter({ hasText: "not valid JSON" }).waitFor();
  await ui.dialog().getByLabel("Parameters (JSON)").fill('{"on": true}');
  await ui.dialog().getByRole("button", { name: "Send command", exact: true }).click();
  const line = page.getByTestId("commands").getByRole("listitem").first();
  await line.getByText("Waiting").waitFor();
  const request = await fetchCommand();
  expect(request).toMatchObject({ method: "setRelay", params: { on: true } });
  await line.getByText("Sent", { exact: true }).waitFor();
  await response(request.id, { relay: "closed" });
  await line.getByText("Done").waitFor();
  await line.getByText("closed").waitFor();
});

test("a command that its device refuses shows the reason", async () => {
  const { page } = ui;
  await send("open", "");
  const request = await fetchCommand();
  expect(request.params).toEqual({});
  await response(request.id, { error: "valve is stuck" });
  const line = page.getByTestId("commands").getByRole("listitem").first();
  await line.getByText("Failed").waitFor();
  await line.getByText("valve is stuck").waitFor();
  expect(await page.getByTestId("commands").getByRole("listitem").count()).toBe(2);
});

test("a command that was sent before is a button with a form, and is kept in the profile", async () => {
  const { page } = ui;
  const buttons = page.getByTestId("known-commands");
  await buttons.getByRole("button", { name: "setRelay…" }).click();
  await ui.dialog().getByLabel("on").uncheck();
  await ui.dialog().getByRole("button", { name: "Send command", exact: true }).click();
  expect(await fetchCommand()).toMatchObject({ method: "setRelay", params: { on: false } });
  await expectTidy(page, "known-commands", { theme: "light", language: "en", width: 1440 });
  await buttons.getByRole("button", { name: "Add setRelay to the device profile" }).click();
  await buttons
    .getByRole("button", { name: "Add setRelay to the device profile" })
    .waitFor({ state: "detached" });
  const [profile] = (await ui.call("GET", "/api/device-profiles")) as {
    profileId: string;
    commands: unknown[];
  }[];
  expect(profile?.commands).toEqual([
    { method: "setRelay", params: [{ name: "on", type: "boolean", default: false, isRequired: true }] },
  ]);
});

test("a command of the profile is edited, and asks before it is sent", async () => {
  const { page } = ui;
  const [profile] = (await ui.call("GET", "/api/device-profiles")) as { profileId: string }[];
  const device = page.url();
  await ui.open(`/settings/profiles/${profile?.profileId}?view=settings`);
  await page.getByRole("button", { name: "Add command" }).click();
  const added = page.getByTestId("command-definition").last();
  await added.getByLabel("Method").fill("calibrate");
  await added.getByLabel("Name").fill("Calibrate sensor");
  await added.getByLabel("Ask before sending").check();
  await added.getByRole("button", { name: "Add parameter" }).click();
  await added.scrollIntoViewIfNeeded();
  await expectTidy(page, "command-definition", { theme: "light", language: "en", width: 1440 });
  await added.getByRole("textbox", { name: /^Parameter/ }).fill("level");
  await added.getByLabel("Default").fill("7");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page
    .getByText(/is saved\.$/)
    .first()
    .waitFor();
  await ui.open(new URL(device).pathname);
  await page.getByTestId("known-commands").getByRole("button", { name: "Calibrate sensor…" }).click();
  await ui.dialog().getByRole("button", { name: "Send command", exact: true }).click();
  await page.getByText("Send this command to My first device?").waitFor();
  await page.getByRole("dialog").last().getByRole("button", { name: "Send command", exact: true }).click();
  expect(await fetchCommand()).toMatchObject({ method: "calibrate", params: { level: 7 } });
  expect(ui.complaints).toEqual([]);
});

test("a button of a dashboard sends a command that the profile describes, or another one", async () => {
  const { page } = ui;
  const add = async () => {
    await page.getByRole("button", { name: "Add widget" }).first().click();
    await ui
      .dialog()
      .getByRole("button", { name: /^Button/ })
      .click();
  };
  await ui.open("/dashboards?create=1");
  await ui.dialog().getByLabel("Name").fill("Panel");
  await ui.dialog().getByRole("button", { name: "Create dashboard" }).click();
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await add();
  const commands = ui.dialog().getByRole("combobox", { name: "Command" });
  await commands.selectOption("Calibrate sensor");
  await ui.dialog().getByLabel("level").fill("8");
  expect(await ui.dialog().getByLabel("Text on the button").inputValue()).toBe("Calibrate sensor");
  expect(await ui.dialog().getByLabel("Ask for confirmation").isChecked()).toBe(true);
  expect(await ui.dialog().getByRole("textbox", { name: "Command" }).count()).toBe(0);
  await expectTidy(page, "described-button", { theme: "light", language: "en", width: 1440 });
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await add();
  await commands.selectOption("setRelay");
  await commands.selectOption("Other command");
  await ui.dialog().getByRole("textbox", { name: "Command" }).fill("reboot");
  await ui.dialog().getByRole("button", { name: "Apply" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Panel is saved.").waitFor();
  const [{ id = "" } = {}] = (await ui.call("GET", "/api/dashboards")) as { id?: string }[];
  const { widgets } = (await ui.call("GET", `/api/dashboards/${id}`)) as {
    widgets: { type: string; config: object }[];
  };
  const buttons = widgets.filter(({ type }) => type === "commandButton").map(({ config }) => config);
  expect(buttons).toMatchObject([
    { method: "calibrate", params: { level: 8 }, confirm: true },
    { method: "reboot" },
  ]);
  expect(buttons[1]).not.toHaveProperty("params");
  expect(ui.complaints).toEqual([]);
});
