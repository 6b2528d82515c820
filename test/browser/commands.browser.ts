// A command to a device from the console, whose device answers over HTTP, seen live.

import { beforeAll, expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";

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
const answer = (id: number, body: unknown) =>
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
  await answer(request.id, { relay: "closed" });
  await line.getByText("Done").waitFor();
  await line.getByText("closed").waitFor();
});

test("a command that its device refuses shows the reason", async () => {
  const { page } = ui;
  await send("open", "");
  const request = await fetchCommand();
  expect(request.params).toEqual({});
  await answer(request.id, { error: "valve is stuck" });
  const line = page.getByTestId("commands").getByRole("listitem").first();
  await line.getByText("Failed").waitFor();
  await line.getByText("valve is stuck").waitFor();
  expect(await page.getByTestId("commands").getByRole("listitem").count()).toBe(2);
});
