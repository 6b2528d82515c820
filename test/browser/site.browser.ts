// The site: its name and plan, its branding, who did what, and its mails.

import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { useConsole } from "./support/console-page.ts";
import { OWNER } from "./support/first-visit.ts";

const STEP_MS = 30_000;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><rect width="9" height="9"/></svg>';
const ui = useConsole({ settings: ["--signup", "open"] });

const open = (page: string) => ui.page.goto(`${ui.app.url}/settings/${page}`);
const saved = () => ui.page.getByText("Saved.").first().waitFor();
/** What the browser itself says of a refusal that a test asked for. */
function takeRefusal(status: number): void {
  expect(ui.complaints.splice(0)).toEqual([expect.stringContaining(`status of ${status}`)]);
}

test(
  "a renamed site shows its name at once, and the plan shows its usage",
  async () => {
    const { page } = ui;
    await ui.call("POST", "/api/devices", {
      name: "Press 1",
      deviceType: "press",
      label: "Hall 1",
    });
    await open("site");
    await page.getByLabel("Name of the site").fill("Plant South");
    await page.getByRole("button", { name: "Save" }).click();
    await saved();
    await page.locator("aside").getByText("Plant South").waitFor();
    const plan = page.getByRole("region", { name: "Plan: On-premises" });
    await plan.getByText("1 · no limit").first().waitFor();
    await page.getByText("This is the gateway's own site").waitFor();
  },
  STEP_MS,
);

