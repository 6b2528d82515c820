import { expect, spyOn, test } from "bun:test";
import { DEVICE_NOTES_MAX } from "../../../../src/modules/notes/notes.resource.ts";
import { loadHistory } from "../../../../src/web/features/annotations/annotations-api.ts";

test("a chart loads all notes that a device can have, and counts any beyond", async () => {
  const asked: URL[] = [];
  const response = (async (input: string | URL | Request) => {
    asked.push(new URL(String(input), "http://lineside.test"));
    return Response.json([], { headers: { "x-total-count": "1001" } });
  }) as typeof fetch;
  const fetched = spyOn(globalThis, "fetch").mockImplementation(response);
  try {
    expect((await loadHistory("kiln", { from: 0, to: 1 })).total).toBe(1_001);
  } finally {
    fetched.mockRestore();
  }
  const [notes] = asked.filter(({ pathname }) => pathname.endsWith("/api/notes"));
  expect(Number(notes?.searchParams.get("limit"))).toBeGreaterThanOrEqual(DEVICE_NOTES_MAX);
});
