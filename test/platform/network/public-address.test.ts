import { expect, test } from "bun:test";
import { ConfigError, loadConfig } from "../../../src/platform/config/config.ts";
import { basePathOf, publicAddressOf } from "../../../src/platform/network/public-address.ts";

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig([], env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
}

test.each([
  [undefined, "", undefined],
  ["https://plant.example", "", "https://plant.example"],
  ["https://plant.example/", "", "https://plant.example"],
  ["https://plant.example:8443/lineside", "/lineside", "https://plant.example:8443/lineside"],
  ["https://plant.example/halls/7/", "/halls/7", "https://plant.example/halls/7"],
])("%s has the base path %p", (url, base, address) => {
  expect(basePathOf({ public_url: url })).toBe(base);
  expect(publicAddressOf({ public_url: url })).toBe(address);
});

test.each([
  ["https://plant.example/lineside?x=1", "no query"],
  ["https://plant.example/lineside#top", "no fragment"],
  ["https://plant.example/line%20side", "letters, digits"],
  ["https://plant.example//lineside", "letters, digits"],
  ['https://plant.example/"><script>', "letters, digits"],
  ["https://plant.example/api", "/api, which is a path of the gateway"],
  ["https://plant.example/devices/x", "/devices, which is a path of the gateway"],
  ["ftp://plant.example/", "http or https address"],
  ["https://[::1/", "http or https address"],
])("refuses %s as public_url", (url, reason) => {
  expect(mistakesOf({ LINESIDE_PUBLIC_URL: url })).toEqual([expect.stringContaining(reason)]);
});

test.each([
  ["127.0.0.1/33", "127.0.0.1/33"],
  ["127.0.0.1, proxy.example", "proxy.example"],
  ["10.0.0.0/8 192.168.1.1", "10.0.0.0/8 192.168.1.1"],
  ["fd00::/129", "fd00::/129"],
])("refuses %s as trusted_proxies", (list, entry) => {
  expect(mistakesOf({ LINESIDE_TRUSTED_PROXIES: list })).toEqual([
    `trusted_proxies: ${entry} is neither an address nor a network like 10.0.0.0/8.`,
  ]);
});

test("takes ports that are off, as long as one for HTTP remains", () => {
  const off = { LINESIDE_HTTP_PORT: "off", LINESIDE_MQTT_PORT: "off" };
  expect(loadConfig([], { ...off, LINESIDE_TLS: "auto" })).toMatchObject({
    http_port: "off",
    mqtt_port: "off",
  });
  expect(loadConfig(["--mqtt-port", "off"], {}).mqtt_port).toBe("off");
  const unreachable = [expect.stringContaining("http_port = off needs TLS")];
  expect(mistakesOf(off)).toEqual(unreachable);
  expect(mistakesOf({ ...off, LINESIDE_TLS: "auto", LINESIDE_HTTPS_PORT: "off" })).toEqual(unreachable);
  expect(mistakesOf({ LINESIDE_HTTP_PORT: "none" })).toEqual([
    expect.stringContaining("from 0 to 65535, or off"),
  ]);
});
