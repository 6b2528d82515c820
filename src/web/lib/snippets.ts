// What a newcomer copies to send the first value: one complete program per tool, with this host, these ports and this token.

export interface Endpoint {
  readonly host: string;
  readonly mqttPort: number;
  readonly httpOrigin: string;
  readonly token: string;
}

export interface CatalogTransport {
  readonly id: string;
  readonly name: string;
  readonly url: string;
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

const LOCAL_HOSTS = new Set(["localhost", "127.0.0.1", "0.0.0.0", "[::]", "[::1]"]);

/**
 * The address that a device should use. A catalogue that only knows itself as "localhost" is of no use to a device, so then the
 * host under which this very page was opened is taken.
 */
export function endpointFrom(
  transports: readonly CatalogTransport[],
  page: { hostname: string; origin: string },
  token: string,
): Endpoint {
  const mqtt = urlOf(transports.find((t) => t.id === "mqtt")?.url);
  const http = urlOf(transports.find((t) => t.id === "http")?.url);
  const host = mqtt && !LOCAL_HOSTS.has(mqtt.hostname) ? mqtt.hostname : page.hostname;
  return {
    host,
    mqttPort: Number(mqtt?.port) || 1883,
    httpOrigin: http && !LOCAL_HOSTS.has(http.hostname) ? http.origin : page.origin,
    token,
  };
}

function urlOf(text: string | undefined): URL | undefined {
  // Schemes that a browser does not know have no host in its URL type, so the scheme is swapped for one that has.
  return text ? (URL.parse(text.replace(/^mqtts?:/, "http:").replace(/[{}]/g, "")) ?? undefined) : undefined;
}

const TOPIC = "v1/devices/me/telemetry";

export function snippet(id: SnippetId, e: Endpoint): string {
  return WRITERS[id](e);
}

const WRITERS: Record<SnippetId, (e: Endpoint) => string> = {
  mosquitto: (e) =>
    `mosquitto_pub -h ${e.host} -p ${e.mqttPort} -q 1 \\\n  -u "${e.token}" \\\n  -t ${TOPIC} \\\n  -m '{"temperature": 21.5}'`,
  curl: (e) =>
    `curl -i -X POST ${e.httpOrigin}/api/v1/${e.token}/telemetry \\\n  -H 'content-type: application/json' \\\n  -d '{"payload": {"temperature": 21.5}}'`,
  python: (e) => `# pip install "paho-mqtt>=2"
import json, random, time
import paho.mqtt.client as mqtt

client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2)
client.username_pw_set("${e.token}")
client.connect("${e.host}", ${e.mqttPort})
client.loop_start()

while True:
    values = {"temperature": round(random.uniform(20, 24), 1)}
    client.publish("${TOPIC}", json.dumps(values), qos=1).wait_for_publish()
    time.sleep(5)
`,
  node: (e) => `// npm install mqtt
import mqtt from "mqtt";

const client = await mqtt.connectAsync("mqtt://${e.host}:${e.mqttPort}", { username: "${e.token}" });

setInterval(async () => {
  const values = { temperature: +(20 + Math.random() * 4).toFixed(1) };
  await client.publishAsync("${TOPIC}", JSON.stringify(values), { qos: 1 });
}, 5000);
`,
  arduino: (e) => `// Library: PubSubClient (Nick O'Leary)
#include <WiFi.h>
#include <PubSubClient.h>

WiFiClient net;
PubSubClient mqtt(net);

void setup() {
  WiFi.begin("YOUR-WIFI", "YOUR-PASSWORD");
  while (WiFi.status() != WL_CONNECTED) delay(250);
  mqtt.setServer("${e.host}", ${e.mqttPort});
}

void loop() {
  while (!mqtt.connected()) {
    if (!mqtt.connect("", "${e.token}", "")) delay(2000);
  }
  mqtt.publish("${TOPIC}", "{\\"temperature\\": 21.5}");
  for (int i = 0; i < 50; i++) { mqtt.loop(); delay(100); }
}
`,
};

/** What a gateway's newcomer copies to see the first child device appear. */
export const gatewaySnippet = (e: Endpoint): string =>
  [
    `mosquitto_pub -h ${e.host} -p ${e.mqttPort} -u "${e.token}" -q 1`,
    "-t v1/gateway/telemetry",
    `-m '{"Meter 1": [{"power": 4.2}], "Meter 2": [{"power": 1}]}'`,
  ].join(" \\\n  ");
