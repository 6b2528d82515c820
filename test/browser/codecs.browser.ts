// The codec library: a vendor's file taken in, tried, mended where it is wrong, saved; by keyboard, narrow and in German too.

import { expect, test } from "bun:test";
import { untilAnswer } from "../support/until.ts";
import { overflow, seriousFindings } from "./support/accessibility.ts";
import { useConsole } from "./support/console-page.ts";

const ui = useConsole({ isStill: true });

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

const editor = () => ui.page.getByRole("textbox", { name: "Source" });
const trial = () => ui.page.getByTestId("trial");

test("a vendor's file is imported, tested on a frame and saved", async () => {
  const { page } = ui;
  await ui.open("/integrations/codecs");
  await page.getByText("No codecs yet").waitFor();
  await page.getByRole("link", { name: "Create codec" }).click();
  await page
    .getByLabel("Import from file…")
    .setInputFiles({ name: "valve-v2.js", mimeType: "text/javascript", buffer: Buffer.from(vendorFile) });
  // The file is read first.
  await untilAnswer(
    () => editor().inputValue(),
    (text) => text === vendorFile,
  );
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
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "Codecs" }).click();
  await page.getByText("decodeUplink, encodeDownlink").waitFor();
});

test("an error marks its line, and a codec with errors is not saved", async () => {
  const { page } = ui;
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
});

test("the code editor indents, undoes and releases the focus by keyboard", async () => {
  const { page } = ui;
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
});

test("the screens fit a phone in both themes without serious accessibility findings", async () => {
  const { page } = ui;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await seriousFindings(page)).toEqual([]);
      expect(await overflow(page)).toEqual([0, 0]);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
});

test("an unused codec is deleted after a confirmation", async () => {
  const { page } = ui;
  await page.getByRole("button", { name: "Delete codec" }).click();
  await ui.dialog().getByRole("button", { name: "Delete" }).click();
  await page.getByText("No codecs yet").waitFor();
  expect(await ui.call("GET", "/api/integrations/codecs")).toEqual([]);
});

test("the pages caused no error in the browser", () => {
  // What a save refuses.
  expect(ui.complaints.filter((line) => !/status of 400/.test(line))).toEqual([]);
});
