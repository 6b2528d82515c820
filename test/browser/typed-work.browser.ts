// Escape in a dialog with a form: what was typed is not lost without a question.

import { expect, test } from "bun:test";
import { seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const STEP_MS = 30_000;
const ui = useConsole({ isStill: true });
const name = () => ui.dialog().getByLabel("Name").first();
const question = () => ui.page.getByRole("alertdialog", { name: "Discard your changes?" });

async function open(): Promise<void> {
  await ui.page.getByRole("button", { name: "Create profile" }).click();
  await name().waitFor();
}

test(
  "Escape closes a form that nobody has changed",
  async () => {
    await ui.open("/settings/profiles");
    await open();
    await ui.page.keyboard.press("Escape");
    await name().waitFor({ state: "detached" });
  },
  STEP_MS,
);

test(
  "Escape asks before typed work is lost, and a second Escape goes back to it",
  async () => {
    const { page } = ui;
    await open();
    await name().fill("Meters");
    await page.keyboard.press("Escape");
    await question().waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await question().waitFor({ state: "detached" });
    expect(await name().inputValue()).toBe("Meters");
    await page.keyboard.press("Escape");
    await question().getByRole("button", { name: "Keep editing" }).click();
    expect(await name().inputValue()).toBe("Meters");
    await page.keyboard.press("Escape");
    await question().getByRole("button", { name: "Discard changes" }).click();
    await name().waitFor({ state: "detached" });
  },
  STEP_MS,
);

test(
  "a click beside a dialog asks too",
  async () => {
    const { page } = ui;
    const { id } = (await ui.call("POST", "/api/dashboards", { name: "Hall" })) as { id: string };
    await ui.open(`/dashboards/${id}`);
    await page.getByRole("button", { name: "Share" }).click();
    await name().fill("Lobby");
    await page.mouse.click(5, 5);
    await question().waitFor();
    await question().getByRole("button", { name: "Discard changes" }).click();
    await name().waitFor({ state: "detached" });
  },
  STEP_MS,
);
