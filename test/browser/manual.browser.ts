import { appear } from "./support/screenshots.ts";
// The manual that comes with the gateway: read, searched, offline.

import { expect, test } from "bun:test";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole();

test("a search finds a page of the manual, which links to others", async () => {
  const { page } = ui;
  await ui.open("/manual");
  await page.getByRole("article").getByRole("heading", { name: "First steps", exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Search the manual" }).fill("webhook signature");
  await page.getByTestId("found").getByRole("link", { name: "Webhooks" }).click();
  await page.getByRole("article").getByRole("heading", { name: "Webhooks", exact: true }).waitFor();
  await page
    .getByRole("navigation", { name: "Pages of the manual" })
    .getByRole("link", { name: "Alarms", exact: true })
    .click();
  await page.getByRole("article").getByRole("heading", { name: "Alarms", exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Search the manual" }).fill("qwertyuiop");
  await page.getByText("Nothing found").waitFor();
});

for (const [theme, width] of [
  ["light", 360],
  ["dark", 1440],
] as const)
  test(`the manual is accessible and keeps within ${width} px, ${theme}`, async () => {
    const { page } = ui;
    const appearance = { theme, width };
    await appear(page, appearance);
    for (const id of ["integrations", "benchmarks", "concepts", "device-protocol"]) {
      await ui.open(`/manual/${id}`);
      await page.getByRole("article").waitFor();
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/manual-${id}-${theme}-${width}.png` });
      expect({ id, findings: await seriousFindings(page) }).toEqual({ id, findings: [] });
      expect({ id, px: (await overflow(page)).map((px) => Math.max(0, px)) }).toEqual({ id, px: [0, 0] });
    }
  });

test("the manual is in the reader's language, and says so where it is not", async () => {
  const { page } = ui;
  const read = async (language: string) => {
    await page.evaluate((spoken) => localStorage.setItem("lineside.language", spoken), language);
    await ui.open("/manual");
  };
  await read("de");
  const article = page.getByRole("article");
  await article.getByRole("heading", { name: "Erste Schritte", exact: true }).waitFor();
  await article.getByRole("link", { name: "Alarme", exact: true }).click();
  await article.getByText("Diese Seite zeigt, wie Sie Alarme auslösen").waitFor();
  await ui.open("/manual/architecture");
  await page.getByText("Diese Seite gibt es nur auf Englisch.").waitFor();
  await read("en");
  await article.getByRole("heading", { name: "First steps", exact: true }).waitFor();
});

test("the pages caused no console error and no request to another host", () => {
  expect(ui.complaints).toEqual([]);
});
