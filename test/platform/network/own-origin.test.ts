import { expect, test } from "bun:test";
import { hostname, networkInterfaces } from "node:os";
import { createOwnOrigin, hostForDevices } from "../../../src/platform/network/own-origin.ts";
import { OwnPorts } from "../../../src/platform/network/own-ports.ts";

function portsOf(numbers: { http: number; https?: number }): OwnPorts {
  const ports = new OwnPorts();
  ports.add("http", () => numbers.http);
  ports.add("https", () => numbers.https);
  return ports;
}

const PLAIN = { tls: "off", https_host: undefined, https_port: 8443 } as const;
const ON_8080 = portsOf({ http: 8080, https: 8443 });
const everywhere = createOwnOrigin({ public_url: undefined, http_host: "0.0.0.0", ...PLAIN }, ON_8080);
const outward = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ internal, family }) => !internal && family === "IPv4")
  .map(({ address }) => address);
const fallback = `http://${outward[0] ?? hostname().toLowerCase()}:8080`;

test.each([
  "http://evil.example/idp/forgot",
  "http://evil.example:8080/",
  "http://localhost:9999/",
  "http://localhost:8080/",
  "http://127.0.0.1:9999/",
  "http://[::1]:9999/",
])("who asks as %s gets a link to this machine and the port that is listened on", (asked) => {
  expect(everywhere({ url: asked })).toBe(fallback);
});

test("who asks by TLS gets a link to the port with TLS, where there is one", () => {
  for (const asked of ["https://evil.example/", "https://localhost/"])
    expect(everywhere({ url: asked })).toBe(
      fallback.replace("http://", "https://").replace(":8080", ":8443"),
    );
  const plain = createOwnOrigin(
    { public_url: undefined, http_host: "10.1.2.3", ...PLAIN },
    portsOf({ http: 8080 }),
  );
  expect(plain({ url: "https://evil.example/" })).toBe("http://10.1.2.3:8080");
});

test("an own name or address is kept, its port is not", () => {
  const own = hostname().toLowerCase();
  for (const host of [...outward, ...(own === "localhost" ? [] : [own, `${own}.local`])])
    expect(everywhere({ url: `http://${host}:9999/idp/forgot` })).toBe(`http://${host}:8080`);
});

test("a gateway that listens on one address only is found there", () => {
  const on = (host: string) =>
    createOwnOrigin({ public_url: undefined, http_host: host, ...PLAIN }, portsOf({ http: 81 }));
  expect(on("10.1.2.3")({ url: "http://localhost:9999/" })).toBe("http://10.1.2.3:81");
  expect(on("fd00::5")({ url: "http://evil.example/" })).toBe("http://[fd00::5]:81");
});

test("what the configuration says is what is said", () => {
  const said = createOwnOrigin(
    { public_url: "https://iot.plant.example/x", http_host: "0.0.0.0", ...PLAIN },
    ON_8080,
  );
  expect(said({ url: "http://localhost:9999/" })).toBe("https://iot.plant.example/x");
});

test("a gateway that others reach by TLS only has links to its port with TLS", () => {
  const config = {
    ...PLAIN,
    tls: "auto",
    public_url: undefined,
    http_host: "127.0.0.1",
    https_host: "10.1.2.3",
  } as const;
  expect(createOwnOrigin(config, ON_8080)({ url: "http://localhost:8080/" })).toBe("https://10.1.2.3:8443");
});

test("devices get an outward address in place of localhost, if the gateway listens on it", () => {
  const lan = outward[0];
  for (const asked of ["localhost", "127.0.0.1", "[::1]"]) {
    if (lan !== undefined) expect(hostForDevices(asked, "0.0.0.0")).toBe(lan);
    expect(hostForDevices(asked, "127.0.0.1")).toBe(asked);
  }
  expect(hostForDevices("plant.example", "0.0.0.0")).toBe("plant.example");
});
