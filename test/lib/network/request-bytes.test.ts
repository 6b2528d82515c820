import { expect, test } from "bun:test";
import { readExactJson, receiveJson } from "../../../src/lib/network/request-bytes.ts";

const sent = (body: string) => new Request("http://gateway/", { method: "POST", body });

test("a JSON body that was received first is parsed like one that was not", async () => {
  const parsed = sent('{"a":[1,"x"]}');
  await receiveJson(parsed);
  expect(await parsed.json()).toEqual({ a: [1, "x"] });
  const exact = sent('{"a":12345678901234567890}');
  await receiveJson(exact);
  const contentType = "application/json";
  const read = await readExactJson({ request: exact, contentType });
  expect(read).toEqual(await readExactJson({ request: sent('{"a":12345678901234567890}'), contentType }));
  const broken = sent("{");
  await receiveJson(broken);
  expect(broken.json()).rejects.toThrow(SyntaxError);
});
