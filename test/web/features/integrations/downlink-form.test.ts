import { expect, test } from "bun:test";
import {
  asDownlink,
  contentText,
  emptyDownlink,
} from "../../../../src/web/features/integrations/downlink-form.tsx";

const to = { ...emptyDownlink, devEui: "01-02-03-04-05-06-07-0A" };

test("bytes are read however people write them", () => {
  for (const content of ["0a0b", "0A 0B", "0x0a, 0x0b", "0a:0b", " 0a-0b "])
    expect(asDownlink({ ...to, content })).toEqual({
      form: { devEui: "010203040506070a", confirmed: false, hex: "0a0b" },
    });
  for (const content of ["", "0a0", "0g", "hello"])
    expect(asDownlink({ ...to, content })).toEqual({ problem: "content" });
});

test("base64 and JSON are checked before they are sent", () => {
  const read = (kind: "data" | "object", content: string) => asDownlink({ ...to, kind, content });
  expect(read("data", "AQI=")).toMatchObject({ form: { data: "AQI=" } });
  expect(read("data", "AQ I")).toEqual({ problem: "content" });
  expect(read("data", "")).toEqual({ problem: "content" });
  expect(read("object", '{"valve": 1}')).toMatchObject({ form: { object: { valve: 1 } } });
  expect(read("object", "5")).toEqual({ problem: "content" });
  expect(read("object", "{")).toEqual({ problem: "content" });
});

test("a selected device needs no EUI, and otherwise it must be one", () => {
  const content = "01";
  expect(asDownlink({ ...emptyDownlink, content, deviceId: "d", fPort: 7, confirmed: true })).toEqual({
    form: { deviceId: "d", fPort: 7, confirmed: true, hex: "01" },
  });
  expect(asDownlink({ ...emptyDownlink, content, devEui: "0102" })).toEqual({ problem: "device" });
});

test("what was sent is shown as bytes or as the object that became some", () => {
  expect(contentText({ data: "AQr/" })).toBe("01 0a ff");
  expect(contentText({ object: { valve: 1 } })).toBe('{"object":{"valve":1}}');
});