test(
  "name, logo and color appear in the console immediately and on the sign-in page",
  async () => {
    const { page } = ui;
    await open("branding");
    await page.getByRole("textbox", { name: /^Name/ }).fill("Acme");
    await page.locator('input[type="color"]').fill("#aa0000");
    const logo = page.locator('input[type="file"]');
    await logo.setInputFiles({ name: "logo.svg", mimeType: "image/svg+xml", buffer: Buffer.from(SVG) });
    await page.getByRole("button", { name: "Save" }).click();
    await saved();
    await page.locator("aside").getByText("Acme").waitFor();
    expect(await page.title()).toBe("Branding · Acme");
    const primary = () =>
      page.evaluate(() =>
        getComputedStyle(document.documentElement).getPropertyValue("--color-primary").trim(),
      );
    expect(await primary()).toBe("#aa0000");
    const mark = page.locator("aside img");
    expect(await mark.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    await page.reload();
    await page.locator("aside").getByText("Acme").waitFor();
    expect(await primary()).toBe("#aa0000");

    await ui.open("/idp/authorize?theme=light");
    expect(await page.title()).toBe("Sign in · Acme");
    const shown = page.locator(".brand img");
    expect(await shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    const button = page.locator('button[type="submit"]');
    expect(await button.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      "rgb(170, 0, 0)",
    );
    expect(ui.complaints).toEqual([]);
  },
  STEP_MS,
);

test(
  "a logo that is too large or has active content is refused at its field",
  async () => {
    const { page } = ui;
    await open("branding");
    const logo = page.locator('input[type="file"]');
    await logo.setInputFiles({ name: "big.png", mimeType: "image/png", buffer: Buffer.alloc(110 * 1024) });
    await page.getByRole("alert").getByText("larger than 100 KiB").waitFor();
    const script = Buffer.from(SVG.replace("<rect", "<script>1</script><rect"));
    await logo.setInputFiles({ name: "active.svg", mimeType: "image/svg+xml", buffer: script });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("is not an image of its type").waitFor();
    takeRefusal(400);
    await page.getByRole("button", { name: "Reset branding" }).click();
    await page.locator("aside").getByText("Lineside").waitFor();
    expect(await page.title()).toBe("Branding · Lineside");
  },
  STEP_MS,
);

test(
  "the audit log shows who changed what, keeps its filter in the address and is exported",
  async () => {
    const { page } = ui;
    const [device] = (await ui.call("GET", "/api/devices")) as [{ deviceId: string }];
    await ui.call("PATCH", `/api/devices/${device.deviceId}`, { label: "Hall 2" });
    await open("audit");
    const entry = page.getByRole("listitem").filter({ hasText: "Device changed · Press 1" });
    await entry.getByText(OWNER.email).first().waitFor();
    await entry.locator("summary").click();
    await entry.getByRole("row", { name: "label Hall 1 Hall 2" }).waitFor();
    await entry.getByRole("link", { name: "Entries in the audit log" }).click();
    await page.getByText("2 entries").waitFor();
    await page.getByRole("listitem").filter({ hasText: "Device created · Press 1" }).waitFor();
    await page.getByRole("button", { name: "Show all entries" }).click();
    await page.getByLabel("Action", { exact: true }).selectOption({ label: "Site renamed" });
    const renamed = page.getByRole("listitem").filter({ hasText: "Site renamed" });
    await page.getByText("1 entry").waitFor();
    await renamed.waitFor();
    expect(await page.getByRole("listitem").count()).toBe(1);
    expect(page.url()).toContain("action=tenant.rename");
    await page.reload();
    await renamed.waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export matching entries as CSV" }).click();
    const file = await (await download).path();
    const [head, row, ...rest] = (await readFile(file, "utf8")).split("\r\n");
    expect(head).toStartWith("at,outcome,action");
    expect(row).toContain("tenant.rename");
    expect(rest).toEqual([""]);
    await page.getByLabel("Search by name, id or address").fill("zzz");
    await page.getByText("No entry matches").waitFor();
  },
  STEP_MS,
);

test(
  "a long audit log loads page by page, each entry once",
  async () => {
    const { page } = ui;
    for (let index = 0; index < 120; index++)
      await ui.call("POST", "/api/tenant-attributes", { key: "motto", value: { index } });
    await open("audit?action=tenant_attribute.set");
    await page.getByText("120 entries").waitFor();
    expect(await page.getByRole("listitem").count()).toBe(100);
    await page.getByRole("button", { name: "Show more" }).click();
    await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
    expect(await page.getByRole("listitem").count()).toBe(120);
  },
  STEP_MS,
);

test(
  "a mail that no server accepts is in the outbox with the reason",
  async () => {
    const { page } = ui;
    const invited = (await ui.call("POST", "/api/users", {
      fullName: "Otto Outbox",
      email: "otto@plant-north.example",
      role: "TENANT_RW",
      inviteDelivery: "EMAIL",
    })) as { temporaryPassword: string };
    await open("outbox");
    await page.getByText("no mail server is configured").waitFor();
    await page.getByRole("link", { name: /invites you/ }).click();
    await page.getByText(invited.temporaryPassword).waitFor();
    await page.getByText("To otto@plant-north.example").waitFor();
    await page.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("alert").getByText("Notifications → Mail server").waitFor();
    takeRefusal(409);
    await page.getByRole("main").getByRole("link", { name: "Outbox" }).first().click();
    await page.getByLabel("State").selectOption({ label: "Sent" });
    await page.getByText("No email matches").waitFor();
  },
  STEP_MS,
);

/** The access token of somebody who signed up and made a site of their own. */
async function signUpGuest(): Promise<string> {
  const account = { email: "gustav@guest.example", password: "a quiet guest at night" };
  const post = async (path: string, body: unknown, token?: string) => {
    const headers = {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const response = await fetch(ui.app.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { code: string; accessToken: string };
  };
  await post("/api/auth/signup", { ...account, fullName: "Gustav Guest", planId: "basic" });
  const search = encodeURIComponent(account.email);
  const [mail] = (await ui.call("GET", `/api/outbox?search=${search}`)) as [{ mailId: string }];
  const { text } = (await ui.call("GET", `/api/outbox/${mail.mailId}`)) as { text: string };
  await post("/api/auth/verify-otp", { ...account, otp: /\b\d{6}\b/.exec(text)?.[0] });
  const { code } = await post("/idp/authorize", account);
  const { accessToken } = await post("/api/auth/exchange", { code });
  await post("/api/auth/onboarding", { tenantName: "Guest Works" }, accessToken);
  return accessToken;
}

test(
  "an owner deletes a site that is not the gateway's own after typing its name",
  async () => {
    const { page } = ui;
    await open("site");
    const own = await page.evaluate(() => localStorage.getItem("lineside.token") ?? "");
    const guest = await signUpGuest();
    await page.evaluate((token) => localStorage.setItem("lineside.token", token), guest);
    await open("site");
    const plan = page.getByRole("region", { name: "Plan: Basic" });
    await plan.getByText("1 of 10", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Delete site…" }).click();
    const now = page.getByRole("button", { name: "Delete for good" });
    expect(await now.isDisabled()).toBe(true);
    await page.getByLabel("Type Guest Works to confirm").fill("guest works");
    expect(await now.isDisabled()).toBe(true);
    await page.getByLabel("Type Guest Works to confirm").fill("Guest Works");
    await now.click();
    await page.waitForURL(/\/idp\/authorize/);
    const response = await fetch(`${ui.app.url}/api/auth/me`, {
      headers: { authorization: `Bearer ${guest}` },
    });
    expect(response.status).toBe(401);
    await page.evaluate((token) => localStorage.setItem("lineside.token", token), own);
    await open("audit?action=tenant.delete");
    const entry = page.getByRole("listitem").filter({ hasText: "Site deleted · Guest Works" });
    await entry.getByText("gustav@guest.example").first().waitFor();
    // A request of the page may be under way when its site is deleted.
    expect(ui.complaints.filter((text) => !text.includes("401 (Unauthorized)"))).toEqual([]);
  },
  STEP_MS,
);

test(
  "a reader sees site and plan, but no other page",
  async () => {
    const { page } = ui;
    const reader = (await ui.call("POST", "/api/users", {
      fullName: "Rita Reader",
      email: "rita@plant-north.example",
      role: "TENANT_READ_ONLY",
      inviteDelivery: "MANUAL",
    })) as { userId: string };
    const response = (await ui.call("POST", "/api/auth/impersonate", {
      targetUserId: reader.userId,
    })) as {
      accessToken: string;
    };
    await page.evaluate((token) => sessionStorage.setItem("lineside.acting", token), response.accessToken);
    await open("site");
    await page.getByRole("heading", { name: "Plan: On-premises" }).waitFor();
    expect(await page.getByLabel("Name of the site").isDisabled()).toBe(true);
    expect(await page.getByRole("heading", { name: "Delete site" }).count()).toBe(0);
    for (const name of ["Branding", "Audit log", "Outbox"])
      expect(await page.getByRole("link", { name }).count()).toBe(0);
    await open("audit");
    await page.getByText("This page does not exist").waitFor();
  },
  STEP_MS,
);
