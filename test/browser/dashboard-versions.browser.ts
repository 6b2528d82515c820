// A dashboard that two people change: nothing of the other is lost unseen, and what was saved before comes back.

import { beforeAll, expect, test } from "bun:test";
import { untilAnswer } from "../support/until.ts";
import { useConsole } from "./support/console-page.ts";
import { type Appearance, appear, expectTidy } from "./support/screenshots.ts";

const ui = useConsole({ isStill: true });
let id = "";

const note = (text: string) => ({
  widgets: [{ widgetId: "note", type: "markdown", name: "Note", config: { text } }],
  layout: [{ i: "note", x: 0, y: 0, w: 6, h: 3 }],
});
const named = (name: string) => ui.page.getByRole("heading", { name, exact: true, level: 1 });
const button = (name: string) => ui.page.getByRole("button", { name, exact: true });

async function rename(name: string): Promise<void> {
  await button("Edit").click();
  await ui.page.getByRole("textbox", { name: "Name" }).fill(name);
  await ui.page.keyboard.press("Tab");
  await button("Undo").and(ui.page.locator(":enabled")).waitFor();
}
const change = (body: object) => ui.call("PATCH", `/api/dashboards/${id}`, body);

beforeAll(async () => {
  ({ id } = (await ui.call("POST", "/api/dashboards", { name: "Hall", ...note("first") })) as { id: string });
});

test("a save after another one asks, and their version can be loaded", async () => {
  const { page } = ui;
  await ui.open(`/dashboards/${id}`);
  await rename("Mine");
  await change({ name: "Theirs" });
  await button("Save").click();
  await ui.dialog().getByText("Someone else saved this dashboard").waitFor();
  await ui
    .dialog()
    .getByText(/ saved Theirs .*, after you opened it\.$/)
    .waitFor();
  await button("Continue editing").click();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Mine");
  await button("Save").click();
  await button("Load their version").click();
  await named("Theirs").waitFor();
  await button("Edit").waitFor();
});

test("changes that wait while another saves are kept, and can be saved anyway", async () => {
  const { page } = ui;
  await rename("Kept");
  await change({ ...note("second"), name: "Theirs again" });
  await page.getByRole("link", { name: "All dashboards" }).click();
  await page.getByRole("link", { name: "Theirs again" }).click();
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Kept");
  await button("Save").click();
  await button("Save anyway").click();
  await named("Kept").waitFor();
  await button("Edit").waitFor();
  expect(await ui.call("GET", `/api/dashboards/${id}`)).toMatchObject({ name: "Kept" });
});

test("a save without effect leaves nothing unsaved", async () => {
  const { page } = ui;
  await rename("Other");
  await page.getByRole("textbox", { name: "Name" }).fill("Kept");
  await page.keyboard.press("Tab");
  await button("Save").click();
  await button("Edit").click();
  await button("Undo").and(page.locator(":disabled")).waitFor();
  await button("Discard changes").click();
});

async function openVersions(): Promise<void> {
  await button("More actions for this dashboard").click();
  await button("Versions").click();
}

test("an earlier version is looked at and restored", async () => {
  const { page } = ui;
  await openVersions();
  await ui.dialog().getByText("Version 3: Theirs again").waitFor();
  expect(await ui.dialog().getByRole("listitem").count()).toBe(4);
  await ui.dialog().getByRole("link", { name: "View version 3" }).click();
  await page.getByText(/^You are viewing version 3, saved .*, with current values\.$/).waitFor();
  await page.getByText("second", { exact: true }).waitFor();
  await button("Restore this version").click();
  await page.getByText("Version 3 is restored.").waitFor();
  await named("Theirs again").waitFor();
  expect(page.url()).not.toContain("version=");
  await openVersions();
  await ui.dialog().getByText("Version 5: Theirs again").waitFor();
  await page.keyboard.press("Escape");
  await ui.dialog().waitFor({ state: "detached" });
});

