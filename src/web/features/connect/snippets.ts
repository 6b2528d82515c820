// What a user copies to send the first value: one complete program per tool, with this host, these ports and this sign-in.

import type { CatalogTransport } from "./connectivity-api.ts";
import { commandLine, type ShellId } from "./shells.ts";

/** Known part of the credentials of the device. A password is only shown once. */
export type SnippetSignIn =
  | { readonly kind: "token"; readonly token: string }
  | {
      readonly kind: "basic";
      readonly username?: string;
      readonly clientId?: string;
      readonly password?: string;
    }
  | { readonly kind: "certificate" };

export interface Endpoint {
  readonly host: string;
  readonly mqttPort: number;
  readonly httpOrigin: string;
  readonly secure: boolean;
  readonly signIn: SnippetSignIn;
}

export type SnippetId = "mosquitto" | "curl" | "python" | "node" | "arduino";
export const SNIPPET_IDS: readonly SnippetId[] = ["mosquitto", "curl", "python", "node", "arduino"];
export const SNIPPET_NAMES: Record<SnippetId, string> = {
  mosquitto: "mosquitto_pub",
  curl: "curl",
  python: "Python",
  node: "Node.js",
  arduino: "Arduino",
};

/** Returns the examples for a kind of credentials. Over HTTP, a device only has its token. */
export const snippetsFor = ({ kind }: SnippetSignIn): readonly SnippetId[] =>
  kind === "token" ? SNIPPET_IDS : SNIPPET_IDS.filter((id) => id !== "curl");

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "0.0.0.0", "[::]", "[::1]"]);

interface Wanted {
  readonly signIn: SnippetSignIn;
  readonly secure: boolean;
}

/** Returns the address for devices. If the catalog only contains "localhost", which is useless for a device, it is the host of this page. */
export function endpointFrom(
  transports: readonly CatalogTransport[],
  page: { hostname: string; origin: string },
  { signIn, secure }: Wanted,
): Endpoint {
  const find = (id: string) => urlOf(transports.find((t) => t.id === id)?.url);
  const mqtt = find(secure ? "mqtts" : "mqtt");
  const http = find(secure ? "https" : "http");
  const isKnown = mqtt && !LOCAL_HOSTS.has(mqtt.hostname);
  const host = isKnown ? mqtt.hostname : page.hostname;
  const isHttpKnown = http && !LOCAL_HOSTS.has(http.hostname);
  const ownOrigin =
    secure && http ? rootOf(http).replace(http.host, `${page.hostname}:${http.port}`) : page.origin;
  return {
    host,
    mqttPort: Number(mqtt?.port) || (secure ? 8883 : 1883),
    httpOrigin: isHttpKnown ? rootOf(http) : ownOrigin,
    secure,
    signIn,
  };
}

