import { Elysia, t } from "elysia";
import { inEnglish } from "../../lib/domain-error.ts";
import type { AuditContext } from "../audit/audit.types.ts";
import type { AuthPlugin } from "../identity/identity.plugin.ts";
import { wholeList } from "../lists.ts";
import { successBody } from "../wire.schemas.ts";
import {
  createRuleChainBody,
  previewAnswer,
  previewBody,
  ruleChainBody,
  updateRuleChainBody,
} from "./rule-chains.schemas.ts";
import type { RuleChainsService, SeenRuleChain } from "./rule-chains.service.ts";

const ruleChainList = wholeList({
  sort: ["name", "status", "createdAt", "updatedAt"],
  search: ["name", "description"],
});

const isoOrNull = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function toWire(chain: SeenRuleChain) {
  const { activity } = chain;
  const lastError = chain.lastError ?? activity?.lastError ?? null;
  return {
    id: chain.id,
    name: chain.name,
    ...(chain.description !== null && { description: chain.description }),
    type: "data_generator" as const,
    enabled: chain.enabled,
    status: chain.status,
    config: chain.config,
    tenantId: chain.tenantId,
    devices: [...chain.devices],
    deviceCount: chain.deviceCount,
    hiddenDevices: chain.hiddenDevices,
    readings: activity?.readings ?? 0,
    refused: activity?.refused ?? 0,
    lastReadingAt: isoOrNull(activity?.lastReadingAt ?? null),
    lastError: lastError === null ? null : inEnglish(lastError),
    lastErrorText: lastError,
    lastErrorAt: isoOrNull(chain.lastErrorAt ?? activity?.lastErrorAt ?? null),
    createdAt: new Date(chain.createdAt).toISOString(),
    updatedAt: new Date(chain.updatedAt).toISOString(),
  };
}

const writers = "403 for devices that the caller has no access to.";
const rate =
  "409 when all active rule chains of the tenant would send more than 1,000 messages or 10,000 values a second, or the devices that were named are gone.";

/** Rule chains: telemetry that the gateway makes up itself, to try dashboards, rules and pipelines before there are devices. */
export const ruleChainsRoutes = (deps: { ruleChains: RuleChainsService; auth: AuthPlugin }) => {
  const { ruleChains } = deps;
  const read = ({ principal }: AuditContext, id: string) => {
    const { name, description, enabled, status, config } = ruleChains.get(principal, id);
    return { name, description, enabled, status, config };
  };
  return new Elysia({ prefix: "/api/rule-chains", tags: ["rule chains"] })
    .use(deps.auth)
    .get(
      "",
      ({ principal, query, request, set }) => {
        return ruleChainList.page({ query, request, set }, ruleChains.list(principal).map(toWire));
      },
      {
        auth: "rule-chains:read",
        query: t.Object(ruleChainList.fields),
        response: { 200: t.Array(ruleChainBody) },
        detail: { summary: "List rule chains, by name" },
      },
    )
    .post(
      "",
      ({ principal, body, set }) => {
        set.status = 201;
        return toWire(ruleChains.create(principal, body));
      },
      {
        auth: "rule-chains:write",
        audit: { action: "rule_chain.create", target: "rule_chain", created: "id", read },
        body: createRuleChainBody,
        response: { 201: ruleChainBody },
        detail: {
          summary: "Create a rule chain",
          description: `With the status \`active\` it sends at once. 400 names what is wrong; 404 for a device that is not there; 409 when there are 100. ${rate} ${writers}`,
        },
      },
    )
    .post("/preview", ({ principal, body }) => toMutable(ruleChains.preview(principal, body.config)), {
      auth: "rule-chains:read",
      audit: { none: "changes nothing" },
      body: previewBody,
      response: { 200: previewAnswer },
      detail: {
        summary: "Try a config",
        description:
          "Says what it would send, and what is wrong with it. Nothing is stored. 400 where the config is no object.",
      },
    })
    .get("/:ruleChainId", ({ principal, params }) => toWire(ruleChains.get(principal, params.ruleChainId)), {
      auth: "rule-chains:read",
      response: { 200: ruleChainBody },
      detail: { summary: "One rule chain" },
    })
    .patch(
      "/:ruleChainId",
      ({ principal, params, body }) => toWire(ruleChains.update(principal, params.ruleChainId, body)),
      {
        auth: "rule-chains:write",
        audit: { action: "rule_chain.update", target: "rule_chain", read },
        body: updateRuleChainBody,
        response: { 200: ruleChainBody },
        detail: {
          summary: "Change a rule chain",
          description: `A new config takes effect at once. \`enabled: true\` alone starts nothing: the status says whether it runs. ${rate} ${writers}`,
        },
      },
    )
    .delete(
      "/:ruleChainId",
      ({ principal, params }) => {
        ruleChains.delete(principal, params.ruleChainId);
        return { success: true };
      },
      {
        auth: "rule-chains:write",
        audit: { action: "rule_chain.delete", target: "rule_chain", read },
        response: { 200: successBody },
        detail: {
          summary: "Delete a rule chain",
          description: `Its devices and what they sent stay. ${writers}`,
        },
      },
    )
    .post(
      "/:ruleChainId/start",
      ({ principal, params }) => toWire(ruleChains.start(principal, params.ruleChainId)),
      {
        auth: "rule-chains:write",
        audit: { action: "rule_chain.start", target: "rule_chain", read },
        response: { 200: ruleChainBody },
        detail: {
          summary: "Start a rule chain",
          description: `It sends at once, and is enabled. Starting an active one changes nothing. ${rate} ${writers}`,
        },
      },
    )
    .post(
      "/:ruleChainId/pause",
      ({ principal, params }) => toWire(ruleChains.pause(principal, params.ruleChainId)),
      {
        auth: "rule-chains:write",
        audit: { action: "rule_chain.pause", target: "rule_chain", read },
        response: { 200: ruleChainBody },
        detail: { summary: "Pause a rule chain", description: writers },
      },
    );
};

const toMutable = ({ success, result, warnings, errors }: ReturnType<RuleChainsService["preview"]>) => ({
  success,
  result,
  warnings: warnings.map(inEnglish),
  errors: errors.map(inEnglish),
  warningTexts: [...warnings],
  errorTexts: [...errors],
});