test("a version is shown for the same device, and replaces the work of others and unsaved changes only if confirmed", async () => {
  const { page } = ui;
  await ui.open(`/dashboards/${id}?device=any`);
  await openVersions();
  await ui.dialog().getByRole("link", { name: "View version 1" }).click();
  await page.getByRole("link", { name: "Back to the current version" }).click();
  await rename("Unsaved");
  expect(new URL(page.url()).searchParams.get("device")).toBe("any");
  await page.goBack();
  await page.getByText(/If you restore it, your unsaved changes are lost\.$/).waitFor();
  await change({ name: "Newest" });
  await button("Restore this version").click();
  await ui.dialog().getByText("If you restore the version anyway").waitFor();
  expect(await ui.call("GET", `/api/dashboards/${id}`)).toMatchObject({ name: "Newest" });
  await button("Cancel").click();
  await button("Restore this version").click();
  await button("Restore anyway").click();
  await button("Edit").waitFor();
  const { searchParams } = new URL(page.url());
  expect([searchParams.get("device"), searchParams.get("version")]).toEqual(["any", null]);
  await change({ ...note("second"), name: "Theirs again" });
  await ui.open(`/dashboards/${id}`);
});

test("a duplicate has the same content, and a name of its own", async () => {
  await button("More actions for this dashboard").click();
  await button("Duplicate").click();
  await named("Theirs again (copy)").waitFor();
  const copy = await ui.call("GET", `/api/dashboards/${ui.page.url().split("/").at(-1)}`);
  expect(copy).toMatchObject({ ...note("second"), name: "Theirs again (copy)" });
});

test("a widget is copied on its dashboard, and is scrolled to", async () => {
  const { page } = ui;
  await button("Edit").click();
  for (let copies = 1; copies <= 4; copies++) {
    await page.getByRole("button", { name: "Copy Note" }).first().click();
    await ui.dialog().getByRole("button", { name: "Copy" }).click();
    await page.getByTestId("widget").nth(copies).waitFor();
  }
  const newest = page.locator("[data-widget=w5]");
  await newest.waitFor();
  const isSeen = () =>
    newest.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  await untilAnswer(isSeen, (seen) => seen);
  await button("Discard changes").click();
  await button("Edit").waitFor();
});

test("a widget is copied to another dashboard with its devices", async () => {
  const { page } = ui;
  const content = {
    name: "Line",
    aliases: [{ id: "all", name: "Presses", type: "deviceType", deviceType: "press" }],
    widgets: [{ widgetId: "force", type: "value", name: "Force", config: { aliasId: "all", key: "force" } }],
  };
  const line = (await ui.call("POST", "/api/dashboards", content)) as { id: string };
  await ui.open(`/dashboards/${line.id}?edit=1`);
  await button("Copy Force").click();
  await ui.dialog().getByLabel("Copy to").selectOption({ label: "Theirs again" });
  await ui.dialog().getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied to Theirs again.").waitFor();
  const { aliases, widgets } = (await ui.call("GET", `/api/dashboards/${id}`)) as {
    aliases: unknown[];
    widgets: Array<{ name: string; config: unknown }>;
  };
  expect(aliases).toMatchObject([{ name: "Presses", deviceType: "press" }]);
  expect(widgets.at(-1)).toMatchObject({ name: "Force", config: { key: "force" } });

  const toLine = page.getByRole("link", { name: "Line", exact: true });
  await page.getByRole("link", { name: "All dashboards" }).click();
  await page.getByRole("link", { name: "Theirs again", exact: true }).click();
  await rename("Draft");
  await page.getByRole("link", { name: "All dashboards" }).click();
  await toLine.click();
  await button("Edit").click();
  await button("Copy Force").click();
  await ui.dialog().getByLabel("Copy to").selectOption({ label: "Theirs again" });
  await ui.dialog().getByText("You are editing the other dashboard").waitFor();
  await ui.dialog().getByRole("button", { name: "Copy" }).click();
  await page.getByText("Copied to Draft.").waitFor();
  await page.getByRole("link", { name: "All dashboards" }).click();
  await page.getByRole("link", { name: "Theirs again", exact: true }).click();
  await button("Save").click();
  await page.getByText("Draft is saved.").waitFor();
  const saved = (await ui.call("GET", `/api/dashboards/${id}`)) as { widgets: Array<{ name: string }> };
  expect(saved.widgets.slice(-2).map(({ name }) => name)).toEqual(["Force", "Force"]);
  await change({ name: "Theirs again" });
});

