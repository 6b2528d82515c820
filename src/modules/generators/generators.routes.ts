import { inEnglish } from "../../lib/core/domain-error.ts";
import { iso } from "../../lib/time/iso-time.ts";
import type { ResponseSpace } from "../../platform/load/response-space.ts";
import { auditReader, resourceRoutes } from "../api/resource.routes.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { generatorExample, generatorResource } from "./generators.resource.ts";
import { previewBody, previewResponse, RATE, WRITERS } from "./generators.schemas.ts";
import type { GeneratorsService, VisibleGenerator } from "./generators.service.ts";

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
    devices: generator.devices,
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

interface GeneratorsRoutesDeps {
  readonly generators: GeneratorsService;
  readonly responses: ResponseSpace;
  readonly auth: AuthPlugin;
}

export const generatorsRoutes = ({ generators, responses, auth }: GeneratorsRoutesDeps) =>
  resourceRoutes(generatorResource, {
    service: generators,
    longList: { responses, read: generators.read },
    toWire,
    read: auditReader(generators, ["name", "description", "enabled", "status", "config"]),
    actions: {
      start: {
        operationId: "startGenerator",
        summary: "Start a generator",
        description: "It is enabled and sends immediately. Starting an active generator changes nothing.",
        errors: { ...RATE, ...WRITERS },
        run: generators.start,
      },
      pause: {
        operationId: "pauseGenerator",
        summary: "Pause a generator",
        errors: WRITERS,
        run: generators.pause,
      },
    },
    auth,
  }).post("/preview", ({ principal, body }) => toMutable(generators.preview(principal, body.config)), {
    auth: "generators:read",
    audit: { none: "changes nothing" },
    body: previewBody,
    response: { 200: previewResponse },
    detail: {
      operationId: "previewGenerator",
      summary: "Preview a config",
      description: "Returns the readings that it would send, and its mistakes. Nothing is stored.",
      errors: { 400: "`config` is not an object." },
      example: {
        config: generatorExample,
      },
    },
  });

const toMutable = ({ success, result, warnings, errors }: ReturnType<GeneratorsService["preview"]>) => ({
  success,
  result,
  warnings: warnings.map(inEnglish),
  errors: errors.map(inEnglish),
  warningTexts: [...warnings],
  errorTexts: [...errors],
});
