import { describe, expect, test } from "bun:test";
import {
  endpointFrom,
  hasTls,
  SNIPPET_IDS,
  snippet,
  snippetsFor,
} from "../../../../src/web/features/connect/snippets.ts";
import { kindOf, parseEditorText, toEditorText } from "../../../../src/web/lib/attribute-value.ts";

const page = { hostname: "gateway.local", origin: "http://gateway.local:8080" };
const catalog = (mqtt: string, http: string) => [
  { id: "mqtt", name: "MQTT", url: mqtt },
  { id: "http", name: "HTTP", url: http },
];

const plain = { signIn: { kind: "token", token: "t" }, secure: false } as const;

describe("the examples of the Connect tab", () => {
  test("carry the real host, port and token in every tool", () => {
    const endpoint = endpointFrom(
      catalog("mqtt://10.0.0.7:11883", "http://10.0.0.7:18080/api/v1/{deviceToken}/telemetry"),
      page,
      { signIn: { kind: "token", token: "tOkEn" }, secure: false },
    );
    for (const id of SNIPPET_IDS) {
      const text = snippet(id, endpoint);
      expect(text).toContain("10.0.0.7");
      expect(text).toContain("tOkEn");
      expect(text).toContain(id === "curl" ? "18080" : "11883");
    }
  });

  test("take the page's host where the catalogue only knows itself as localhost", () => {
    const endpoint = endpointFrom(catalog("mqtt://localhost:11883", "http://localhost:8080/x"), page, plain);
    expect(endpoint).toEqual({
      host: "gateway.local",
      mqttPort: 11883,
      httpOrigin: "http://gateway.local:8080",
      secure: false,
      signIn: plain.signIn,
    });
  });

  test("go by TLS with the ports of TLS, and tell which file to trust", () => {
    const transports = [
      ...catalog("mqtt://localhost:11883", "http://localhost:8080/x"),
      { id: "mqtts", name: "", url: "mqtts://localhost:18883" },
      { id: "https", name: "", url: "https://localhost:18443/x" },
    ];
    expect(hasTls(transports)).toBe(true);
    const endpoint = endpointFrom(transports, page, { ...plain, secure: true });
    expect(endpoint).toMatchObject({ mqttPort: 18883, httpOrigin: "https://gateway.local:18443" });
    for (const id of ["mosquitto", "curl", "python", "node"] as const)
      expect(snippet(id, endpoint)).toContain("ca.pem");
  });

  test("carry user name and client id, or the files of a certificate, and no token", () => {
    const basic = endpointFrom([], page, {
      signIn: { kind: "basic", username: "pump", clientId: "pump-7" },
      secure: false,
    });
    expect(snippetsFor(basic.signIn)).not.toContain("curl");
    for (const id of snippetsFor(basic.signIn))
      for (const part of ["pump-7", /\bpump\b(?!-)/, "THE-PASSWORD"])
        expect(snippet(id, basic)).toMatch(part);
    const certificate = endpointFrom([], page, { signIn: { kind: "certificate" }, secure: true });
    for (const id of snippetsFor(certificate.signIn))
      expect(snippet(id, certificate)).toContain("device.key");
  });

  test("have sane defaults when the catalogue is empty", () => {
    expect(endpointFrom([], page, plain)).toMatchObject({ host: "gateway.local", mqttPort: 1883 });
  });
});

describe("an edited attribute value", () => {
  test("comes back as the type that it had", () => {
    for (const value of ["21", 21.5, true, { a: [1, null] }, [1, 2], ""]) {
      expect(parseEditorText(toEditorText(value), kindOf(value))).toEqual(value);
    }
  });

  test("is refused when it is not of the selected type, and takes a decimal comma", () => {
    expect(parseEditorText("21,5", "number")).toBe(21.5);
    expect(parseEditorText("", "number")).toBeUndefined();
    expect(parseEditorText("abc", "number")).toBeUndefined();
    expect(parseEditorText("{a:1}", "json")).toBeUndefined();
  });
});