/** Returns the address without the path of the API, after an optional base path. */
const rootOf = ({ origin, pathname }: URL): string =>
  origin + (/^(.*?)\/api\/v1\//.exec(pathname)?.[1] ?? "");

/** Returns whether devices only reach the gateway by TLS. */
export const needsTls = (transports: readonly CatalogTransport[]) =>
  hasTls(transports) && !transports.some(({ id }) => id === "mqtt");

export const hasTls = (transports: readonly CatalogTransport[]) =>
  transports.some(({ id }) => id === "mqtts");

function urlOf(text: string | undefined): URL | undefined {
  // Schemes that a browser does not know have no host in its URL type, so the scheme is swapped for one that has.
  return text ? (URL.parse(text.replace(/^mqtts?:/, "http:").replace(/[{}]/g, "")) ?? undefined) : undefined;
}

const TOPIC = "v1/devices/me/telemetry";
/** Placeholder that the user must replace. */
const PASSWORD = "THE-PASSWORD";

/** Returns whether the example of a tool is a command, which depends on the shell. */
export const isCommand = (id: SnippetId): boolean => id === "mosquitto" || id === "curl";

export function snippet(id: SnippetId, e: Endpoint, shell: ShellId = "posix"): string {
  return WRITERS[id](e, shell);
}

const mosquitto = { program: "mosquitto_pub", option: "-m", stdinOption: "-s" } as const;
const mosquittoHost = (e: Endpoint) => [
  ...(e.secure ? ["--cafile", "ca.pem"] : []),
  "-h",
  e.host,
  "-p",
  String(e.mqttPort),
];

const tokenOf = ({ signIn }: Endpoint) => (signIn.kind === "token" ? signIn.token : "TOKEN");
/** Returns user name, password and client id if needed; empty otherwise. */
function namesOf({ signIn }: Endpoint): { username: string; password: string; clientId: string } {
  if (signIn.kind === "token") return { username: signIn.token, password: "", clientId: "" };
  if (signIn.kind === "certificate") return { username: "", password: "", clientId: "" };
  const { username = "", clientId = "", password = PASSWORD } = signIn;
  // A user name must be there where there is a password; of a device known by its client id it may be any.
  return { username: username || clientId, password, clientId };
}

function mosquittoSignIn(e: Endpoint): string[] {
  if (e.signIn.kind === "certificate") return ["--cert", "device.pem", "--key", "device.key"];
  const { username, password, clientId } = namesOf(e);
  return [
    ...(clientId === "" ? [] : ["-i", clientId]),
    "-u",
    username,
    ...(password === "" ? [] : ["-P", password]),
  ];
}

function pythonSignIn(e: Endpoint): string {
  const { username, password } = namesOf(e);
  const files = e.signIn.kind === "certificate" ? ', certfile="device.pem", keyfile="device.key"' : "";
  const tls = e.secure ? `client.tls_set("ca.pem"${files})\n` : "";
  const names = username && `client.username_pw_set("${username}"${password && `, "${password}"`})\n`;
  return names + tls;
}

function nodeOptions(e: Endpoint): string {
  const { username, password, clientId } = namesOf(e);
  const read = (file: string) => `readFileSync("${file}")`;
  const parts = [
    username && `username: "${username}"`,
    password && `password: "${password}"`,
    clientId && `clientId: "${clientId}"`,
    e.secure && `ca: ${read("ca.pem")}`,
    e.signIn.kind === "certificate" && `cert: ${read("device.pem")}, key: ${read("device.key")}`,
  ];
  return parts.filter(Boolean).join(", ");
}

const WRITERS: Record<SnippetId, (e: Endpoint, shell: ShellId) => string> = {
  mosquitto: (e, shell) =>
    commandLine(shell, {
      ...mosquitto,
      lines: [[...mosquittoHost(e), "-q", "1"], mosquittoSignIn(e), ["-t", TOPIC]],
      text: '{"temperature": 21.5}',
    }),
  curl: (e, shell) =>
    commandLine(shell, {
      program: "curl",
      lines: [
        [
          "-i",
          ...(e.secure ? ["--cacert", "ca.pem"] : []),
          "-X",
          "POST",
          `${e.httpOrigin}/api/v1/${tokenOf(e)}/telemetry`,
        ],
        ["-H", "content-type: application/json"],
      ],
      option: "-d",
      stdinOption: "-d @-",
      text: '{"payload": {"temperature": 21.5}}',
    }),
  python: (e) => `# pip install "paho-mqtt>=2"
import json, random, time
import paho.mqtt.client as mqtt

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2${namesOf(e).clientId && `, client_id="${namesOf(e).clientId}"`})
${pythonSignIn(e)}client.connect("${e.host}", ${e.mqttPort})
client.loop_start()

while True:
    values = {"temperature": round(random.uniform(20, 24), 1)}
    client.publish("${TOPIC}", json.dumps(values), qos=1).wait_for_publish()
    time.sleep(5)
`,
  node: (e) => `// npm install mqtt
${e.secure ? 'import { readFileSync } from "node:fs";\n' : ""}import mqtt from "mqtt";

const client = await mqtt.connectAsync("${e.secure ? "mqtts" : "mqtt"}://${e.host}:${e.mqttPort}", { ${nodeOptions(e)} });

setInterval(async () => {
  const values = { temperature: +(20 + Math.random() * 4).toFixed(1) };
  await client.publishAsync("${TOPIC}", JSON.stringify(values), { qos: 1 });
}, 5000);
`,
  arduino: (e) => `// Library: PubSubClient (Nick O'Leary)
#include <WiFi.h>
${e.secure ? "#include <WiFiClientSecure.h>\n" : ""}#include <PubSubClient.h>

${e.secure ? '// The text of ca.pem between R"( and )".\nconst char* CA = R"(-----BEGIN CERTIFICATE-----)";\n' : ""}${
  e.signIn.kind === "certificate"
    ? 'const char* CERT = R"(text of device.pem)";\nconst char* KEY = R"(text of device.key)";\n'
    : ""
}${e.secure ? "WiFiClientSecure" : "WiFiClient"} net;
PubSubClient mqtt(net);

void setup() {
  WiFi.begin("YOUR-WIFI", "YOUR-PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(250);
${e.secure ? "  net.setCACert(CA);\n" : ""}${
  e.signIn.kind === "certificate" ? "  net.setCertificate(CERT);\n  net.setPrivateKey(KEY);\n" : ""
}  mqtt.setServer("${e.host}", ${e.mqttPort});
}

void loop() {
  while (!mqtt.connected()) {
    if (!mqtt.connect("${namesOf(e).clientId}", "${namesOf(e).username}", "${namesOf(e).password}")) delay(2000);
  }
  mqtt.publish("${TOPIC}", "{\\"temperature\\": 21.5}");
  for (int i = 0; i < 50; i++) { mqtt.loop(); delay(100); }
}
`,
};

/** Returns commands for a new gateway that create its first child device. */
export const gatewaySnippet = (e: Endpoint, shell: ShellId = "posix"): string =>
  commandLine(shell, {
    ...mosquitto,
    lines: [
      [...mosquittoHost(e), "-u", tokenOf(e), "-q", "1"],
      ["-t", "v1/gateway/telemetry"],
    ],
    text: '{"Meter 1": [{"power": 4.2}], "Meter 2": [{"power": 1}]}',
  });
