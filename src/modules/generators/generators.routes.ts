import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/domain-error.ts";
import { iso } from "../../lib/iso-time.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import {
  createGeneratorBody,
  generatorBody,
  previewAnswer,
  previewBody,
  updateGeneratorBody,
} from "./generators.schemas.ts";
import type { GeneratorsService, VisibleGenerator } from "./generators.service.ts";

const generatorList = wholeList({
  sort: ["name", "status", "createdAt", "updatedAt"],
  search: ["name", "description"],
});

function toWire(generator: VisibleGenerator) {
  const { activity } = generator;
  const lastError = generator.lastError ?? activity?.lastError ?? null;
  return {
    id: generator.id,
    name: generator.name,
    ...(generator.description !== null && { description: generator.description }),
    type: "data_generator" as const,
    enabled: generator.enabled,
    status: generator.status,
    config: generator.config,
    tenantId: generator.tenantId,
    devices: [...generator.devices],
    deviceCount: generator.deviceCount,
    hiddenDevices: generator.hiddenDevices,
    readings: activity?.readings ?? 0,
    refused: activity?.refused ?? 0,
    lastReadingAt: iso(activity?.lastReadingAt ?? null),
    lastError: lastError === null ? null : inEnglish(lastError),
    lastErrorText: lastError,
    lastErrorAt: iso(generator.lastErrorAt ?? activity?.lastErrorAt ?? null),
    createdAt: iso(generator.createdAt),
    updatedAt: iso(generator.updatedAt),
  };
}

const writers = "403 for devices that the caller has no access to.";
const rate =
  "409 if all active generators of the tenant would send more than 1,000 messages or 10,000 values a second, or if the named devices are deleted.";

/** Generators: telemetry that the gateway makes up itself, to try dashboards, rules and pipelines before there are devices. */
export const generatorsRoutes = (deps: { generators: GeneratorsService; auth: AuthPlugin }) => {
  const { generators } = deps;
  const read = ({ principal }: AuditContext, id: string) => {
    const { name, description, enabled, status, config } = generators.get(principal, id);
    return { name, description, enabled, status, config };
  };
  return new Elysia({ prefix: "/api/rule-chains", tags: ["generators"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, request, set }) => {
        return generatorList.page({ query, request, set }, generators.list(principal).map(toWire));
      },
      {
        auth: "generators:read",
        query: t.Object(generatorList.fields),
        response: { 200: t.Array(generatorBody) },
        detail: { summary: "List generators, by name" },
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        set.status = 201;
        return toWire(generators.create(principal, body));
      },
      {
        auth: "generators:write",
        audit: { action: "generator.create", target: "generator", created: "id", read },
        body: createGeneratorBody,
        response: { 201: generatorBody },
        detail: {
          summary: "Create a generator",
          description: `With the status \`active\` it sends at once. 400 names the mistake; 404 for a device that does not exist; 409 if there are 100. ${rate} ${writers}`,
        },
      },
    )
    .post("/preview", ({ principal, body }) => toMutable(generators.preview(principal, body.config)), {
      auth: "generators:read",
      audit: { none: "changes nothing" },
      body: previewBody,
      response: { 200: previewAnswer },
      detail: {
        summary: "Preview a config",
        description:
          "Returns the readings that it would send, and its mistakes. Nothing is stored. 400 if the config is not an object.",
      },
    })
    .get("/:generatorId", ({ principal, params }) => toWire(generators.get(principal, params.generatorId)), {
      auth: "generators:read",
      response: { 200: generatorBody },
      detail: { summary: "Get a generator" },
    })
    .patch(
      "/:generatorId",
      ({ principal, params, body }) => toWire(generators.update(principal, params.generatorId, body)),
      {
        auth: "generators:write",
        audit: { action: "generator.update", target: "generator", read },
        body: updateGeneratorBody,
        response: { 200: generatorBody },
        detail: {
          summary: "Change a generator",
          description: `A new config takes effect at once. \`enabled: true\` alone starts nothing: the status says whether it runs. ${rate} ${writers}`,
        },
      },
    )
    .delete(
      "/:generatorId",
      ({ principal, params }) => {
        generators.delete(principal, params.generatorId);
        return { success: true };
      },
      {
        auth: "generators:write",
        audit: { action: "generator.delete", target: "generator", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete a generator",
          description: `Its devices and their data stay. ${writers}`,
        },
      },
    )
    .post(
      "/:generatorId/start",
      ({ principal, params }) => toWire(generators.start(principal, params.generatorId)),
      {
        auth: "generators:write",
        audit: { action: "generator.start", target: "generator", read },
        response: { 200: generatorBody },
        detail: {
          summary: "Start a generator",
          description: `It is enabled and sends at once. Starting an active generator changes nothing. ${rate} ${writers}`,
        },
      },
    )
    .post(
      "/:generatorId/pause",
      ({ principal, params }) => toWire(generators.pause(principal, params.generatorId)),
      {
        auth: "generators:write",
        audit: { action: "generator.pause", target: "generator", read },
        response: { 200: generatorBody },
        detail: { summary: "Pause a generator", description: writers },
      },
    );
};

const toMutable = ({ success, result, warnings, errors }: ReturnType<GeneratorsService["preview"]>) => ({
  success,
  result,
  warnings: warnings.map(inEnglish),
  errors: errors.map(inEnglish),
  warningTexts: [...warnings],
  errorTexts: [...errors],
});
