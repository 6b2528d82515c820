import { Elysia } from "elysia";
import { iso } from "../../../lib/time/iso-time.ts";
import { ALL_DEVICES_ONLY } from "../../api/operation-errors.ts";
import type { AuthPlugin } from "../../identity/identity.plugin.ts";
import { discoveredBody } from "../integrations.schemas.ts";
import { createDiscoveredNetworks } from "./discovered-networks.ts";

/** Lists devices that publish to the embedded broker without being read by an integration. */
export const discoveredNetworksRoutes = ({
  auth,
  ...deps
}: Parameters<typeof createDiscoveredNetworks>[0] & { readonly auth: AuthPlugin }) => {
  const discovered = createDiscoveredNetworks(deps);
  return new Elysia({ prefix: "/api/integrations", tags: ["integrations"] }).use(auth).get(
    "/discovered",
    ({ principal }) => ({
      networks: discovered.list(principal).map(({ devices, lastMessageAt, ...network }) => ({
        ...network,
        devices: [...devices],
        lastMessageAt: iso(lastMessageAt),
      })),
    }),
    {
      auth: "integrations:write",
      response: { 200: discoveredBody },
      detail: {
        operationId: "listDiscoveredNetworks",
        summary: "List unread devices at this gateway's broker",
        description:
          "Recognizes Tasmota, Zigbee2MQTT, Shelly, Home Assistant discovery and Sparkplug B by the default topics on which MQTT clients have published since the gateway started.",
        errors: ALL_DEVICES_ONLY,
      },
    },
  );
};
