import { expect, test } from "bun:test";
import { importParts } from "../../../../src/web/features/telemetry/file-chunks.ts";

async function partsOf(content: string | Uint8Array<ArrayBuffer>, format: "csv" | "ndjson") {
  const parts: Array<{ text: string; hasSample: boolean; share: number }> = [];
  for await (const { body, ...part } of importParts(new Blob([content]), format))
    parts.push({ text: await body.text(), ...part });
  return parts;
}

test("a small file is one part", async () => {
  expect(await partsOf("ts,a\n1,2\n", "csv")).toEqual([{ text: "ts,a\n1,2\n", hasSample: false, share: 1 }]);
  expect(await partsOf("", "csv")).toEqual([]);
});

test("parts of a large CSV file begin with its first part, end at line ends, and lose nothing", async () => {
  const rows = Array.from(
    { length: 300_000 },
    (_, index) => `${1_767_225_600_000 + index},"a ""b""\nc",${index}`,
  );
  const file = `ts,text,n\n${rows.join("\n")}\n`;
  const [first, ...others] = await partsOf(file, "csv");
  const sample = first?.text ?? "";
  expect(sample.split("\n").length).toBeGreaterThan(2_000);
  expect(first?.hasSample).toBe(false);
  expect(others.length).toBeGreaterThan(1);
  for (const { text, hasSample } of others) {
    expect(hasSample && text.startsWith(`${sample}1767`) && text.endsWith("\n")).toBe(true);
    expect(text.length).toBeLessThan(8_000_000);
  }
  expect(sample + others.map(({ text }) => text.slice(sample.length)).join("") === file).toBe(true);
  expect(others.at(-1)?.share).toBe(1);
});

test("parts of a large NDJSON file lose nothing, letters of several bytes neither", async () => {
  const text = Array.from({ length: 300_000 }, (_, index) => `{"ts":${index},"ü€😀":1}`).join("\n");
  const parts = await partsOf(text, "ndjson");
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.map((part) => part.text).join("") === text).toBe(true);
});

test("a file in UTF-16 becomes UTF-8", async () => {
  const bytes = new Uint8Array(Buffer.from("\ufeffts;Größe\n1;2\n", "utf16le"));
  expect((await partsOf(bytes, "csv")).map(({ text }) => text)).toEqual(["ts;Größe\n1;2\n"]);
});
