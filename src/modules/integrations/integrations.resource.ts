import { ALL_DEVICES_ONLY } from "../api/operation-errors.ts";
import { defineResource } from "../api/resource.ts";
import { integrationNotFound, integrationsLimit } from "./integrations.errors.ts";
import {
  createIntegrationBody,
  integrationBody,
  integrationFilters,
  OWN_DISCOVERY,
  updateIntegrationBody,
} from "./integrations.schemas.ts";
import { integrations } from "./integrations.tables.ts";

const INTEGRATIONS_MAX = 100;

/** Other networks and programs that send data of devices. */
export const integrationResource = defineResource({
  name: "integration",
  table: integrations,
  key: "integrationId",
  path: "/api/integrations",
  tag: "integrations",
  permissions: { read: "integrations:read", write: "integrations:write" },
  order: { by: "name", ignoresCase: true },
  list: {
    sort: ["name", "type", "status", "createdAt", "updatedAt"],
    search: ["name"],
    filters: integrationFilters,
  },
  notFound: integrationNotFound,
  limit: { max: INTEGRATIONS_MAX, reached: integrationsLimit },
  schemas: { item: integrationBody, create: createIntegrationBody, update: updateIntegrationBody },
  operations: {
    list: { summary: "List integrations, by name" },
    create: {
      summary: "Create an integration",
      description:
        "The integration is a draft unless `status` says otherwise. The first running integration of a type becomes the default of the type; a draft or a paused one never does.",
      errors: {
        ...ALL_DEVICES_ONLY,
        400: "A setting is invalid; the message names it.",
        404: "The codec or profile is unknown.",
        409: `There are already ${INTEGRATIONS_MAX} integrations, another running integration receives the same announcements for Home Assistant, or \`isDefault\` is set on an integration that is not running.`,
      },
      example: {
        name: "ChirpStack",
        type: "CHIRPSTACK",
        status: "active",
        settings_json: { autoCreateDevice: true, deviceType: "room sensor" },
      },
    },
    get: { summary: "Get an integration" },
    update: {
      summary: "Change an integration",
      description: "The change applies immediately.",
      errors: { ...OWN_DISCOVERY, ...ALL_DEVICES_ONLY },
      example: { settings_json: { radioMetadata: false } },
    },
    delete: {
      summary: "Delete an integration",
      description:
        "Deletes its events and stored messages too; its devices stay. If it was the default of its type, the oldest running integration of the type becomes the default.",
      errors: ALL_DEVICES_ONLY,
    },
  },
});

export type Integration = typeof integrationResource.$item;
/** Integration without its mapping, which may be long. */
export type BriefIntegration = Omit<Integration, "mappingSteps">;
