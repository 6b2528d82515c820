// The pages before the console: sign-in and what belongs to it, plain HTML without JavaScript.

import { beforeAll, expect, test } from "bun:test";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({
  settings: [
    "--signup",
    "open",
    "--oidc-issuer",
    "http://127.0.0.1:9",
    "--oidc-client-id",
    "x",
    "--oidc-redirect=false",
  ],
});
let temporaryPassword = "";
const INVITED = "nina@plant-north.example";

beforeAll(async () => {
  // The provider is not there, so that the page says so; its own pages are not ours to look at.
  const invited = await ui.call("POST", "/api/users", {
    fullName: "Nina",
    email: INVITED,
    role: "TENANT_RW",
    inviteDelivery: "MANUAL",
  });
  ({ temporaryPassword } = invited as { temporaryPassword: string });
  ui.browser.allowNotFound("/idp/reset");
});

const pages = (checkScreen: string) => [
  { title: "Sign in", path: `/idp/authorize?${checkScreen}` },
  { title: "New password", path: `/idp/forgot?${checkScreen}` },
  { title: "Link used or expired", path: `/idp/reset?token=x&${checkScreen}` },
];

for (const theme of ["light", "dark"])
  for (const width of [360, 1440])
    test(`${theme} at ${width} px: every hosted page is accessible, causes no error and fits its width`, async () => {
      const { page, complaints } = ui;
      complaints.length = 0;
      await page.setViewportSize({ width, height: width < 500 ? 740 : 900 });
      const check = async (title: string) => {
        await page.getByRole("heading", { name: title }).waitFor();
        expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe(theme);
        expect([title, await seriousFindings(page)]).toEqual([title, []]);
        expect([title, await overflow(page)]).toEqual([title, [0, 0]]);
      };
      for (const { title, path } of pages(`ui_locales=en&theme=${theme}`)) {
        await ui.open(path);
        await check(title);
      }
      await ui.open(`/idp/authorize?ui_locales=en&theme=${theme}`);
      await page.getByRole("link", { name: "Sign up" }).waitFor();
      await page.getByLabel("Email").fill(INVITED);
      await page.getByLabel("Password").fill(temporaryPassword);
      await page.getByRole("button", { name: "Sign in" }).click();
      await check("Set a password");
      expect(complaints).toEqual([]);

      await ui.open(`/idp/authorize?ui_locales=en&theme=${theme}`);
      await page.getByRole("link", { name: "Sign in with 127.0.0.1:9" }).click();
      await page.getByText("does not answer").waitFor();
      await check("Sign in");
    });
