import { conflict, notFound } from "../../lib/core/domain-error.ts";
import { defineResource } from "../api/resource.ts";
import { apiKeyBody, createApiKeyBody, createdApiKeyBody, updateApiKeyBody } from "./api-keys.schemas.ts";
import { apiKeys } from "./api-keys.tables.ts";

const ADMINS_ONLY = "For owners and administrators, but not for API keys.";

export const apiKeyResource = defineResource({
  name: "api_key",
  table: apiKeys,
  key: "apiKeyId",
  path: "/api/api-keys",
  tag: "api keys",
  permissions: { read: "api-keys:manage", write: "api-keys:manage" },
  order: { by: "name", ignoresCase: true },
  list: { sort: ["name", "role", "createdAt", "expiresAt", "lastUsedAt"], search: ["name"] },
  notFound: () => notFound("api_key.not_found"),
  unique: [{ column: "name", taken: () => conflict("api_key.name_taken") }],
  limit: { max: 1_000, reached: (max) => conflict("api_key.too_many", { max }) },
  schemas: {
    item: apiKeyBody,
    created: createdApiKeyBody,
    create: createApiKeyBody,
    update: updateApiKeyBody,
  },
  operations: {
    list: {
      summary: "List API keys",
      description: `The list is sorted by name and does not contain the keys themselves. ${ADMINS_ONLY}`,
    },
    create: {
      summary: "Create an API key",
      description: `Send the key as \`Authorization: Bearer lsk_…\`. Only this response shows it. The key never has more permissions than its creator currently has: it stops working while the creator is disabled and when the creator is deleted. ${ADMINS_ONLY}`,
      errors: {
        400: "The expiry is in the past, or the caller does not see one of the devices.",
        403: "Requires an owner or administrator who does not act as another user. The key's role cannot be above the caller's.",
        409: "The name is taken, or the tenant has too many keys.",
      },
      example: { name: "ERP", role: "TENANT_READ_ONLY", expiresAt: "2027-12-31T00:00:00Z" },
    },
    update: {
      action: "rename",
      summary: "Rename an API key",
      description: `Role, devices and expiry cannot change; create another key instead. ${ADMINS_ONLY}`,
      errors: { 404: "The API key is unknown.", 409: "The name is taken." },
      example: { name: "ERP of plant north" },
    },
    delete: {
      action: "revoke",
      summary: "Revoke an API key",
      description: `The key and the streams that it opened end immediately. ${ADMINS_ONLY}`,
      errors: { 404: "The API key is unknown." },
    },
  },
});

export type ApiKey = typeof apiKeyResource.$item;
