// The codec library: a vendor's file taken in, tried, mended where it is wrong, saved; by keyboard, narrow and in German too.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { callApi } from "./support/call-api.ts";
import { setUpOwner } from "./support/first-visit.ts";
import { type RunningApp, startApp } from "./support/running-app.ts";
import { openBrowser, type WatchedBrowser } from "./support/watched-browser.ts";

const STEP_MS = 40_000;
let app: RunningApp;
let browser: WatchedBrowser;

beforeAll(async () => {
  app = await startApp();
  browser = await openBrowser(app.url);
  await browser.page.emulateMedia({ reducedMotion: "reduce" });
  browser.page.setDefaultTimeout(10_000);
  await setUpOwner(browser.page, app);
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await app?.stop();
}, 30_000);

const vendorFile = `// Radiator valve, as its vendor hands it out
function decodeUplink(input) {
  var bytes = input.bytes;
  console.log("port", input.fPort);
  return { data: { temperature: ((bytes[0] << 8) | bytes[1]) / 10, battery: bytes[2] / 100 } };
}

function encodeDownlink(input) {
  return { bytes: [0x0e, input.data.target], fPort: 15, warnings: [] };
}
`;

const editor = () => browser.page.getByRole("textbox", { name: "Source" });
const trial = () => browser.page.getByTestId("trial");

test(
  "a vendor's file is taken in, tried on a frame and saved",
  async () => {
    const { page } = browser;
    await page.goto(`${app.url}/integrations/codecs`);
    await page.getByText("No codecs yet").waitFor();
    await page.getByRole("link", { name: "New codec" }).click();
    await page
      .getByLabel("From a file…")
      .setInputFiles({ name: "valve-v2.js", mimeType: "text/javascript", buffer: Buffer.from(vendorFile) });
    // The file is read first.
    for (let tries = 0; tries < 200 && (await editor().inputValue()) !== vendorFile; tries++)
      await Bun.sleep(25);
    expect(await editor().inputValue()).toBe(vendorFile);
    expect(await page.getByLabel("Name").inputValue()).toBe("valve-v2");
    await page.getByLabel("Frame", { exact: false }).first().fill("00 D7 5f");
    await trial().getByText('"temperature": 21.5').waitFor();
    await trial().getByText("port 1").waitFor();
    await page.getByRole("button", { name: "Encode a downlink" }).click();
    await page.getByLabel("Data (JSON)").fill('{ "target": 22 }');
    await trial().getByText("0E 16").waitFor();
    await trial().getByText("Sent to FPort 15.").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "valve-v2" }).waitFor();
    await page.getByRole("link", { name: "All codecs" }).click();
    await page.getByText("decodeUplink, encodeDownlink").waitFor();
  },
  STEP_MS,
);

test(
  "what is wrong is said with its line, which is marked, and nothing wrong is saved",
  async () => {
    const { page } = browser;
    await page.getByRole("link", { name: "valve-v2" }).click();
    await editor().fill(vendorFile.replace("bytes[2] / 100", "byte[2] / 100"));
    await trial().getByText("'byte' is not defined").waitFor();
    await trial().getByText("Line 5:").waitFor();
    expect(await page.locator(".code-wrong").textContent()).toContain("byte[2]");
    await editor().fill("function decodeUplink( {");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Line 1 of the source").waitFor();
    await page.getByRole("button", { name: "Discard changes" }).click();
    expect(await editor().inputValue()).toBe(vendorFile);
    await trial().getByText('"temperature"').waitFor();
  },
  STEP_MS,
);

test(
  "code is written by keyboard: indented, taken back, and left again",
  async () => {
    const { page } = browser;
    await editor().fill("");
    await editor().pressSequentially("function f() {");
    await page.keyboard.press("Enter");
    await editor().pressSequentially("return 1;");
    expect(await editor().inputValue()).toBe("function f() {\n  return 1;");
    await page.keyboard.press("Tab");
    expect(await editor().inputValue()).toEndWith("return 1;  ");
    await page.keyboard.press("Control+z");
    expect(await editor().inputValue()).toEndWith("return 1;");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await editor().evaluate((area) => document.activeElement === area)).toBe(false);
    const long = Array.from({ length: 400 }, (_, line) => `var line${line} = "${"x".repeat(100)}";`).join(
      "\\n",
    );
    await editor().fill(long);
    await editor().press("Control+End");
    await editor().pressSequentially(" // at the end");
    // Where one types is in view: the caret's line is the last.
    const isAtEnd = await page
      .getByTestId("code")
      .evaluate((box) => box.scrollTop + box.clientHeight > box.scrollHeight - 40);
    expect(isAtEnd).toBe(true);
    await page.getByRole("button", { name: "Discard changes" }).click();
  },
  STEP_MS,
);

test(
  "the screens fit a phone, in both themes, without serious findings",
  async () => {
    const { page } = browser;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const width of [1440, 360]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await seriousFindings(page)).toEqual([]);
        expect(await overflow(page)).toEqual([0, 0]);
      }
    }
    await page.setViewportSize({ width: 1440, height: 900 });
  },
  STEP_MS,
);

test(
  "a codec that is not used is deleted after a question",
  async () => {
    const { page } = browser;
    await page.getByRole("button", { name: "Delete this codec" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No codecs yet").waitFor();
    expect(await callApi(page, app, "GET", "/api/integrations/codecs")).toEqual([]);
  },
  STEP_MS,
);

test("nothing went wrong in the browser meanwhile", () => {
  // What a save refuses.
  expect(browser.complaints.filter((line) => !/status of 400/.test(line))).toEqual([]);
});
