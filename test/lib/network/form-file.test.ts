import { expect, test } from "bun:test";
import { fileOfForm } from "../../../src/lib/network/form-file.ts";

async function encoded(form: FormData) {
  const bytes = new Uint8Array(await new Response(form).arrayBuffer());
  const [delimiter = ""] = Buffer.from(bytes).toString("latin1").split("\r\n", 1);
  return { bytes, type: `multipart/form-data; boundary=${delimiter.slice(2)}` };
}

test("the file of a form is found behind its fields, with all of its bytes", async () => {
  const content = Uint8Array.from({ length: 1_000 }, (_, index) => (index * 7) % 256);
  const form = new FormData();
  form.append("note", "filename=x");
  form.append("file", new Blob([content]), "devices.csv");
  form.append("file", new Blob(["another"]), "other.csv");
  const { bytes, type } = await encoded(form);
  expect(fileOfForm(bytes, type)).toEqual(Buffer.from(content));
});

test("a form without a file, cut off or of very many parts has none", async () => {
  const form = new FormData();
  form.append("note", "x");
  const { bytes, type } = await encoded(form);
  expect(fileOfForm(bytes, type)).toBeUndefined();
  form.append("file", new Blob(["a"]), "a.csv");
  const whole = await encoded(form);
  expect(fileOfForm(whole.bytes.subarray(0, -30), whole.type)).toBeUndefined();
  expect(fileOfForm(whole.bytes, "multipart/form-data")).toBeUndefined();
  const field = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
  const file = '--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\nx\r\n--b--\r\n';
  const formOf = (fields: number) => new TextEncoder().encode(field.repeat(fields) + file);
  expect(fileOfForm(formOf(99), 'multipart/form-data; boundary="b"')?.toString()).toBe("x");
  expect(fileOfForm(formOf(100), "multipart/form-data; boundary=b")).toBeUndefined();
});
