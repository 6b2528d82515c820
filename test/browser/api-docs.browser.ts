// The API documentation: offline, and tried out in the reader's session.

import { expect, test } from "bun:test";
import { useConsole } from "./support/console-page.ts";
import { setUpOwner } from "./support/first-visit.ts";

const ui = useConsole({ hasOwner: false });

test("the page tells visitors who are not signed in how to try requests", async () => {
  const { page } = ui;
  await ui.open("/docs");
  await page.getByRole("link", { name: "Sign in", exact: true }).waitFor();
  await page.getByRole("heading", { name: /^Lineside/ }).waitFor();
});

test("a tried request uses the session of the console and is answered", async () => {
  const { page } = ui;
  await setUpOwner(page, ui.app);
  await ui.open("/docs#/auth/getCurrentUser");
  await page.getByText("requests go out as anna@plant-north.example (TENANT_OWNER)").waitFor();
  const operation = page.locator("#operations-auth-getCurrentUser");
  const [answer] = await Promise.all([
    page.waitForResponse((response) => new URL(response.url()).pathname === "/api/auth/me"),
    operation.getByRole("button", { name: "Execute" }).click(),
  ]);
  expect(answer.status()).toBe(200);
  expect(await answer.json()).toMatchObject({ email: "anna@plant-north.example" });
  await operation.getByText('"TENANT_OWNER"').first().waitFor();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/api-docs.png` });
});

test("the page caused no console error and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
