import english from "../../src/lib/texts/console.en.json";
import { clientTopics, type Network, networks } from "../../src/web/features/integrations/network-list.ts";
import type { TestApp } from "../support/test-app.ts";
import { untilAnswer } from "../support/until.ts";

/** Steps on the console that a quick start describes, taken through the API, and the results that it shows. */

export const isQuickStart = (name: string): boolean => name.startsWith("docs/quick-start-");

/** Returns the first block of code in a language. */
export const codeIn = (text: string, language: string): string =>
  new RegExp(`^ *\`\`\`${language}\n([\\s\\S]*?)^ *\`\`\``, "m").exec(text)?.[1] ?? "";

interface Site {
  readonly fixture: TestApp;
  readonly accessToken: string;
  readonly create: (path: string, body: unknown) => Promise<Record<string, string>>;
}

/** Creates the integration and its MQTT client, or its webhook secret, as the page “Connect something” does. */
async function connectNetwork(
  network: Network,
  { fixture, accessToken, create }: Site,
): Promise<Record<string, string>> {
  const topicFilter = "topics" in network ? network.topics.split("\n") : undefined;
  const { integrationId = "", webhookUrl = "" } = await create("/api/integrations", {
    name: english[`network.${network.id}`],
    type: network.type,
    status: "active",
    settings_json: {
      autoCreateDevice: true,
      ...("format" in network && { format: network.format }),
      ...(topicFilter && { mqtt: { brokerUrl: "local:", topicFilter } }),
    },
  });
  await untilAnswer(
    () => fixture.call("GET", `/api/integrations/${integrationId}`, { token: accessToken }),
    ({ body }) => topicFilter === undefined || body.bridge?.status === "connected",
  );
  if (topicFilter === undefined) {
    const { secret = "" } = await create("/api/tenant/integration/rotate-secret", {});
    return { WEBHOOK: webhookUrl, SECRET: secret };
  }
  const { publish = topicFilter, subscribe = [] } = clientTopics[network.id] ?? {};
  const username = `${network.id}-${integrationId.slice(-6)}`;
  const client = { name: "Devices", signIn: "PASSWORD", username, publish, subscribe };
  const { password = "" } = await create("/api/mqtt/clients", client);
  return { NAME: username, PASSWORD: password };
}

/** Returns the variables that the page asks its reader to set. */
export async function followSteps(text: string, site: Site): Promise<Record<string, string>> {
  const chosen = /\*\*Integrations → Create integration → ([^*]+)\*\*/.exec(text)?.[1];
  const network = networks.find(({ id }) => english[`network.${id}`] === chosen);
  if (network !== undefined) return connectNetwork(network, site);
  const name = /enter `([^`]+)` as the name/.exec(text)?.[1];
  if (name === undefined) return {};
  const role = text.includes("**This is a gateway**") ? "GATEWAY" : "DEVICE";
  const { token } = await site.fixture.createDevice(site.accessToken, { name, role });
  return { TOKEN: token };
}

/** Returns a pattern of everything that the commands of the page print; `…` in the page stands for anything. */
export function shownOutput(text: string): RegExp {
  const output = /`mosquitto_pub` prints (nothing)|`curl` prints `([^`]*)`/.exec(text);
  if (output === null) throw new Error("the page does not show what its commands print");
  const parts = (output[2] ?? "").split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}

/** Returns the tables of newest values, by device. */
export const shownValues = (text: string): Array<readonly [device: string, values: object]> =>
  [...text.matchAll(/evice `([^`]+)` now has these values:\n\n((?:\|.*\n)+)/g)].map(
    ([, device = "", table = ""]) => {
      const rows = table.matchAll(/^\| `([^`]+)` \| (.*) \|$/gm);
      return [device, Object.fromEntries([...rows].map(([, key, value = ""]) => [key, JSON.parse(value)]))];
    },
  );
