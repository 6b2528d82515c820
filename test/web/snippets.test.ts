import { describe, expect, test } from "bun:test";
import { kindOf, parseEditorText, toEditorText } from "../../src/web/lib/attribute-value.ts";
import { endpointFrom, SNIPPET_IDS, snippet } from "../../src/web/lib/snippets.ts";

const page = { hostname: "gateway.local", origin: "http://gateway.local:8080" };
const catalog = (mqtt: string, http: string) => [
  { id: "mqtt", name: "MQTT", url: mqtt },
  { id: "http", name: "HTTP", url: http },
];

describe("the examples of the Connect tab", () => {
  test("carry the real host, port and token in every tool", () => {
    const endpoint = endpointFrom(
      catalog("mqtt://10.0.0.7:11883", "http://10.0.0.7:18080/api/v1/{deviceToken}/telemetry"),
      page,
      "tOkEn",
    );
    for (const id of SNIPPET_IDS) {
      const text = snippet(id, endpoint);
      expect(text).toContain("10.0.0.7");
      expect(text).toContain("tOkEn");
      expect(text).toContain(id === "curl" ? "18080" : "11883");
    }
  });

  test("take the page's host where the catalogue only knows itself as localhost", () => {
    const endpoint = endpointFrom(catalog("mqtt://localhost:11883", "http://localhost:8080/x"), page, "t");
    expect(endpoint).toEqual({
      host: "gateway.local",
      mqttPort: 11883,
      httpOrigin: "http://gateway.local:8080",
      token: "t",
    });
  });

  test("have sane defaults when the catalogue is empty", () => {
    expect(endpointFrom([], page, "t")).toMatchObject({ host: "gateway.local", mqttPort: 1883 });
  });
});

describe("an edited attribute value", () => {
  test("comes back as the type that it had", () => {
    for (const value of ["21", 21.5, true, { a: [1, null] }, [1, 2], ""]) {
      expect(parseEditorText(toEditorText(value), kindOf(value))).toEqual(value);
    }
  });

  test("is refused when it is not of the chosen type, and takes a decimal comma", () => {
    expect(parseEditorText("21,5", "number")).toBe(21.5);
    expect(parseEditorText("", "number")).toBeUndefined();
    expect(parseEditorText("abc", "number")).toBeUndefined();
    expect(parseEditorText("{a:1}", "json")).toBeUndefined();
  });
});
