import { createApiKeyBody } from "../../modules/api-keys/api-keys.schemas.ts";
import type { ApiClient } from "../api-client.ts";
import type { Section } from "./section.types.ts";
import type { Fields } from "./site.types.ts";

const API_KEYS = "/api/api-keys";

/** The name that a key has while its successor is created. */
const replacedName = (name: unknown): string => `${String(name).slice(0, 80)} (being replaced)`;

/** Creates the successor before the key is revoked: if the gateway refuses it, programs keep the key that they have. */
async function replaceKey(
  api: ApiClient,
  { id, body, current }: { id: string; body: Fields; current: Fields },
): Promise<Fields> {
  await api.patch(`${API_KEYS}/${id}`, { name: replacedName(current.name) });
  const created = await api.post<Fields>(API_KEYS, body).catch(async (error: unknown) => {
    await api.patch(`${API_KEYS}/${id}`, { name: current.name });
    throw error;
  });
  await api.delete(`${API_KEYS}/${id}`);
  return created;
}

/** API keys without their secrets: the gateway that gets a key shows the secret to whoever applies the file. */
export const apiKeysSection: Section = {
  name: "apiKeys",
  key: "name",
  id: "apiKeyId",
  path: API_KEYS,
  schema: createApiKeyBody,
  permission: "api-keys:manage",
  unordered: ["deviceIds"],
  times: ["expiresAt"],
  prunes: true,
  toFields: ({ hasGlobalDeviceAccess, deviceIds, ...apiKey }) => ({
    ...apiKey,
    ...(hasGlobalDeviceAccess === false && { deviceIds }),
  }),
  // A key that cannot be used here would be a new access elsewhere, and one without a device left would see all of them.
  isExported: ({ status, hasGlobalDeviceAccess, deviceIds }) =>
    status === "ACTIVE" &&
    (hasGlobalDeviceAccess === true || (Array.isArray(deviceIds) && deviceIds.length > 0)),
  replace: replaceKey,
  secretLine: ({ name, key }) => JSON.stringify({ apiKey: name, key }),
};
