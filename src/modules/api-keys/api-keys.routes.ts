import { Elysia, t } from "elysia";
import { iso, parseIsoTime } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import { apiKeyExpiryInvalid } from "./api-keys.errors.ts";
import { apiKeyBody, createApiKeyBody, createdApiKeyBody, updateApiKeyBody } from "./api-keys.schemas.ts";
import type { ApiKeysService } from "./api-keys.service.ts";
import type { ApiKeyDetail } from "./api-keys.types.ts";

const apiKeyList = wholeList({
  sort: ["name", "role", "createdAt", "expiresAt", "lastUsedAt"],
  search: ["name"],
});

const toWire = (apiKey: ApiKeyDetail) => ({
  ...apiKey,
  deviceIds: [...apiKey.deviceIds],
  createdAt: iso(apiKey.createdAt),
  expiresAt: iso(apiKey.expiresAt),
  lastUsedAt: iso(apiKey.lastUsedAt),
});

function parseExpiry(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
  const timeMs = parseIsoTime(text);
  if (timeMs === undefined) throw apiKeyExpiryInvalid();
  return timeMs;
}

const adminsOnly = "Owners and administrators only: 403 for others and for API keys.";

const readFrom =
  (apiKeys: ApiKeysService) =>
  ({ principal }: AuditContext, id: string) => {
    const apiKey = apiKeys.list(principal).find(({ apiKeyId }) => apiKeyId === id);
    return apiKey && toWire(apiKey);
  };

export const apiKeysRoutes = ({ apiKeys, auth }: { apiKeys: ApiKeysService; auth: AuthPlugin }) =>
  new Elysia({ prefix: "/api/api-keys", tags: ["api keys"] })
    .use(auth)
    .get(
      "",
      ({ principal, query, request, set }) =>
        apiKeyList.page({ query, request, set }, apiKeys.list(principal).map(toWire)),
      {
        auth: "api-keys:manage",
        query: t.Object(apiKeyList.fields),
        response: { 200: t.Array(apiKeyBody) },
        detail: {
          summary: "List API keys",
          description: `The list is sorted by name and does not contain the keys themselves. ${adminsOnly}`,
        },
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        const { apiKey, secret } = apiKeys.create(principal, {
          ...body,
          expiresAt: parseExpiry(body.expiresAt),
        });
        set.status = 201;
        return { ...toWire(apiKey), key: secret };
      },
      {
        auth: "api-keys:manage",
        audit: { action: "api_key.create", target: "api_key", created: "apiKeyId", read: readFrom(apiKeys) },
        body: createApiKeyBody,
        response: { 201: createdApiKeyBody },
        detail: {
          summary: "Create an API key",
          description: `A program sends it as \`Authorization: Bearer lsk_…\`. The answer is the only one that shows it. The key acts within what its creator may do at that moment: it stops while the creator is disabled and when the creator is deleted. 400 for an expiry in the past or a device that the caller does not see; 403 also for a role above the caller's and for somebody who acts as another user; 409 when the name is taken or the tenant has too many keys. ${adminsOnly}`,
        },
      },
    )
    .patch(
      "/:apiKeyId",
      ({ principal, params, body }) => toWire(apiKeys.rename(principal, params.apiKeyId, body.name)),
      {
        auth: "api-keys:manage",
        audit: { action: "api_key.rename", target: "api_key", read: readFrom(apiKeys) },
        body: updateApiKeyBody,
        response: { 200: apiKeyBody },
        detail: {
          summary: "Rename an API key",
          description: `Role, devices and expiry cannot change; create another key instead. 404 unknown; 409 when the name is taken. ${adminsOnly}`,
        },
      },
    )
    .delete(
      "/:apiKeyId",
      ({ principal, params }) => {
        apiKeys.delete(principal, params.apiKeyId);
        return { success: true };
      },
      {
        auth: "api-keys:manage",
        audit: { action: "api_key.revoke", target: "api_key", read: readFrom(apiKeys) },
        response: { 200: successBody },
        detail: {
          summary: "Revoke an API key",
          description: `The key and the streams that it opened end at once. 404 unknown. ${adminsOnly}`,
        },
      },
    );
