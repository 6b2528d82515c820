import { expect, test } from "bun:test";
import { importParts } from "../../src/web/features/telemetry/file-chunks.ts";

async function partsOf(text: string, format: "csv" | "ndjson") {
  const parts: Array<{ text: string; share: number }> = [];
  for await (const part of importParts(new Blob([text]), format)) parts.push(part);
  return parts;
}

test("a small file is one part", async () => {
  expect(await partsOf("ts,a\n1,2\n", "csv")).toEqual([{ text: "ts,a\n1,2\n", share: 1 }]);
  expect(await partsOf("", "csv")).toEqual([]);
});

test("parts of a large CSV file each begin with the header, end at line ends, and lose nothing", async () => {
  const rows = Array.from(
    { length: 150_000 },
    (_, index) => `${1_767_225_600_000 + index},"a ""b""\nc",${index}`,
  );
  const parts = await partsOf(`ts,text,n\n${rows.join("\n")}\n`, "csv");
  expect(parts.length).toBeGreaterThan(2);
  for (const { text } of parts) {
    expect(text.startsWith("ts,text,n\n1767")).toBe(true);
    expect(text.endsWith("\n")).toBe(true);
  }
  expect(parts.map(({ text }) => text.slice("ts,text,n\n".length)).join("")).toBe(`${rows.join("\n")}\n`);
  expect(parts.at(-1)?.share).toBe(1);
});

test("parts of a large NDJSON file lose nothing, letters of several bytes neither", async () => {
  const text = Array.from({ length: 200_000 }, (_, index) => `{"ts":${index},"ü€😀":1}`).join("\n");
  const parts = await partsOf(text, "ndjson");
  expect(parts.length).toBeGreaterThan(1);
  expect(parts.map((part) => part.text).join("")).toBe(text);
});