test("a dashboard is a favorite, has tags, and is what the console opens with", async () => {
  const { page } = ui;
  await ui.call("POST", "/api/dashboards", { name: "A first one" });
  await change({ tags: ["energy", "Hall 2"] });
  await ui.open("/dashboards");
  const rows = page.getByRole("list", { name: "Dashboards" }).getByRole("listitem");
  await rows.first().getByText("A first one").waitFor();
  await button("Favorite: Theirs again").click();
  await rows.first().getByText("Theirs again", { exact: true }).waitFor();
  await page.getByLabel("Tags").selectOption("Hall 2");
  await page.getByText("A first one").waitFor({ state: "detached" });
  expect(await rows.count()).toBe(1);
  const search = page.getByRole("searchbox", { name: "Search dashboards" });
  await search.fill("A first");
  await rows.first().waitFor({ state: "detached" });
  expect(await page.getByLabel("Tags").inputValue()).toBe("Hall 2");
  await search.fill("");
  await rows.first().getByText("Theirs again", { exact: true }).waitFor();
  expect(await rows.count()).toBe(1);
  await page.getByRole("link", { name: "Theirs again", exact: true }).click();
  await button("More actions for this dashboard").click();
  await button("Use as my start page").click();
  await page.getByText("The console now opens with Theirs again.").waitFor();
  await ui.open("/");
  await named("Theirs again").waitFor();
  await page.getByRole("link", { name: "Overview" }).first().click();
  await named("Overview").waitFor();
  await ui.open(`/dashboards/${id}?edit=1`);
  await button("Pages and devices").click();
  expect(await ui.dialog().getByLabel(/^Tags/).inputValue()).toBe("energy, Hall 2");
  const tags = ui.dialog().getByLabel(/^Tags/);
  await tags.fill(`energy, ${"x".repeat(65)}`);
  await tags.blur();
  await tags.and(page.locator(":invalid")).waitFor();
  await tags.fill("energy");
  await ui.dialog().getByRole("button", { name: "Close" }).last().click();
  await button("Save").click();
  await page.getByText("Theirs again is saved.").waitFor();
  expect(await ui.call("GET", `/api/dashboards/${id}`)).toMatchObject({ tags: ["energy"] });
  await ui.open("/dashboards?tag=Hall+2");
  await page.getByLabel("Tags").selectOption("All tags");
  await page.getByText("A first one").waitFor();
});

const appearances: Appearance[] = [
  { theme: "light", language: "en", width: 1440 },
  { theme: "dark", language: "de", width: 390 },
];
test.each(appearances)("versions and conflicts are tidy: %o", async (appearance) => {
  const { page } = ui;
  await appear(page, appearance);
  await ui.open("/dashboards");
  await page.getByRole("listitem").getByText("energy").first().waitFor();
  await expectTidy(page, "dashboard-list", appearance);
  await ui.open(`/dashboards/${id}`);
  await page.getByTestId("widget").first().waitFor();
  const more = page.getByRole("button", {
    name: /^(More actions for this dashboard|Weitere Aktionen für dieses Dashboard)$/,
  });
  await more.click();
  await expectTidy(page, "dashboard-menu", appearance);
  await page.getByRole("button", { name: /^Version(s|en)$/ }).click();
  await ui.dialog().getByRole("listitem").first().waitFor();
  await expectTidy(page, "versions", appearance);
  await ui.dialog().getByRole("link").first().click();
  await page.getByTestId("widget").first().waitFor();
  await expectTidy(page, "version", appearance);
});

test("nothing but the refused changes was complained about", () => {
  expect(ui.complaints.filter((line) => !/status of 412/.test(line))).toEqual([]);
});
