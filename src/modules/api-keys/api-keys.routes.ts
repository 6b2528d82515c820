import { iso } from "../../lib/time/iso-time.ts";
import { resourceRoutes } from "../api/resource.routes.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { apiKeyResource } from "./api-keys.resource.ts";
import type { ApiKeysService, ShownApiKey } from "./api-keys.service.ts";

const toWire = (apiKey: ShownApiKey) => ({
  ...apiKey,
  createdAt: iso(apiKey.createdAt),
  expiresAt: iso(apiKey.expiresAt),
  lastUsedAt: iso(apiKey.lastUsedAt),
});

export const apiKeysRoutes = ({ apiKeys, auth }: { apiKeys: ApiKeysService; auth: AuthPlugin }) =>
  resourceRoutes(apiKeyResource, {
    service: apiKeys,
    toWire,
    read: ({ principal }, id) => toWire(apiKeys.get(principal, id)),
    auth,
  });
