import type { Page } from "playwright-core";
import type { RunningApp } from "./running-app.ts";

export const OWNER = {
  email: "anna@plant-north.example",
  password: "a quiet line at night",
  name: "Anna Berger",
};

/** Lives through the setup link until the choice of what to do first. */
export async function setUpOwner(page: Page, app: RunningApp): Promise<void> {
  await page.goto(app.setupLink);
  await page.getByLabel("Your name").fill(OWNER.name);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByLabel("Site or company").fill("Plant North");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("heading", { name: "Setup complete" }).waitFor();
}

/** The hosted sign-in page of the program itself. */
export async function signIn(page: Page): Promise<void> {
  await page.locator('input[type="email"], input[name="email"]').first().fill(OWNER.email);
  await page.locator('input[type="password"]').first().fill(OWNER.password);
  await page.locator('button[type="submit"], input[type="submit"]').first().click();
}

/** An MQTT device token from the Connect tab's own example. */
export async function tokenOnPage(page: Page): Promise<string> {
  const example = (await page.getByTestId("snippet").textContent()) ?? "";
  const token = example.match(/-u (\S+)/)?.[1];
  if (!token) throw new Error(`no token in the example:\n${example}`);
  return token;
}
