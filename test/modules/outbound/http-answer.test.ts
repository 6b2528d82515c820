import { expect, test } from "bun:test";
import { createHttpAnswerReader } from "../../../src/modules/outbound/http-answer.ts";

function read(body: string) {
  const reader = createHttpAnswerReader();
  const isWhole = reader.push(Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`));
  return { isWhole, text: reader.body.toString() };
}

test("the body of a chunked answer is put together", () => {
  expect(read("3\r\nabc\r\n4;name=value\r\ndefg\r\n0\r\n\r\n")).toEqual({ isWhole: true, text: "abcdefg" });
  expect(read("3\r\nabc\r\n4\r\nde")).toEqual({ isWhole: false, text: "abcde" });
});

test.each(["-6", "-8", "+6", "0x6", "", "fffffffff"])(
  "a chunk that says it is %p long ends the answer instead of holding up the gateway",
  (size) => {
    expect(read(`${size}\r\n`)).toEqual({ isWhole: true, text: "" });
  },
);
